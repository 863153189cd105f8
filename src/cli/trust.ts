/** `sallyport trust`: whose project files count. */
import { resolve } from 'node:path';
import { AppError } from '#contracts/errors';
import type { CommandContext } from './app-port.ts';
import { paint, table, writeAll } from './print.ts';

export interface TrustFlags {
  readonly json: boolean;
  readonly revoke: boolean;
}

export async function trust(context: CommandContext, folders: readonly string[], flags: TrustFlags): Promise<number> {
  const [folder, ...rest] = folders;
  if (rest.length > 0 || (flags.revoke && folder === undefined)) {
    throw new AppError('INVALID_INPUT', 'One folder at a time', { hint: 'Use: sallyport trust [--revoke] DIR' });
  }
  if (folder === undefined) return await list(context, flags);
  return flags.revoke ? await revoke(context, resolve(folder)) : await add(context, resolve(folder), flags);
}

async function list(context: CommandContext, { json }: TrustFlags): Promise<number> {
  const app = await context.build(await context.settings(), { warm: false });
  try {
    const folders = await app.engine.upstreams.projects.list();
    const text = folders.length === 0 ? 'No project is trusted. sallyport trust DIR trusts one.' : folders.join('\n');
    await writeAll(process.stdout, json ? `${JSON.stringify(folders, null, 2)}\n` : `${text}\n`);
    return 0;
  } finally {
    await app.close();
  }
}

async function revoke(context: CommandContext, folder: string): Promise<number> {
  const app = await context.build(await context.settings(), { warm: false });
  try {
    const wasTrusted = await app.engine.upstreams.projects.remove(folder);
    await writeAll(process.stdout, wasTrusted ? `${folder} is no longer trusted\n` : `${folder} was not trusted\n`);
    return wasTrusted ? 0 : 1;
  } finally {
    await app.close();
  }
}

/** Says what comes with it: these commands will be started outside the wall. */
async function add(context: CommandContext, folder: string, { json }: TrustFlags): Promise<number> {
  const app = await context.build({ ...(await context.settings()), project: folder }, { warm: false });
  try {
    const { upstreams } = app.engine;
    const trusted = await upstreams.projects.add(folder);
    const { servers, problems } = await upstreams.discovery();
    const rows = servers
      .filter(({ source }) => source.scope === 'project')
      .map(({ name, entry, source }) => ({ name, starts: startOf(entry), file: source.file }));
    if (json) {
      await writeAll(process.stdout, `${JSON.stringify({ trusted, servers: rows, problems }, null, 2)}\n`);
      return 0;
    }
    const lines = [
      `${trusted} is trusted; programs can reach ${rows.length === 0 ? 'no servers of it yet' : 'these servers of it'}:`,
      ...(rows.length > 0
        ? [table(rows.map(({ name, starts, file }) => [`  ${name}`, starts, paint('dim', file)]))]
        : []),
      ...problems.map(
        ({ file, line, message }) => `problem ${file}${line === undefined ? '' : `:${line}`}: ${message}`,
      ),
      paint('dim', `sallyport trust --revoke ${folder} takes it back`),
    ];
    await writeAll(process.stdout, `${upstreams.clean(lines.join('\n'))}\n`);
    return 0;
  } finally {
    await app.close();
  }
}

function startOf({ command, args, url }: { command?: string; args: readonly string[]; url?: string }): string {
  return url ?? [command, ...args].join(' ');
}
