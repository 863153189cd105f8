/** The host's end of a sandbox, with a stand-in for Deno that says what a hostile program might. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '#observability/logger';
import { EmbeddedSandbox } from './sandbox.ts';

const MARK = Buffer.from('0123456789abcdef');

/** A process that writes these bytes to standard error and then waits. */
function sandboxThatSays(...parts: ReadonlyArray<string | readonly number[]>): EmbeddedSandbox {
  const said = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const program = `process.stderr.write(Buffer.from('${said.toString('base64')}', 'base64')); process.stdin.resume()`;
  return new EmbeddedSandbox({
    deno: process.execPath,
    args: ['-e', program],
    env: {},
    cwd: '/',
    settings: {},
    mark: MARK,
    memoryBytesMax: 1024 * 1024 * 1024,
    scratch: '/nowhere',
    scratchBytesMax: 1,
    watch: 'outside',
    logger: silentLogger,
    pythonImage: async () => undefined,
    release: async () => {},
  });
}

function record(channel: number, payload: string): number[] {
  return [...MARK, channel, payload.length & 0xff, payload.length >> 8, ...Buffer.from(payload)];
}

const UP = record(0, '{"up":true}');

describe('EmbeddedSandbox', () => {
  it('stands when the process says so, and hands on what is printed', async () => {
    const sandbox = sandboxThatSays('before ', UP, 'after');
    let printed = '';
    sandbox.onOutput((stream, bytes) => {
      printed += `${stream}: ${bytes.toString()}|`;
    });
    await sandbox.stands();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await sandbox.kill();
    assert.equal(printed, 'stderr: before |stderr: after|');
  });

  it('tells the last words of a process that does not', async () => {
    const sandbox = new EmbeddedSandbox({
      ...Object.create(null),
      deno: process.execPath,
      args: ['-e', 'console.error("no such thing"); process.exit(3)'],
      env: {},
      cwd: '/',
      settings: {},
      mark: MARK,
      watch: 'outside',
      logger: silentLogger,
      release: async () => {},
    });
    await assert.rejects(sandbox.stands(), {
      code: 'SANDBOX_FAILED',
      message: 'The embedded process did not start: no such thing',
    });
  });

  for (const [name, bytes] of [
    ['a mark without a record', [...MARK, 9, 0, 0]],
    ['a notice that is none', record(0, '{"gone":"ruby"}')],
    ['a notice that is no JSON', record(0, '{')],
  ] as const) {
    it(`ends a process that writes ${name}`, async () => {
      const sandbox = sandboxThatSays(UP, bytes);
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      sandbox.onEnd(resolve);
      await ended;
      await sandbox.kill();
    });
  }

  it('ignores what comes on the channel of an interpreter that was not started', async () => {
    const sandbox = sandboxThatSays(record(1, 'ready 0\n'), UP);
    await sandbox.stands();
    await sandbox.kill();
  });
});
