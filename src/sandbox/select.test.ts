import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '#contracts/errors';
import type { BackendReport, IsolationLevel, SandboxBackend } from './backend.ts';
import { chooseBackend, type WallWish } from './select.ts';

const BROKEN: BackendReport = { works: false, problem: 'it is not installed', fix: 'apt install it' };
const FINE: BackendReport = { works: true, details: [] };

function backend(
  name: string,
  isolation: IsolationLevel,
  report: BackendReport,
  more: { mounts?: boolean; interpreters?: readonly ('python' | 'bash')[] } = {},
): SandboxBackend {
  return {
    name,
    capabilities: {
      isolation,
      interpreters: more.interpreters ?? ['python', 'bash'],
      childProcesses: true,
      followsRenames: true,
      mounts: more.mounts ?? true,
      egress: true,
      exceptions: [],
    },
    probe: async () => report,
    create: () => Promise.reject(new AppError('INTERNAL', 'not in this test')),
    close: async () => {},
  };
}

const auto: WallWish = { sandbox: 'auto', minIsolation: undefined, needsMounts: false };
const strong = backend('strong', 'container', FINE);
const broken = backend('broken', 'container', BROKEN);
const weak = backend('weak', 'process', FINE, { mounts: false, interpreters: ['python'] });

describe('chooseBackend()', () => {
  it('takes the first that works, and tells what it passed over', async () => {
    const { backend, passedOver } = await chooseBackend([broken, strong, weak], auto, 'python');
    assert.deepEqual([backend.name, passedOver], ['strong', ['broken: it is not installed']]);
  });

  it('passes over one that lacks the language', async () => {
    const { backend, passedOver } = await chooseBackend([weak, strong], auto, 'bash');
    assert.deepEqual([backend.name, passedOver], ['strong', ['weak: has no bash']]);
  });

  const refused: ReadonlyArray<
    readonly [what: string, wish: Partial<WallWish>, code: string, message: RegExp, hint: RegExp]
  > = [
    [
      'a named wall that does not work, instead of taking another',
      { sandbox: 'broken' },
      'SANDBOX_UNAVAILABLE',
      /nothing is run \(broken: it is not installed\)$/,
      /^apt install it$/,
    ],
    [
      'an unknown wall',
      { sandbox: 'glass' },
      'INVALID_CONFIG',
      /^Unknown sandbox "glass"$/,
      /^Use one of: auto, broken, weak$/,
    ],
    [
      'walls weaker than asked for',
      { minIsolation: 'container' },
      'SANDBOX_UNAVAILABLE',
      /weak: gives isolation "process", and at least "container" is asked for/,
      /./,
    ],
    [
      'mounts where none can be made',
      { needsMounts: true, sandbox: 'weak' },
      'SANDBOX_UNAVAILABLE',
      /weak: cannot mount host folders/,
      /Leave --mount out/,
    ],
  ];
  for (const [what, wish, code, message, hint] of refused) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(chooseBackend([broken, weak], { ...auto, ...wish }, 'python'), { code, message, hint });
    });
  }
});
