// If this worked: a program would make the server run out of memory, or its answers unreadable, by printing.
import assert from 'node:assert/strict';
import { answerOf, metaOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';
import { type Field, residentBytes } from '../field.ts';

const FLOODS: Readonly<Record<string, { language: string; code: string; not?: Record<string, string> }>> = {
  'an endless stream': { language: 'python', code: 'while True: print("x" * 1000)' },
  'one line without an end': { language: 'python', code: 'import sys\nwhile True: sys.stdout.write("x" * 100_000)' },
  'errors alone': {
    language: 'bash',
    code: 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >&2; done',
  },
  'bytes that are no text': {
    language: 'python',
    code: 'import os\nwhile True: os.write(1, bytes(range(256)) * 400)',
    not: { embedded: 'os.write goes to the terminal layer of Pyodide' },
  },
  'codes for terminals': {
    language: 'javascript',
    code: 'for (let i = 0; i < 2e5; i++) console.log("\\u001b[2J\\u001b]0;x\\u0007" + "\\u001b[31m".repeat(20))',
  },
};
const SERVER_BYTES_MAX = 600e6;
/** Two streams of 24 kB, in JSON, with everything around them. */
const ANSWER_CHARS_MAX = 600_000;

export const attack: Attack = {
  checks: [
    ...Object.entries(FLOODS).map(([name, { language, code, not = {} }], index) => ({
      name: `${name}: the server keeps its measure and goes on`,
      control: 'A flood is no attack on a terminal or a file; what is measured is the server',
      not,
      holds: async (field: Field) => {
        const result = await field.run({ session: `flood-${index}`, language, code, timeout: 1 });
        assert.ok(JSON.stringify(result).length < ANSWER_CHARS_MAX);
        assert.ok(residentBytes(field.serverPid) < SERVER_BYTES_MAX, `${residentBytes(field.serverPid)} bytes`);
        const next = answerOf(await field.run({ session: `flood-${index}`, language: 'python', code: 'print("on")' }));
        assert.match(next.out, /on\n$/, JSON.stringify(next));
        await field.run({ session: `flood-${index}`, language: 'python', code: 'mcp.session.close()' });
      },
    })),
    {
      name: 'what is printed after the end of a run is not in the next answer of another session',
      control: 'The same session may show it: it belongs to it',
      not: { embedded: 'nothing runs on after a run' },
      holds: async (field) => {
        await field.run({
          session: 'flood-late',
          language: 'bash',
          code: '(sleep 0.2; yes late-flood | head -c 5000000) & disown',
        });
        const other = await field.run({
          session: 'flood-other',
          language: 'python',
          code: 'import time; time.sleep(0.5); print("mine")',
        });
        assert.equal(answerOf(other).out, 'mine\n');
        assert.equal(metaOf(other).exitCode, 0);
      },
    },
  ],
};
