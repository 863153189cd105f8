/** Processes behind a wall that come to the hatch by themselves. */
import type { Socket } from 'node:net';
import { BOUNDS } from '#contracts/limits';
import type { Visitor } from './backend.ts';
import { FolderSocket } from './folder-socket.ts';

const SOCKET_NAME = 'socket';

export class VisitorSocket {
  readonly #socket: FolderSocket;

  private constructor(socket: FolderSocket) {
    this.#socket = socket;
  }

  static async open(folder: string, owner: number | undefined): Promise<VisitorSocket> {
    const place = { folder, name: SOCKET_NAME, owner, connectionsMax: BOUNDS.visitorsMax };
    return new VisitorSocket(await FolderSocket.open(place));
  }

  onVisit(listener: (visitor: Visitor) => void): void {
    this.#socket.onConnection((socket) => listener(visitorOf(socket)));
  }

  close(): Promise<void> {
    return this.#socket.close();
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
