import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { KernelUnderTest, shellPlan } from './kernel-harness.mjs';

/** A compiler that counts how often it is asked: its result prints what it was made from. */
const COMPILED = {
  compile: [['sh', '-c', 'echo once >> "$1/../../compiled"; cp "$0" "$1/program"', '{entry}', '{out}']],
  run: ['sh', '{out}/program', '{args}'],
};

describe('the kernel of commands', () => {
  it('hands over arguments and input untouched, and tells output, errors and exit code', async () => {
    await using kernel = new KernelUnderTest();
    const code = 'printf "[%s]" "$@"; cat; echo oops >&2; exit 3';
    const result = await kernel.run({ plan: shellPlan(), code, args: ['', 'a b', '$(id)', '-x\n'], stdin: 'in\n' });
    assert.deepEqual(result, {
      stdout: '[][a b][$(id)][-x\n]in\n',
      stderr: 'oops\n',
      exit: 3,
      status: 'error',
      signal: undefined,
      code: undefined,
      phases: ['run'],
    });
  });

  it('names the signal that ended a program', async () => {
    await using kernel = new KernelUnderTest();
    const { exit, signal } = await kernel.run({ plan: shellPlan(), code: 'kill -SEGV $$' });
    assert.deepEqual({ exit, signal }, { exit: 139, signal: 'SIGSEGV' });
  });

  it('takes its file away, and leaves a file of the user alone', async () => {
    await using kernel = new KernelUnderTest();
    writeFileSync(join(kernel.workspace, 'main.sh'), 'mine');
    const { stdout } = await kernel.run({ plan: shellPlan(), code: 'echo "$0"' });
    assert.equal(stdout, 'main2.sh\n');
    assert.deepEqual(readdirSync(kernel.workspace), ['main.sh']);
    assert.equal(readFileSync(join(kernel.workspace, 'main.sh'), 'utf8'), 'mine');
  });

  it('compiles once, and again when a source has changed', async () => {
    await using kernel = new KernelUnderTest();
    const run = () => kernel.run({ plan: shellPlan(COMPILED), code: 'echo hi' });
    assert.deepEqual((await run()).phases, ['compile', 'run']);
    assert.deepEqual((await run()).phases, ['run']);
    writeFileSync(join(kernel.workspace, 'a.inc'), 'new');
    assert.deepEqual((await run()).phases, ['compile', 'run']);
    writeFileSync(join(kernel.workspace, 'a.txt'), 'a result');
    assert.deepEqual((await run()).phases, ['run']);
  });

  it('tells a compiler that failed, and starts nothing', async () => {
    await using kernel = new KernelUnderTest();
    const plan = shellPlan({ ...COMPILED, compile: [['sh', '-c', 'echo main.sh:1: error: no; exit 2']] });
    const { stderr, exit, code, phases } = await kernel.run({ plan, code: 'echo ran' });
    assert.deepEqual(
      { stderr, exit, code, phases },
      { stderr: 'main.sh:1: error: no\n', exit: 2, code: 'COMPILE_FAILED', phases: ['compile'] },
    );
  });

  it('says when there is no runtime', async () => {
    await using kernel = new KernelUnderTest();
    const { code } = await kernel.run({ plan: shellPlan({ tools: ['no-such-tool'] }), code: 'x' });
    assert.equal(code, 'RUNTIME_MISSING');
  });

  it('ends a program that ignores interrupts, with its children, and goes on', async () => {
    await using kernel = new KernelUnderTest();
    const ended = kernel.run({ plan: shellPlan(), code: "trap '' INT; sleep 1000 & echo on; wait; wait; sleep 1000" });
    await kernel.printed('on\n');
    kernel.interrupt();
    assert.equal((await ended).status, 'interrupted');
    assert.equal((await kernel.run({ plan: shellPlan(), code: 'echo next' })).stdout, 'next\n');
  });
});
