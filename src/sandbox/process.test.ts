import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { isSameProcess, killProcess, processRef, runCommand } from './process.ts';

describe('runCommand()', () => {
  it('collects both streams and the exit code', async () => {
    const result = await runCommand('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3'], { timeoutMs: 5_000 });
    assert.deepEqual(result, { exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
  });

  it('gives the command the environment that is named, and nothing else', async () => {
    const result = await runCommand('/usr/bin/env', [], { timeoutMs: 5_000, env: { A: '1' } });
    assert.equal(result.stdout, 'A=1\n');
  });

  it('kills a command that takes too long', async () => {
    const result = await runCommand('/bin/sleep', ['60'], { timeoutMs: 50 });
    assert.equal(result.exitCode, null);
  });

  it('keeps a bounded part of a flood', async () => {
    const result = await runCommand('/usr/bin/head', ['-c', '10000000', '/dev/zero'], { timeoutMs: 5_000 });
    assert.equal(result.stdout.length, 65_536);
  });

  it('rejects when there is no such command', async () => {
    await assert.rejects(runCommand('/nowhere/at/all', [], { timeoutMs: 5_000 }), { code: 'ENOENT' });
  });
});

it('killProcess() kills the process that was meant, and no later one with its pid', async () => {
  const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  const ref = processRef(child.pid!);
  assert.ok(ref);
  killProcess({ ...ref, started: '1' });
  assert.equal(isSameProcess(ref), true);
  killProcess(ref);
  assert.deepEqual(await exit, [null, 'SIGKILL']);
  assert.equal(isSameProcess(ref), false);
  assert.equal(processRef(child.pid!), undefined);
  killProcess(ref);
});
