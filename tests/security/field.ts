/**
 * The host as an attacker would like to find it: a secret in a file, in the server's environment and in a process;
 * sockets of every kind that count who comes; and a server with the wall under attack between all that and the program.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { WallName } from '../e2e/behaviours.ts';
import { type Connection, callRunCode, connect, MAIN, type RunArguments } from '../support/client.ts';
import { wallFlags } from '../support/walls.ts';
import { FINISHED, type Language, wholeProgram } from './attack.ts';

export interface Field extends AsyncDisposable {
  readonly wall: WallName;
  readonly connection: Connection;
  /** World-readable; in it `secret.txt`, `home` and the sockets. */
  readonly folder: string;
  readonly secret: string;
  readonly secretFile: string;
  /** The home of the person who started the server. */
  readonly home: string;
  /** On all addresses of the host, over TCP and UDP. */
  readonly port: number;
  readonly hostAddresses: readonly string[];
  readonly socketFile: string;
  readonly abstractName: string;
  /** A process of the host that has the secret in its environment. */
  readonly markedPid: number;
  readonly serverPid: number;
  run(input: RunArguments): Promise<CallToolResult>;
  /** The same program without any wall. */
  outside(language: Language, code: string, wrap?: readonly string[]): Promise<string>;
  /** What has happened to the host since the last look: empty when nothing has. */
  takeEffects(): Promise<string[]>;
}

const INTERPRETERS: Readonly<Record<Language, readonly string[]>> = {
  python: ['python3', 'program.py'],
  javascript: [process.execPath, 'program.cjs'],
  bash: ['bash', 'program.sh'],
};
const OUTSIDE_MS_MAX = 20_000;
/** What a program printed last is there by then. */
const SETTLE_MS = 500;
/** A folder that programs outside inherit, as a careless server would let them. */
const LEAKED_FD = 7;

const FIELD_FLAGS = [
  ...['--max-sessions', '200', '--timeout', '20s', '--memory', '384m', '--tmp-size', '64m', '--cpu-time', '2s'],
  ...['--workspace-size', '100m', '--workspace-files', '2000', '--pids', '64', '--log-level', 'error'],
];

