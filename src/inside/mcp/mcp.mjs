#!/run/sallyport/bin/node
/** The command `mcp` where there is no Perl; `mcp.pl` says what it does, and both do the same. */
import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { createConnection } from 'node:net';

const words = process.argv.slice(2);
const fields = [['method', 'shell'], ...words.map((word) => ['word', word])];
if (process.env.SALLYPORT_RUN !== undefined) fields.push(['run', process.env.SALLYPORT_RUN]);
if (wantsInput(words)) fields.push(['stdin', readFileSync(0)]);

const host = createConnection(process.env.SALLYPORT_HATCH || '/run/sallyport/hatch/socket');
let answer = Buffer.alloc(0);
const pieces = [];
host.on('connect', () => host.write(frame('call', fields)));
host.on('data', (piece) => pieces.push(piece));
host.on('error', (error) => quit(`the host cannot be reached: ${error.code}`));
host.on('end', () => {
  answer = Buffer.concat(pieces);
  finish();
});

function frame(verb, list) {
  const parts = [Buffer.from(`${verb} ${list.length}\n`)];
  for (const [name, value] of list) {
    const bytes = Buffer.from(value);
    parts.push(Buffer.from(`${name} ${bytes.length}\n`), bytes, Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}

function finish() {
  let exit = 1;
  let at = 0;
  const header = () => {
    const end = answer.indexOf('\n', at);
    if (end < 0) quit('the host does not answer');
    const [name, number] = answer.toString('latin1', at, end).split(' ');
    at = end + 1;
    return [name, Number(number)];
  };
  for (let [, count] = header(); count > 0; count -= 1) {
    const [name, length] = header();
    const value = answer.subarray(at, at + length);
    at += length + 1;
    if (name === 'out') put(1, value);
    else if (name === 'err') put(2, value);
    else if (name === 'exit') exit = Number(value.toString());
  }
  process.exit(exit);
}

/** `-` and `KEY@=-` name it; a call without arguments takes them from a pipe. */
function wantsInput([verb, ...rest]) {
  if (verb !== 'call') return false;
  if (rest.some((word) => word === '-' || /^[^=]+@=-$/.test(word))) return true;
  const plain = rest.filter((word, index) => !word.startsWith('--') && rest[index - 1] !== '--timeout');
  return plain.length <= 2 && fstatSync(0).isFIFO();
}

function put(fd, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code === 'EPIPE') process.exit(141);
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2); // a pipe that is full and does not block
    }
  }
}

function quit(reason) {
  process.stderr.write(`mcp: ${reason}\n`);
  process.exit(1);
}
