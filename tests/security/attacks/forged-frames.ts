// If this worked: a program would speak to the host as if it were the interpreter, and answer for another run or session.
import assert from 'node:assert/strict';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';

/** Writes to every descriptor that is a socket or a pipe. */
const FORGE = `
import os, stat
def forge(data):
    for fd in range(1, 300):
        try:
            mode = os.fstat(fd).st_mode
            if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode): os.write(fd, data)
        except OSError: pass
`;

const FRAMES = [
  'done 3\\nid 3\\nabc\\nexit 1\\n0\\nstatus 2\\nok\\n',
  'ready 1\\nversion 1\\n1\\n',
  'pong 1\\nid 1\\n1\\n',
  'image 3\\nid 3\\nabc\\nmime 9\\ntext/html\\ndata 3\\nabc\\n',
  'call 3\\nid 1\\n1\\nmethod 4\\nexec\\nparams 2\\n{}\\n',
  'call 3\\nid 1\\n1\\nmethod 13\\nsession.close\\nparams 19\\n{"name": "honest"}x\\n',
  'image 1\\ndata 90000000\\n',
  'x' + ' 99999\\n',
  '\\x00\\xff rubbish \\n\\n',
  '{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "forged"}]}}\\n',
  'exit 4 0\\npid 4 1\\nup\\n',
];

export const attack: Attack = {
  checks: FRAMES.map((frame, index) => ({
    name: `forged frame ${index + 1} changes at most the answer of its own run`,
    control: 'There is no such channel outside; an honest run beside it and one after it show what it did',
    not: {
      embedded: 'programs have no descriptors there; src/sandbox/backends/embedded/wire.test.ts tries its records',
    },
    holds: async (field) => {
      const honest = (code: string) => field.run({ session: 'honest', language: 'python', code });
      await honest('x = "kept"');
      const [, beside] = await Promise.all([
        field.run({
          session: 'forger',
          language: 'python',
          timeout: 4,
          code: `${FORGE}\nforge(b'${frame}')\nprint("done")`,
        }),
        honest('import time; time.sleep(0.05); print("mine")'),
      ]);
      assert.deepEqual(answerOf(beside), { out: 'mine\n', notes: '', images: [], failed: false });
      assert.equal(answerOf(await honest('x')).out, "'kept'");
      for (let tries = 0; ; tries++) {
        const again = answerOf(await field.run({ session: 'forger', language: 'python', code: 'print("again")' }));
        if (again.out.endsWith('again\n')) break;
        assert.ok(tries < 3, JSON.stringify(again));
      }
    },
  })),
};
