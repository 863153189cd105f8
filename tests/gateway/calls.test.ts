/** Calls to a server that behaves, in both eras of the protocol. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ToolProgress } from '#contracts/tool';
import { failureOf, fixture, openGateway, type TestGateway } from '../support/upstreams.ts';

for (const [era, args] of [
  ['2026', ['tools.mjs']],
  ['2025', ['tools.mjs', '--legacy']],
] as const) {
  describe(`calls to a server of ${era}`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await openGateway({ servers: [fixture('tools', args)] });
    });
    after(() => gateway[Symbol.asyncDispose]());

    const value = async (tool: string, input: Record<string, unknown> = {}) =>
      (await gateway.call('tools', tool, input)).value;

    it('give text, structured content and bytes', async () => {
      assert.deepEqual(await value('echo', { text: 'héllo\n' }), { kind: 'text', text: 'héllo\n' });
      assert.deepEqual(await value('add', { a: 1, b: 2 }), { kind: 'json', value: { sum: 3 } });
      const image = await value('image');
      assert.deepEqual([image.kind, image.kind === 'binary' && image.mimeType], ['binary', 'image/png']);
    });

    it('give the whole result too', async () => {
      const { result } = await gateway.call('tools', 'add', { a: 1, b: 2 });
      assert.deepEqual(
        [result.content, result.structuredContent, result.isError],
        [[{ type: 'text', text: '3' }], { sum: 3 }, false],
      );
    });

    it('fail with the words of the tool', async () => {
      assert.deepEqual(await failureOf(gateway.call('tools', 'fail', {})), {
        code: 'UPSTREAM_FAILED',
        message: 'the disk is on fire',
      });
    });

    it('give a failed result as it is when it is wanted raw', async () => {
      const { result } = await gateway.call('tools', 'fail', {}, { raw: true });
      assert.deepEqual([result.isError, result.content], [true, [{ type: 'text', text: 'the disk is on fire' }]]);
    });

    it('fail with the words of the server when an argument is wrong', async () => {
      const { code, message } = await failureOf(gateway.call('tools', 'echo', { text: 7 }));
      assert.equal(code, 'UPSTREAM_FAILED');
      assert.match(message, /text/);
    });

    it('name the nearest tool when there is none of that name', async () => {
      assert.deepEqual(await failureOf(gateway.call('tools', 'ehco', {})), {
        code: 'TOOL_UNKNOWN',
        message: 'Upstream "tools" has no tool "ehco"',
        hint: 'Did you mean "echo"?',
      });
    });

    it('name the nearest server when there is none of that name', async () => {
      assert.deepEqual(await failureOf(gateway.call('tolls', 'echo', {})), {
        code: 'UPSTREAM_UNKNOWN',
        message: 'There is no upstream server "tolls"',
        hint: 'Did you mean "tools"? Servers: tools',
      });
    });

    it('run side by side', async () => {
      await value('echo', { text: '' });
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: 100 }, () => value('slow', { ms: 400 })));
      assert.ok(performance.now() - startedAt < 1_000);
    });

    it('pass progress on', async () => {
      const seen: ToolProgress[] = [];
      await gateway.call('tools', 'slow', { ms: 20 }, { onProgress: (progress) => seen.push(progress) });
      assert.deepEqual(
        seen.map(({ progress, total, message }) => ({ progress, total, message })),
        [1, 2, 3, 4].map((step) => ({ progress: step, total: 4, message: `step ${step}` })),
      );
    });

    it('end at their time, and the server hears of it', async () => {
      const before = await value('cancelled');
      assert.deepEqual(await failureOf(gateway.call('tools', 'hang', {}, { timeoutMs: 50 })), {
        code: 'UPSTREAM_TIMEOUT',
        message: 'Upstream "tools" did not finish tool "hang" in 0.1 s',
        hint: 'A longer `timeout` gives it more time',
      });
      assert.notDeepEqual(await value('cancelled'), before);
    });

    it("end at the caller's word, with the caller's reason, and the server hears of it", async () => {
      const before = await value('cancelled');
      const stop = new AbortController();
      const call = gateway.call('tools', 'hang', {}, { signal: stop.signal });
      setTimeout(() => stop.abort(new Error('the run is over')), 50);
      await assert.rejects(call, new Error('the run is over'));
      assert.notDeepEqual(await value('cancelled'), before);
      await assert.rejects(gateway.call('tools', 'echo', { text: '' }, { signal: stop.signal }), {
        message: 'the run is over',
      });
    });

    it('carry 20 MB', async () => {
      const big = await value('big', { bytes: 20_000_000 });
      assert.equal(big.kind === 'text' && big.text.length, 20_000_000);
    });

    it('refuse arguments that are nested beyond reason', async () => {
      let deep: unknown = 0;
      for (let level = 0; level < 100_000; level += 1) deep = [deep];
      const { code } = await failureOf(gateway.call('tools', 'echo', { text: deep }));
      assert.equal(code, 'INVALID_INPUT');
      assert.deepEqual(await value('echo', { text: 'still here' }), { kind: 'text', text: 'still here' });
    });

    it('list tools with their schemas and annotations', async () => {
      const echo = await gateway.tool('tools', 'echo');
      assert.deepEqual(
        [echo.server, echo.title, echo.description, echo.annotations, Object.keys(echo.inputSchema.properties ?? {})],
        ['tools', 'Echo', 'Gives back its text', { readOnlyHint: true }, ['text']],
      );
      const add = await gateway.tool('tools', 'add');
      assert.deepEqual(Object.keys(add.outputSchema?.properties ?? {}), ['sum']);
    });
  });
}
