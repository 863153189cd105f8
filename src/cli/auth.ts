/** `sallyport auth`: logins at servers that want one, by a person at a terminal. */
import { createInterface } from 'node:readline/promises';
import { readEnvironment } from '#config/env';
import { AppError } from '#contracts/errors';
import { type LoginDesk, logIn, loginStatus, logOut } from '#engine/upstream-auth';
import type { Upstreams } from '#engine/upstreams';
import type { CommandContext } from './app-port.ts';
import { paint, table, writeAll } from './print.ts';

export interface AuthFlags {
  readonly json: boolean;
  readonly logout: boolean;
  readonly browser: boolean;
  readonly scope: string | undefined;
}

/** A person takes time; who has gone home is not waited for. */
const LOGIN_MS_MAX = 10 * 60_000;

export async function auth(context: CommandContext, names: readonly string[], flags: AuthFlags): Promise<number> {
  const [name, ...rest] = names;
  if (rest.length > 0 || (flags.logout && name === undefined)) {
    throw new AppError('INVALID_INPUT', 'One server at a time', { hint: 'Use: sallyport auth [SERVER] [--logout]' });
  }
  const settings = await context.settings();
  const app = await context.build(settings, { warm: false });
  const stop = new AbortController();
  const onSignal = () => stop.abort(new AppError('AUTH_REQUIRED', 'Stopped; there is no new login'));
  process.once('SIGINT', onSignal);
  const timer = setTimeout(
    () => stop.abort(new AppError('AUTH_REQUIRED', 'Nobody finished the login', { hint: 'Try again' })),
    LOGIN_MS_MAX,
  );
  const { upstreams } = app.engine;
  try {
    if (name === undefined) return await status(upstreams, flags);
    if (flags.logout) return await forget(upstreams, name, stop.signal);
    return await enter(upstreams, name, deskFor(settings.clientMetadataUrl, flags, stop.signal));
  } catch (error) {
    throw upstreams.cleanError(error);
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', onSignal);
    await app.close();
  }
}

async function status(upstreams: Upstreams, { json }: AuthFlags): Promise<number> {
  const all = await loginStatus(upstreams);
  if (json) return await say(JSON.stringify(all, null, 2));
  if (all.length === 0) return await say('No server here has an address, so none wants a login.');
  const words = { none: 'no login', yes: 'logged in', over: 'login is over', header: 'by its entry' } as const;
  const rows = all.map(({ server, login, expiresAt, renewable, scope }) => [
    server,
    words[login],
    login !== 'yes' ? '–' : renewable ? 'renewed by itself' : (expiresAt ?? 'no end known'),
    scope ?? '–',
  ]);
  return await say(table([['SERVER', 'LOGIN', 'UNTIL', 'SCOPE'], ...rows]));
}

async function forget(upstreams: Upstreams, name: string, signal: AbortSignal): Promise<number> {
  const hadLogin = await logOut(upstreams, name, signal);
  return await say(hadLogin ? `Logged out of ${name}` : `There was no login at ${name}`);
}

async function enter(upstreams: Upstreams, name: string, desk: Desk): Promise<number> {
  try {
    const end = await logIn(upstreams, name, desk);
    if (end.kind === 'not-needed') return await say(`${name} answers without a login`);
    return await say(`Logged in at ${name}${end.scope === undefined ? '' : ` (${end.scope})`}`);
  } finally {
    desk.close();
  }
}

interface Desk extends LoginDesk {
  close(): void;
}

function deskFor(clientMetadataUrl: string | undefined, { browser, scope }: AuthFlags, signal: AbortSignal): Desk {
  const isHeadless = !browser || !hasBrowser();
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The end of the input is no answer: the browser may still come by itself.
  const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  const tell = (text: string) => void process.stderr.write(`${text}\n`);
  return {
    clientMetadataUrl,
    scope,
    isHeadless,
    signal,
    close: () => terminal.close(),
    showCode: ({ page, code }) => {
      tell(
        `On any machine, open ${paint('bold', page, process.stderr)}\nand enter the code ${paint('bold', code, process.stderr)}`,
      );
      tell('Waiting …');
    },
    askForAddress: async (page) => {
      tell(
        isHeadless
          ? 'Open this page in a browser, on any machine:'
          : 'Your browser opens this page; if not, open it yourself:',
      );
      tell(`\n  ${page.href}\n`);
      if (isHeadless) {
        tell(
          'When you are done, the browser goes to an address that begins with http://127.0.0.1. If it is on another',
        );
        tell('machine, that page does not load: copy its address from the browser and paste it here.');
      }
      const typed = terminal.question('', { signal }).catch(() => undefined);
      return await Promise.race([closed, typed]);
    },
  };
}

/** A browser of the person on this machine, as far as one can tell. */
function hasBrowser(): boolean {
  const env = readEnvironment();
  if (env.SSH_CONNECTION || env.SSH_TTY || env.CI) return false;
  return process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

async function say(text: string): Promise<number> {
  await writeAll(process.stdout, `${text}\n`);
  return 0;
}