export async function openField(wall: WallName): Promise<Field> {
  // Not below /tmp: there is another /tmp behind a wall, in which a program may make what it likes.
  const folder = await mkdtemp('/var/tmp/sallyport-field-');
  await chmod(folder, 0o755);
  const secret = `canary-${randomBytes(8).toString('hex')}`;
  const secretFile = join(folder, 'secret.txt');
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o777 });
  await writeFile(secretFile, secret, { mode: 0o644 });
  for (const name of ['.bashrc', '.profile', '.gitconfig']) await writeFile(join(home, name), '# untouched\n');

  const visits: string[] = [];
  const abstractName = `sallyport-${randomBytes(8).toString('hex')}`;
  const listeners = await openListeners(folder, abstractName, visits);
  const env = { HOME: home, SALLYPORT_TEST_CANARY: secret, API_TOKEN: secret };
  const bus = `unix:path=${listeners.socketFile}`;
  const connection = await connect({
    flags: [...wallFlags(wall), ...FIELD_FLAGS],
    env: { ...env, DBUS_SESSION_BUS_ADDRESS: bus, SSH_AUTH_SOCK: listeners.socketFile },
  });
  const marked = spawn('sleep', ['98765'], { stdio: 'ignore', env: { PATH: process.env.PATH ?? '', MARK: secret } });
  let hostBefore = await fingerprint(folder);

  return {
    wall,
    connection,
    folder,
    secret,
    secretFile,
    home,
    port: listeners.port,
    hostAddresses: ownAddresses(),
    socketFile: listeners.socketFile,
    abstractName,
    markedPid: marked.pid ?? 0,
    serverPid: connection.transport.pid ?? 0,
    run: (input) => callRunCode(connection.client, input),
    outside: (language, code, wrap = []) =>
      runOutside(folder, language, code, wrap, { ...env, DBUS_SESSION_BUS_ADDRESS: bus }),
    async takeEffects() {
      const effects = visits.splice(0);
      if (marked.exitCode !== null || marked.signalCode !== null) effects.push('the marked process was ended');
      const now = await fingerprint(folder);
      for (const [what, before] of Object.entries(hostBefore)) {
        if (now[what] !== before) effects.push(`${what} changed`);
      }
      hostBefore = now; // what was told once is not told of the next attack
      return effects;
    },
    async [Symbol.asyncDispose]() {
      endProcess(marked);
      await connection[Symbol.asyncDispose]();
      await listeners.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openListeners(folder: string, abstractName: string, visits: string[]) {
  const listen = async (name: string, where: net.ListenOptions) => {
    const server = net.createServer((socket) => {
      visits.push(`somebody connected to ${name}`);
      socket.on('error', () => {});
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(where, resolve));
    return server;
  };
  const tcp = await listen('a port of the host', { port: 0, host: '0.0.0.0' });
  const { port } = tcp.address() as net.AddressInfo;
  const socketFile = join(folder, 'host.sock');
  const local = await listen('a socket of the host', { path: socketFile });
  await chmod(socketFile, 0o777);
  const abstract = await listen('an abstract socket of the host', { path: `\0${abstractName}` });
  const udp = dgram.createSocket('udp4');
  udp.on('message', () => visits.push('a datagram reached the host'));
  await new Promise<void>((resolve) => udp.bind(port, '0.0.0.0', resolve));
  return {
    port,
    socketFile,
    async close() {
      udp.close();
      await Promise.all(
        [tcp, local, abstract].map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
      );
    },
  };
}

/** What an attack on the machine would change, by name. */
async function fingerprint(folder: string): Promise<Record<string, string>> {
  const inside = join(dirname(MAIN), 'inside');
  const files = {
    'the secret file': join(folder, 'secret.txt'),
    "the home's .bashrc": join(folder, 'home', '.bashrc'),
    core_pattern: '/proc/sys/kernel/core_pattern',
    'the host name': '/proc/sys/kernel/hostname',
    modprobe: '/proc/sys/kernel/modprobe',
    '/etc/passwd': '/etc/passwd',
    'the supervisor': join(inside, 'supervisor.sh'),
    'the Python kernel': join(inside, 'python', 'kernel.py'),
  };
  const entries = Object.entries(files).map(async ([what, file]) => [what, await hashOf(file)] as const);
  const names = await Promise.all(
    [folder, join(folder, 'home'), '/usr/local/bin', '/usr/bin', '/usr/sbin', '/dev', '/etc', '/'].map(
      async (path) => [`the list of ${path}`, await namesOf(path)] as const,
    ),
  );
  return { ...Object.fromEntries(await Promise.all(entries)), ...Object.fromEntries(names) };
}

async function namesOf(path: string): Promise<string> {
  // Of others on the same machine: programs outside, terminals.
  const names = await readdir(path).catch(() => []);
  return names
    .filter((name) => !/^(?:outside-|ptmx|pts|loop|\.)/.test(name))
    .sort()
    .join();
}

async function hashOf(file: string): Promise<string> {
  const bytes = await readFile(file).catch(() => Buffer.from('none'));
  return createHash('sha256').update(bytes).digest('hex');
}

async function runOutside(
  folder: string,
  language: Language,
  code: string,
  wrap: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const place = await mkdtemp(join(folder, 'outside-'));
  const whole = wholeProgram(language, code);
  const text = language === 'javascript' ? `(async () => {${whole}})().then(() => process.exit())` : whole;
  const [command = '', file = ''] = INTERPRETERS[language];
  await writeFile(join(place, file), text);
  const leaked = openSync(folder, 'r');
  try {
    const [first = '', ...args] = [...wrap, command, join(place, file)];
    const child = spawn(first, args, {
      cwd: place,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...Array(LEAKED_FD - 3).fill('ignore'), leaked],
      timeout: OUTSIDE_MS_MAX,
      killSignal: 'SIGKILL',
    });
    const printed = await collect(child);
    if (!printed.includes(FINISHED)) throw new Error(`The program did not finish outside: ${printed.slice(-1000)}`);
    return printed;
  } finally {
    closeSync(leaked);
    await rm(place, { recursive: true, force: true });
  }
}

function closeOutput(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function collect(child: ChildProcess): Promise<string> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(text));
    // What it left behind may hold its output open for ever.
    child.once('exit', () => setTimeout(() => closeOutput(child), SETTLE_MS).unref());
  });
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
}

function endProcess(child: ChildProcess): void {
  child.kill('SIGKILL');
}

/** Bytes of the server's own memory. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Processes on the whole machine. */
export function processCount(): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length;
}
