/** argv → command. Commands are loaded when they are called, so that each start pays only for its own. */
import { parseArgs } from 'node:util';
import { readEnvironment } from '#config/env';
import { OPTIONS } from '#config/options';
import { type Flags, loadSettings } from '#config/settings';
import { AppError, messageOf } from '#contracts/errors';
import type { CommandContext, CommandParts } from './app-port.ts';
import { COMMANDS, type CommandName, commandHelp, generalHelp } from './help.ts';
import { paint, writeAll } from './print.ts';
import type { UpstreamFlags } from './upstreams.ts';

const EXIT_OUR_FAULT = 125;

export async function main(argv: readonly string[], parts: CommandParts): Promise<number> {
  try {
    return await dispatch(argv, parts);
  } catch (error) {
    const hint = error instanceof AppError && error.hint ? `\nhint: ${error.hint}` : '';
    await writeAll(process.stderr, `${paint('red', 'error:', process.stderr)} ${messageOf(error)}${hint}\n`);
    return EXIT_OUR_FAULT;
  }
}

async function dispatch(argv: readonly string[], parts: CommandParts): Promise<number> {
  const [command, ...rest] = argv;
  if (command === undefined || command === 'help' || command === '--help' || command === '-h')
    return print(generalHelp());
  if (command === '--version' || command === '-V') return print(`${parts.version}\n`);
  const name = COMMANDS.find((known) => known === command);
  if (name === undefined) {
    throw new AppError('INVALID_INPUT', `Unknown command "${command}"`, {
      hint: `Use one of: ${COMMANDS.join(', ')}; sallyport --help tells more`,
    });
  }
  const { values, positionals, programArgs } = parseCommandLine(rest);
  if (values.help) return print(commandHelp(name));
  if (values.version) return print(`${parts.version}\n`);
  const context: CommandContext = { ...parts, settings: () => loadSettings(values as Flags, readEnvironment()) };
  return runCommand(name, context, values, positionals, programArgs);
}

/** What stands behind `--` belongs to the program and is not looked at. */
function parseCommandLine(rest: readonly string[]) {
  const dashes = rest.indexOf('--');
  const own = dashes === -1 ? rest : rest.slice(0, dashes);
  const settings = Object.fromEntries(
    OPTIONS.map(({ flag, repeatable }) => [flag, { type: 'string' as const, multiple: repeatable === true }]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...own],
      allowPositionals: true,
      options: {
        ...settings,
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        json: { type: 'boolean' },
        check: { type: 'boolean' },
        code: { type: 'string', short: 'e' },
        language: { type: 'string', short: 'l' },
        session: { type: 'string', short: 's' },
        limit: { type: 'string' },
        server: { type: 'string' },
        revoke: { type: 'boolean' },
        since: { type: 'string' },
        kind: { type: 'string' },
        tool: { type: 'string' },
        run: { type: 'string' },
        decision: { type: 'string' },
        follow: { type: 'boolean', short: 'f' },
        logout: { type: 'boolean' },
        'no-browser': { type: 'boolean' },
        scope: { type: 'string' },
        tools: { type: 'string' },
        queries: { type: 'string' },
        distractors: { type: 'string' },
        clients: { type: 'string' },
        minutes: { type: 'string' },
        samples: { type: 'string' },
        only: { type: 'string' },
      },
    });
    return {
      values: values as Record<string, unknown>,
      positionals,
      programArgs: dashes === -1 ? [] : rest.slice(dashes + 1),
    };
  } catch (cause) {
    throw new AppError('INVALID_INPUT', messageOf(cause).split('. ')[0] as string, {
      hint: 'sallyport COMMAND --help lists the options',
      cause,
    });
  }
}

async function runCommand(
  name: CommandName,
  context: CommandContext,
  values: Record<string, unknown>,
  positionals: readonly string[],
  programArgs: readonly string[],
): Promise<number> {
  const json = values.json === true;
  const text = (flag: string) => values[flag] as string | undefined;
  switch (name) {
    case 'serve':
      return (await import('./serve.ts')).serve(context);
    case 'run': {
      const [file, ...more] = positionals;
      if (more.length > 0 || (file !== undefined && text('code') !== undefined)) {
        throw new AppError('INVALID_INPUT', `Unexpected "${more[0] ?? file}"`, {
          hint: "The program's own arguments go behind --",
        });
      }
      const flags = {
        code: text('code'),
        file,
        language: text('language'),
        session: text('session'),
        args: programArgs,
        json,
        check: values.check === true,
      };
      return (await import('./run.ts')).run(context, flags);
    }
    case 'doctor':
      return (await import('./doctor.ts')).doctor(context, { json });
    case 'languages':
      return (await import('./languages.ts')).languages(context, { json });
    case 'detect':
      return (await import('./detect.ts')).detect(positionals, { json });
    case 'sessions':
      return (await import('./sessions.ts')).sessions(context, positionals, { json });
    case 'servers':
      return (await import('./upstreams.ts')).servers(context, upstreamFlags(values));
    case 'tools':
      return (await import('./upstreams.ts')).tools(context, positionals, upstreamFlags(values));
    case 'search':
      return (await import('./upstreams.ts')).search(context, positionals, upstreamFlags(values));
    case 'call':
      return (await import('./upstreams.ts')).call(context, positionals, upstreamFlags(values));
    case 'trust':
      return (await import('./trust.ts')).trust(context, positionals, { json, revoke: values.revoke === true });
    case 'approvals':
      return (await import('./approvals.ts')).approvals(context, positionals, { json });
    case 'audit': {
      const [kind, server, tool] = [text('kind'), text('server'), text('tool')];
      const [session, run, decision] = [text('session'), text('run'), text('decision')];
      const filter = { kind, server, tool, session, run, decision, since: text('since') };
      const flags = { ...filter, json, limit: text('limit'), follow: values.follow === true };
      return (await import('./audit.ts')).audit(context, flags);
    }
    case 'auth':
      return (await import('./auth.ts')).auth(context, positionals, {
        json,
        logout: values.logout === true,
        browser: values['no-browser'] !== true,
        scope: text('scope'),
      });
    case 'savings':
      return (await import('./savings.ts')).savings(context, { json, limit: text('limit') });
    case 'bench':
      return context.bench(
        positionals[0],
        {
          json,
          tools: text('tools'),
          queries: text('queries'),
          distractors: text('distractors'),
          samples: text('samples'),
          clients: text('clients'),
          minutes: text('minutes'),
          only: text('only'),
        },
        await context.settings(),
      );
    default:
      return name satisfies never;
  }
}

function upstreamFlags(values: Record<string, unknown>): UpstreamFlags {
  const text = (flag: string) => values[flag] as string | undefined;
  return { json: values.json === true, limit: text('limit'), server: text('server'), timeout: text('timeout') };
}

async function print(text: string): Promise<number> {
  await writeAll(process.stdout, text);
  return 0;
}
