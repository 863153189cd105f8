// If this worked: a program would leave its interpreter so that the next answer is wrong, late or another's.
import assert from 'node:assert/strict';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';

const POISONS: ReadonlyArray<readonly [language: string, code: string]> = [
  ['python', 'import builtins\nbuiltins.print = lambda *a, **k: None'],
  ['python', 'import sys\nsys.stdout = sys.stderr = None'],
  ['python', 'import sys, io\nsys.stdout.close()'],
  ['python', 'import os\nos._exit(0)'],
  ['python', 'import os\nos.closerange(0, 4096)'],
  ['python', 'import sys\nsys.settrace(lambda *a: 1 / 0)\nsys.exit(3)'],
  ['python', 'import builtins\nbuiltins.__dict__.clear()'],
  ['python', 'import sys\nfor name in list(sys.modules): del sys.modules[name]'],
  [
    'python',
    'import gc\nfor f in [o for o in gc.get_objects() if type(o).__name__ == "function"][:2000]:\n    try: f.__code__ = (lambda *a, **k: None).__code__\n    except Exception: pass',
  ],
  ['python', 'import sys\nsys.setrecursionlimit(20)'],
  ['javascript', 'console.log = () => {}; process.stdout.write = () => true; JSON.stringify = () => "{}"'],
  ['javascript', 'Object.prototype.toString = Array.prototype.push = Promise.prototype.then = () => { throw 1 }'],
  ['javascript', 'globalThis.Buffer = undefined; process.exit = () => {}; process.removeAllListeners()'],
  ['bash', 'echo() { :; }; printf() { :; }; builtin() { :; }; read() { :; }; eval() { :; }'],
  ['bash', 'exec >&-; exec 2>&-; exec 0<&-'],
  ['bash', 'set -eu; shopt -s extdebug; trap "exit 9" DEBUG'],
];

export const attack: Attack = {
  checks: ['python', 'javascript', 'bash'].map((wanted) => ({
    name: `${wanted}: the next answer is right, at most after a restart that is told`,
    control: 'The sentence itself is the check: an interpreter without repairs would not answer',
    holds: async (field) => {
      for (const [language, code] of POISONS.filter(([name]) => name === wanted)) {
        const session = `poison-${wanted}`;
        await field.run({ session, language, code, timeout: 3 });
        for (let tries = 0; ; tries++) {
          const token = `right-${tries}-${field.secret.length}`;
          const next = answerOf(
            await field.run({ session, language: 'python', code: `print("${token}")`, timeout: 5 }),
          );
          if (next.out === `${token}\n`) break;
          assert.ok(tries < 3 && (next.failed || /restarted/.test(next.notes)), `${code}: ${JSON.stringify(next)}`);
        }
      }
    },
  })),
};
