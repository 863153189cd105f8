/** The image and the commands of `docker run …` and `docker exec …`. */

export interface Container {
  readonly image: string | undefined;
  readonly commands: readonly (readonly string[])[];
}

/** Flags that take no value; all others do. */
const SWITCHES = new Set(
  ['rm', 'init', 'interactive', 'tty', 'detach', 'privileged', 'read-only', 'publish-all', 'quiet', 'replace'].map(
    (name) => `--${name}`,
  ),
);

export function containerOf(args: readonly string[]): Container {
  const verb = args.findIndex((arg) => ['run', 'exec', 'start'].includes(arg));
  // `docker mcp gateway run` starts a gateway and no container.
  if (verb === -1 || args.slice(0, verb).includes('mcp')) return { image: undefined, commands: [] };
  const entrypoints: string[] = [];
  let at = verb + 1;
  while (args[at]?.startsWith('-')) {
    const flag = args[at] as string;
    const takesNext = !flag.includes('=') && !SWITCHES.has(flag) && !/^-[aditPq]+$/.test(flag);
    if (flag.startsWith('--entrypoint')) {
      entrypoints.push(takesNext ? (args[at + 1] ?? '') : flag.replace(/^[^=]*=/, ''));
    }
    at += takesNext ? 2 : 1;
  }
  const rest = args.slice(at + 1);
  const commands = isProgram(rest[0]) ? [rest] : [];
  return { image: args[at], commands: [...entrypoints.map((entry) => [entry]), ...commands] };
}

/** What follows an image is a program or, for an image that starts one by itself, arguments: mostly folders. */
function isProgram(word: string | undefined): boolean {
  return word !== undefined && (!/^[./]/.test(word) || /\/bin\/[^/]+$|\.[cm]?js$/.test(word));
}
