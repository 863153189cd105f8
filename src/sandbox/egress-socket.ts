/** Where connections of programs that want out arrive on the host. */
import { FolderSocket } from './folder-socket.ts';

/** Beside the hatch's own socket, in the same folder. */
const SOCKET_NAME = 'egress';
const CONNECTIONS_MAX = 64;

export function openEgressSocket(folder: string, owner: number | undefined): Promise<FolderSocket> {
  return FolderSocket.open({ folder, name: SOCKET_NAME, owner, connectionsMax: CONNECTIONS_MAX });
}
