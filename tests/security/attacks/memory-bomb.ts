// If this worked: a program would take all memory, and the kernel would end something else to make room.
import assert from 'node:assert/strict';
import { answerOf, metaOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';
import { type Field, residentBytes } from '../field.ts';

const BOMBS: Readonly<Record<string, { language: string; code: string; not?: Record<string, string> }>> = {
  heap: { language: 'python', code: 'a = []\nwhile True: a.append(bytearray(20_000_000))' },
  'one huge string': { language: 'python', code: 's = "x" * 10_000_000\nwhile True: s += s' },
  'buffers of JavaScript': {
    language: 'javascript',
    code: 'const a = []; for (;;) a.push(new Uint8Array(2e7).fill(1))',
  },
  'objects of JavaScript': {
    language: 'javascript',
    code: 'const a = []; for (;;) a.push({ a: [1, 2, 3], b: "x".repeat(100) + a.length })',
  },
  'many processes together': {
    language: 'python',
    code: 'import os, time\nfor i in range(8):\n    if os.fork() == 0:\n        b = bytearray(80_000_000)\n        for n in range(0, len(b), 4096): b[n] = 1\n        time.sleep(20)\n        os._exit(0)\nimport time; time.sleep(2)',
    not: { embedded: 'there are no processes to make' },
  },
  'shared memory': {
    language: 'python',
    code: 'import mmap\na = []\nwhile True:\n    m = mmap.mmap(-1, 20_000_000)\n    m.write(b"x" * 20_000_000)\n    a.append(m)',
    not: { embedded: 'mmap there is a copy in the same heap' },
  },
  'files in memory': {
    language: 'bash',
    code: 'for i in $(seq 40); do head -c 10000000 /dev/zero >/dev/shm/f$i || exit 1; done',
    not: { embedded: 'it has no such file system' },
  },
};
const SERVER_GROWTH_MAX = 200e6;

export const attack: Attack = {
  checks: Object.entries(BOMBS).map(([name, { language, code, not = {} }], index) => ({
    name: `${name}: it is stopped or refused, and the others go on`,
    control: 'It would take the memory of the machine that runs the tests',
    not,
    holds: (field: Field) => explode(field, language, code, `memory-${index}`),
  })),
};

async function explode(field: Field, language: string, code: string, session: string): Promise<void> {
  const before = residentBytes(field.serverPid);
  const result = await field.run({ session, language, code, timeout: 15 });
  const { stop, exitCode } = metaOf(result);
  assert.ok(
    stop !== null || exitCode !== 0 || /restarted|Killed/.test(answerOf(result).notes) || code.includes('fork'),
    JSON.stringify(result),
  );
  assert.ok(residentBytes(field.serverPid) - before < SERVER_GROWTH_MAX, 'the server itself does not grow');
  const next = answerOf(await field.run({ session, language: 'python', code: 'print("on")' }));
  assert.match(next.out, /on\n$/, JSON.stringify(next));
  await field.run({ session, language: 'python', code: 'mcp.session.close()' });
}
