/**
 * The socket by which processes behind a wall reach the host: a file in a folder that is mounted inside.
 *
 * It is bound through the folder's descriptor. A path to a state folder may be longer than the kernel takes for the name
 * of a socket, and the folder may be renamed while the sandbox is up.
 */
import { chmodSync, chownSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { BOUNDS } from '#contracts/limits';
import type { Visitor } from './backend.ts';

/** The name of the socket in its folder, on both sides of the wall. */
const SOCKET_NAME = 'socket';

type VisitListener = (visitor: Visitor) => void;

export class VisitorSocket {
  readonly #folderFd: number;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #listener: VisitListener | undefined;

  private constructor(folderFd: number, server: Server) {
    this.#folderFd = folderFd;
    this.#server = server;
    server.maxConnections = BOUNDS.visitorsMax;
    server.on('connection', (socket) => this.#take(socket));
    server.on('error', () => {}); // accept failed for want of descriptors; whoever came sees it closed
  }

  /** `owner` is the user that the processes inside have on the host; undefined is the server's own. */
  static async open(folder: string, owner: number | undefined): Promise<VisitorSocket> {
    rmSync(join(folder, SOCKET_NAME), { force: true });
    const folderFd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    const path = `/proc/self/fd/${folderFd}/${SOCKET_NAME}`;
    const server = createServer();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(path, resolve);
      });
      server.removeAllListeners('error');
      chmodSync(path, 0o600);
      if (owner !== undefined) chownSync(path, owner, owner);
      return new VisitorSocket(folderFd, server);
    } catch (error) {
      server.close();
      closeSync(folderFd);
      throw error;
    }
  }

  onVisit(listener: VisitListener): void {
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
    if (this.#listener) this.#listener(visitorOf(socket));
    else socket.destroy();
  }
}

function visitorOf(socket: Socket): Visitor {
  return {
    send: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
    get unreadBytes() {
      return socket.writableLength;
    },
    end: () => socket.end(),
    onData: (listener) => void socket.on('data', listener),
    onGone: (listener) => void socket.once('close', listener),
  };
}
