/** Where a browser comes back to after a login: a page on this machine, for this one login. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errnoOf } from '#contracts/errors';

export interface Loopback extends AsyncDisposable {
  readonly url: string;
  /** What the browser brought. */
  readonly answer: Promise<URLSearchParams>;
}

const PATH = '/callback';
const PAGE = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>Sallyport</title><body style="font: 1.2rem system-ui; margin: 4rem">${text}`;

/** On the port if it is free, else on another one. */
export async function openLoopback(port: number): Promise<Loopback> {
  const { promise: answer, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname !== PATH || (!searchParams.has('code') && !searchParams.has('error'))) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not here');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(
      PAGE(
        searchParams.has('code')
          ? 'Done. You can close this page and go back to the terminal.'
          : 'The login was refused. The terminal says more.',
      ),
    );
    resolve(searchParams);
  });
  await listen(server, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}${PATH}`,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  const attempt = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt(port);
  } catch (error) {
    if (errnoOf(error) !== 'EADDRINUSE' || port === 0) throw error;
    await attempt(0);
  }
}
