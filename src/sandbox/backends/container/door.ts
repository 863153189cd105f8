/**
 * Where a container and its server meet: a folder that both see, with the names of FIFOs and of one socket.
 *
 * The names are gone before anything of the user runs; what was opened stays. From then on the container talks over
 * the same kind of sockets and pipes as any other sandbox, and no engine is in between. See gate.sh for the other side.
 */
import { closeSync, constants, openSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import { runCommand } from '../../process.ts';
import { readingSocket, SLOTS } from '../../supervised/launched.ts';

const FIFOS = ['life', 'alive', 'stdout', 'stderr'] as const;
const FILES = [...FIFOS, 'socket', 'environment.json'];
const CHANNELS = 1 + SLOTS.length;
const MKFIFO_TIMEOUT_MS = 5_000;
const MEET_TIMEOUT_MS = 30_000;
const COMPLAINT_BYTES_MAX = 4096;
/** What a container complained of may still be in the pipe when it has ended. */
const COMPLAINT_MS = 100;
/** The folder is reached through the container alone: the one it is in is the server's own. */
const OPEN_TO_ALL = { folder: 0o755, file: 0o644, fifo: '666' };

export class ContainerDoor {
  readonly directory: string;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Resolves when the container's first process is ending. */
  readonly ended: Promise<void>;
  readonly #alive: Socket;
  readonly #life: { readonly readFd: number; readonly writeFd: number };
  readonly #folderFd: number;
  readonly #server: Server;
  readonly #channels: Socket[] = [];
  #hasMet = false;
  #isLifeOpen = true;
  #complaint = '';
  #onChannel: (() => void) | undefined;

  private constructor(directory: string, folderFd: number) {
    const open = (name: string) => openSync(join(directory, name), constants.O_RDONLY | constants.O_NONBLOCK);
    this.directory = directory;
    this.#folderFd = folderFd;
    this.stdout = readingSocket(open('stdout'));
    this.stderr = readingSocket(open('stderr'));
    this.#alive = readingSocket(open('alive'));
    const readFd = open('life');
    this.#life = { readFd, writeFd: openSync(join(directory, 'life'), constants.O_WRONLY) };
    this.ended = new Promise((resolve) => this.#alive.once('close', () => resolve()));
    for (const socket of [this.stdout, this.stderr, this.#alive]) socket.on('error', () => {}); // seen as an end
    this.stderr.on('data', this.#onComplaint).resume();
    this.#alive.resume();
    this.#server = createServer({ pauseOnConnect: true }, (socket) => this.#take(socket));
  }

  /** `directory` does not exist yet; the folder it is in is private. */
  static async open(
    directory: string,
    mkfifo: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ContainerDoor> {
    await mkdir(directory, { mode: OPEN_TO_ALL.folder });
    let folderFd: number | undefined;
    try {
      writeFileSync(join(directory, 'environment.json'), JSON.stringify(environment), { mode: OPEN_TO_ALL.file });
      const paths = FIFOS.map((name) => join(directory, name));
      const { exitCode, stderr } = await runCommand(mkfifo, ['-m', OPEN_TO_ALL.fifo, ...paths], {
        timeoutMs: MKFIFO_TIMEOUT_MS,
      });
      if (exitCode !== 0) throw new AppError('SANDBOX_FAILED', `Cannot make pipes: ${stderr.trim()}`);
      folderFd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
      const door = new ContainerDoor(directory, folderFd);
      await door.#listen();
      return door;
    } catch (cause) {
      if (folderFd !== undefined) closeSync(folderFd);
      rmSync(directory, { recursive: true, force: true });
      throw cause instanceof AppError ? cause : new AppError('SANDBOX_FAILED', messageOf(cause), { cause });
    }
  }

  /** Resolves with the supervisor's channel and those of the interpreters when the supervisor is up. */
  async meet(): Promise<{ supervisor: Socket; slots: readonly Socket[] }> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = (reason: string) => reject(new AppError('SANDBOX_FAILED', `The container did not start: ${reason}`));
    let greeting = '';
    const onGreeting = (chunk: Buffer) => {
      greeting += chunk.toString('latin1');
      if (greeting === 'up\n' && this.#channels.length === CHANNELS) resolve();
      else if (!'up\n'.startsWith(greeting)) failed('its supervisor said something else than it should');
    };
    this.#onChannel = () => {
      if (this.#channels.length === CHANNELS) this.#channels[0]?.on('data', onGreeting).resume();
    };
    this.#onChannel();
    const timer = setTimeout(() => failed(`no sign of life after ${MEET_TIMEOUT_MS / 1000} s`), MEET_TIMEOUT_MS);
    void this.ended.then(() => {
      setTimeout(() => failed(this.#complaint.trim() || 'its first process ended at once'), COMPLAINT_MS);
    });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
    const [supervisor, ...slots] = this.#channels as [Socket, ...Socket[]];
    supervisor.off('data', onGreeting).pause();
    this.stderr.off('data', this.#onComplaint).pause();
    this.#hasMet = true;
    this.#removeNames();
    closeSync(this.#life.readFd);
    return { supervisor, slots };
  }

  /** The container's first process reads the end of this server's life, and ends with everything inside. */
  endLife(): void {
    if (!this.#isLifeOpen) return;
    this.#isLifeOpen = false;
    closeSync(this.#life.writeFd);
  }

  close(): void {
    this.endLife();
    if (!this.#hasMet) closeSync(this.#life.readFd);
    this.#removeNames();
    for (const socket of [this.#alive, this.stdout, this.stderr, ...this.#channels]) socket.destroy();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Through a descriptor: the path of a socket may have no more than 107 bytes, and state folders may be deep. */
  #listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(
      { path: `/proc/self/fd/${this.#folderFd}/socket`, readableAll: true, writableAll: true, backlog: CHANNELS },
      resolve,
    );
    return promise;
  }

  #take(socket: Socket): void {
    if (this.#channels.length >= CHANNELS) {
      socket.destroy();
      return;
    }
    socket.on('error', () => {}); // a channel that breaks is an end that its own reader sees
    this.#channels.push(socket);
    this.#onChannel?.();
  }

  #areNamesGone = false;

  #removeNames(): void {
    if (this.#areNamesGone) return;
    this.#areNamesGone = true;
    this.#server.close();
    for (const name of FILES) {
      try {
        unlinkSync(join(this.directory, name));
      } catch {
        // The socket's name goes with its listener.
      }
    }
    closeSync(this.#folderFd);
  }

  readonly #onComplaint = (chunk: Buffer): void => {
    if (this.#complaint.length < COMPLAINT_BYTES_MAX) this.#complaint += chunk.toString('utf8');
  };
}
