/**
 * The inner end of the way out: HTTP programs know proxies by port, and the host is reached by a socket file.
 *
 * Only carries bytes; what may leave is decided on the host. Standard output is closed as soon as it listens: whoever
 * started it waits for that.
 */
import { closeSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const [port, socketFile] = process.argv.slice(2);

const server = createServer({ allowHalfOpen: true }, (inner) => {
  const outer = connect({ path: socketFile, allowHalfOpen: true });
  for (const [from, to] of [
    [inner, outer],
    [outer, inner],
  ]) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
});
server.on('error', () => process.exit(1));
server.listen(Number(port), '127.0.0.1', () => {
  closeSync(1);
  openSync('/dev/null', 'w'); // takes the number: a connection that got it would never be closed
});
