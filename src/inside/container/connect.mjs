/**
 * Starts the supervisor with its channels to the host, and ends.
 *
 *   connect.mjs DOOR
 *
 * A shell can open FIFOs but no sockets, so this does it. The order of the connections is the order of the descriptors
 * that the supervisor has them on: 3, and 4 to 8 (see supervisor.sh).
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const CHANNELS = 6;
const SUPERVISOR = '/run/sallyport/inside/supervisor.sh';
const WORKSPACE = '/workspace';

const [, , door] = process.argv;
const sockets = [];
while (sockets.length < CHANNELS) sockets.push(await connect(`${door}/socket`));
// Of the open file and not of this process: shells and interpreters do not expect a read to come back empty.
for (const socket of sockets) socket._handle.setBlocking(true);
const supervisor = spawn('/bin/sh', [SUPERVISOR, 'supervise'], {
  env: JSON.parse(readFileSync(`${door}/environment.json`, 'utf8')),
  cwd: WORKSPACE,
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit', ...sockets],
});
supervisor.once('error', (error) => {
  process.stderr.write(`/bin/sh cannot be started: ${error.message}\n`);
  process.exit(1);
});
supervisor.once('spawn', () => process.exit(0));

function connect(path) {
  return new Promise((resolve, reject) => {
    // Paused: what the host says first is for the supervisor.
    const socket = new Socket().pause();
    socket.once('error', reject).once('connect', () => resolve(socket));
    socket.connect({ path });
  });
}
