/** What all sandboxes of one server share: tools, pipes, users, the stage, the limits. Opened at the first need. */
import { closeSync, openSync, readdirSync, readFileSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '#contracts/errors';
import { findTool } from '../../executables.ts';
import { FifoStore } from '../../fifo.ts';
import { chooseLimiter } from '../../limits/choose.ts';
import type { Limiter } from '../../limits/limiter.ts';
import { privateDirectory, serverName } from '../../server-folder.ts';
import { hostTimeZone } from '../../supervised/environment.ts';
import type { WallEntry } from './arguments.ts';
import { SandboxUsers } from './identity.ts';
import { buildFilter, filterArchitecture } from './seccomp/filter.ts';
import { Stage } from './stage.ts';
import { systemEntries } from './system.ts';

const ENTER = fileURLToPath(new URL('./enter.sh', import.meta.url));

export interface Workshop {
  readonly tools: Tools;
  readonly fifos: FifoStore;
  /** Private to this server, for files that live for moments. */
  readonly directory: string;
  readonly limiter: Limiter;
  /** Why stronger limits were passed over. */
  readonly limitersPassedOver: readonly string[];
  readonly timeZone: string;
  /** A new descriptor of the system-call filter, to be closed by the caller. */
  openFilter(): number;
  readonly system: readonly WallEntry[];
  /** Only when the server is root. */
  readonly root: { readonly users: SandboxUsers; readonly stage: Stage } | undefined;
  close(): Promise<void>;
}

export interface Tools {
  readonly bwrap: string;
  readonly mkfifo: string;
  readonly unshare: string;
  readonly setpriv: string;
  /** Our own. */
  readonly enter: string;
}

export async function openWorkshop({ stateDir, path }: { stateDir: string; path: string }): Promise<Workshop> {
  const uid = process.getuid?.() ?? -1;
  const architecture = filterArchitecture(process.arch);
  const tools = findTools(path, uid === 0);
  closeStrangers();
  const server = serverName();
  const directory = privateDirectory(join(stateDir, 'run'), server);
  const fifos = new FifoStore(directory, tools.mkfifo);
  fifos.prepare();
  const { limiter, passedOver } = await chooseLimiter({ uid, systemdRun: findTool('systemd-run', path) });
  const filterFd = keepFilter(
    directory,
    buildFilter({ architecture, mappedMemoryOnly: !limiter.countsUnmappedMemory }),
  );
  const root =
    uid === 0
      ? { users: new SandboxUsers(), stage: await Stage.open(server, join(realpathSync(stateDir), 'sessions')) }
      : undefined;
  return {
    tools,
    fifos,
    directory,
    limiter,
    limitersPassedOver: passedOver,
    timeZone: hostTimeZone(),
    openFilter: () => openSync(`/proc/self/fd/${filterFd}`, 'r'),
    system: systemEntries(),
    root,
    async close() {
      closeSync(filterFd);
      await fifos.close();
      await root?.stage.close();
      await limiter.close();
    },
  };
}

function findTools(path: string, isRoot: boolean): Tools {
  const find = (name: string) => {
    const file = findTool(name, path);
    if (file === undefined) throw new AppError('SANDBOX_UNAVAILABLE', `The program "${name}" is not installed`);
    return file;
  };
  // Only root needs these.
  const [unshare, setpriv] = isRoot ? [find('unshare'), find('setpriv')] : ['', ''];
  return { bwrap: find('bwrap'), mkfifo: find('mkfifo'), unshare, setpriv, enter: ENTER };
}

/** A file without a name, to be opened again for each sandbox: a shared descriptor would be read to its end once. */
function keepFilter(directory: string, filter: Buffer): number {
  const file = join(directory, 'filter');
  writeFileSync(file, filter, { mode: 0o600 });
  const fd = openSync(file, 'r');
  unlinkSync(file);
  return fd;
}

/** What close-on-exec looks like in /proc/self/fdinfo. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors that this process inherited and would pass on. Node marks its own, and the low ones that it was given;
 * one with a high number, as some shells and supervisors use them, would end up behind the wall.
 */
function closeStrangers(): void {
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    if (fd <= 2) continue;
    try {
      const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '';
      if ((Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) closeSync(fd);
    } catch {
      // The descriptor of the folder that was just read: closed by now.
    }
  }
}
