/**
 * Runs programs of languages that have no live interpreter: each run compiles where needed and starts a process, as
 * `../PROTOCOL.md` says. This file puts the parts together.
 *
 * Start: `node kernel.mjs` in the workspace, with `SALLYPORT_CONTROL_FD` naming an inherited, connected stream socket. No
 * program runs in this process.
 */
import { Socket } from 'node:net';
import { encodeFrame, FrameReader, fieldBytes, fieldText, fieldTexts } from '../javascript/frames.mjs';
import { checkProgram } from './check.mjs';
import { Children } from './children.mjs';
import { writeAll } from './output.mjs';
import { probeTools } from './probe.mjs';
import { runProgram } from './run.mjs';

const controlFd = Number(process.env.SALLYPORT_CONTROL_FD);
delete process.env.SALLYPORT_CONTROL_FD;

const children = new Children();
// The supervisor interrupts the group of this process; programs are in groups of their own and hear of it from here.
process.on('SIGINT', () => children.interrupt());

const reader = new FrameReader();
const control = new Socket({ fd: controlFd, readable: true, writable: true });
control.on('data', (chunk) => {
  for (const frame of reader.push(chunk)) onFrame(frame);
});
control.on('end', () => process.exit(0));
control.on('error', () => process.exit(0)); // the host is gone

let working = Promise.resolve();
send('ready', [['version', process.version]]);

function onFrame(frame) {
  const id = fieldText(frame, 'id') ?? '';
  switch (frame.verb) {
    case 'run':
      working = working.then(() => run(id, frame)).catch(giveUp);
      break;
    case 'check':
      working = working
        .then(async () => send('checked', [['id', id], ...(await checkProgram(children, requestOf(frame)))]))
        .catch(giveUp);
      break;
    case 'probe':
      working = working
        .then(async () =>
          send('probed', [
            ['id', id],
            ['value', JSON.stringify(await probeTools(planOf(frame)))],
          ]),
        )
        .catch(giveUp);
      break;
    case 'ping':
      working = working.then(() => send('pong', [['id', id]]));
      break;
  }
}

async function run(id, frame) {
  const nonce = fieldText(frame, 'nonce') ?? '';
  process.env.SALLYPORT_RUN = id;
  children.begin();
  const end = await runProgram(children, requestOf(frame), (name) =>
    send('phase', [
      ['id', id],
      ['name', name],
    ]),
  );
  writeAll(1, `${nonce}E`);
  writeAll(2, `${nonce}E`);
  send('done', [['id', id], ...end]);
}

function requestOf(frame) {
  return {
    plan: planOf(frame),
    code: fieldText(frame, 'code') ?? '',
    args: fieldTexts(frame, 'arg'),
    stdin: fieldBytes(frame, 'stdin'),
  };
}

function planOf(frame) {
  return JSON.parse(fieldText(frame, 'plan') ?? '{}');
}

function send(verb, fields) {
  control.write(encodeFrame(verb, fields));
}

/** What fails here is not the program's: the host starts this anew. */
function giveUp(error) {
  process.stderr.write(`${error?.message ?? error}\n`);
  process.exit(70);
}
