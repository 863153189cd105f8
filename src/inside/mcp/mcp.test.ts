/** Both forms of the command, against a host that tells what it was asked. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { encodeFrame, FrameReader, fieldText, fieldTexts } from '#bridge/codec';

const FORMS: ReadonlyArray<readonly [name: string, command: string, file: string]> = [
  ['mcp.pl', '/usr/bin/perl', join(import.meta.dirname, 'mcp.pl')],
  ['mcp.mjs', process.execPath, join(import.meta.dirname, 'mcp.mjs')],
];

interface Ended {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

for (const [name, command, file] of FORMS) {
  describe(name, { skip: existsSync(command) ? false : `${command} is missing` }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-mcp-'));
    const place = join(folder, 'socket');
    let host: Server;
    before(async () => {
      host = createServer((socket) => {
        const reader = new FrameReader();
        socket.on('error', () => {});
        socket.on('data', (bytes) => {
          for (const frame of reader.push(bytes)) {
            const words = fieldTexts(frame, 'word');
            if (words[0] === 'leave') return void socket.end();
            const told = { method: fieldText(frame, 'method'), run: fieldText(frame, 'run'), words };
            const stdin = fieldText(frame, 'stdin');
            const out = words[0] === 'big' ? Buffer.alloc(5_000_000, 0xff) : JSON.stringify({ ...told, stdin });
            socket.end(
              encodeFrame('reply', [
                ['id', ''],
                ['ok', '1'],
                ['exit', '7'],
                ['err', 'said\n'],
                ['out', out],
              ]),
            );
          }
        });
      });
      await new Promise<void>((resolve) => host.listen(place, resolve));
    });
    after(() => {
      host.close();
      rmSync(folder, { recursive: true });
    });

    const run = (words: readonly string[], stdin?: string, where = place): Promise<Ended> => {
      // A pipe of the shell's: Node would give a socket.
      const pipe = stdin === undefined ? [] : ['/bin/sh', '-c', 'printf %s "$0" | "$@"', stdin];
      const [program = '', ...args] = [...pipe, command, file, ...words];
      const env = { SALLYPORT_HATCH: where, SALLYPORT_RUN: 'r1' };
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on('data', (bytes: Buffer) => out.push(bytes));
      child.stderr.on('data', (bytes: Buffer) => err.push(bytes));
      return new Promise((resolve) => {
        child.on('close', (code) => resolve({ code, out: Buffer.concat(out), err: Buffer.concat(err).toString() }));
      });
    };
    const asked = async (words: readonly string[], stdin?: string) =>
      JSON.parse((await run(words, stdin)).out.toString());

    it('sends its words as they are, prints what comes back, and ends with the code', async () => {
      const words = ['call', 'a b', 'ü\n"\'\\', 'x=', ''];
      const { code, out, err } = await run(words);
      assert.deepEqual({ code, err }, { code: 7, err: 'said\n' });
      assert.deepEqual(JSON.parse(out.toString()), { method: 'shell', run: 'r1', words });
    });

    it('reads standard input where it is asked for, and a pipe for a call without arguments', async () => {
      const given = { 'call s t -': 'x', 'call s t k@=-': 'x', 'call s t': 'x', 'call s t --timeout 5 --raw': 'x' };
      const left = ['call s t k=v', 'search words', 'docs -'];
      for (const [line, text] of Object.entries(given))
        assert.equal((await asked(line.split(' '), text)).stdin, text, line);
      for (const line of left) assert.equal((await asked(line.split(' '), 'x')).stdin, undefined, line);
    });

    it('passes bytes on, whatever they are and how many', async () => {
      const { out } = await run(['big']);
      assert.equal(out.length, 5_000_000);
      assert.ok(out.every((byte) => byte === 0xff));
    });

    it('says so when there is no host, or it goes away', async () => {
      const nobody = await run(['help'], undefined, join(folder, 'nothing'));
      assert.deepEqual([nobody.code, nobody.err.startsWith('mcp: the host cannot be reached: ')], [1, true]);
      const gone = await run(['leave']);
      assert.deepEqual([gone.code, gone.err], [1, 'mcp: the host does not answer\n']);
    });
  });
}
