/** A program that writes to the control channel itself can lie about its own run, and about nothing else. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';

/** Writes to every descriptor that is a socket. */
const WRITE_TO_SOCKETS = `
import os, stat
def forge(data):
    for fd in range(3, 300):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode): os.write(fd, data)
        except OSError: pass
`;

const FORGERIES: ReadonlyArray<readonly [what: string, frame: string]> = [
  ['an end of a run that is not its own', 'done 3\\nid 3\\nabc\\nexit 1\\n0\\nstatus 2\\nok\\n'],
  ['an image that is none', 'image 3\\nid 3\\nabc\\nmime 9\\ntext/html\\ndata 3\\nabc\\n'],
  ['a call of something that does not exist', 'call 3\\nid 1\\n1\\nmethod 4\\nexec\\nparams 2\\n{}\\n'],
  ['rubbish', '\\x00\\xff rubbish \\n\\n'],
  ['a frame without an end', 'image 1\\ndata 90000000\\n'],
];

if ((await availableWalls()).includes('bubblewrap')) {
  describe('forged frames', () => {
    let connection: Connection;
    before(async () => {
      connection = await connect({ flags: ['--sandbox', 'bubblewrap'] });
    });
    after(() => connection[Symbol.asyncDispose]());

    for (const [what, frame] of FORGERIES) {
      it(`${what}: the session and the others go on`, async () => {
        const run = (session: string, code: string) =>
          callRunCode(connection.client, { session, language: 'python', code, timeout: 5 });
        await run('honest', 'x = 1');
        await run('forger', `${WRITE_TO_SOCKETS}\nforge(b"${frame}")\nprint("done")`);
        assert.equal(answerOf(await run('honest', 'x')).out, '1');
        assert.equal(answerOf(await run('forger', 'print("again")')).out, 'again\n');
      });
    }
  });
}
