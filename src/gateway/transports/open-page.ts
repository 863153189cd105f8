/** Opens a page in the person's browser. Nobody waits for it, and it does not matter here whether it works. */
import spawn from 'cross-spawn';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export function openPage(page: URL): void {
  if (!/^https?:$/.test(page.protocol)) return; // a server's word must not start anything else
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, page.href], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // the address is on the screen as well
  child.unref();
}
