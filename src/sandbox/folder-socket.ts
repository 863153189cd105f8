/**
 * A socket by which processes behind a wall reach the host: a file in a folder that is mounted inside.
 *
 * It is bound through the folder's descriptor. A path to a state folder may be longer than the kernel takes for the name
 * of a socket, and the folder may be renamed while the sandbox is up.
 */
import { chmodSync, chownSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

export interface FolderSocketPlace {
  readonly folder: string;
  /** Of the socket in its folder, on both sides of the wall. */
  readonly name: string;
  /** The user that the processes inside have on the host; undefined is the server's own. */
  readonly owner: number | undefined;
  readonly connectionsMax: number;
}

export class FolderSocket {
  readonly #folderFd: number;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #listener: ((socket: Socket) => void) | undefined;

  private constructor(folderFd: number, server: Server, connectionsMax: number) {
    this.#folderFd = folderFd;
    this.#server = server;
    server.maxConnections = connectionsMax;
    server.on('connection', (socket) => this.#take(socket));
    server.on('error', () => {}); // accept failed for want of descriptors; whoever came sees it closed
  }

  static async open({ folder, name, owner, connectionsMax }: FolderSocketPlace): Promise<FolderSocket> {
    rmSync(join(folder, name), { force: true });
    const folderFd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    const path = `/proc/self/fd/${folderFd}/${name}`;
    const server = createServer();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(path, resolve);
      });
      server.removeAllListeners('error');
      chmodSync(path, 0o600);
      if (owner !== undefined) chownSync(path, owner, owner);
      return new FolderSocket(folderFd, server, connectionsMax);
    } catch (error) {
      server.close();
      closeSync(folderFd);
      throw error;
    }
  }

  /** Whoever comes before somebody listens is sent away. */
  onConnection(listener: (socket: Socket) => void): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    // Not before: the server removes its file through this descriptor.
    closeSync(this.#folderFd);
  }

  #take(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    socket.on('error', () => {}); // whoever came has gone
    if (this.#listener) this.#listener(socket);
    else socket.destroy();
  }
}
