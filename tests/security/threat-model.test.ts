/** THREAT_MODEL.md and this folder agree: every class has a verdict, every verdict that names a test has that test. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { it } from 'node:test';

const VERDICTS = ['held', 'bounded', 'part held', 'gap', 'out of scope'];
/** `| 3 | Masked path … | held | device-swapped-for-link | note |` */
const ROW = /^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$/gm;
const CLASSES = 47;

const text = await readFile(new URL('../../THREAT_MODEL.md', import.meta.url), 'utf8');
const rows = [...text.matchAll(ROW)].map(([, number = '', , verdict = '', test = '', note = '']) => ({
  number: Number(number),
  verdict: verdict.trim(),
  test: test.trim().replaceAll('`', ''),
  note: note.trim(),
}));

it('THREAT_MODEL.md has every class once, in order', () => {
  assert.deepEqual(
    rows.map(({ number }) => number),
    Array.from({ length: CLASSES }, (_, index) => index + 1),
  );
});

it('each verdict is one of the known ones, and one without a test says why', () => {
  for (const { number, verdict, test, note } of rows) {
    assert.ok(VERDICTS.includes(verdict), `${number}: ${verdict}`);
    assert.ok(
      test !== '–' || (!['held', 'bounded'].includes(verdict) && note !== ''),
      `${number} has no test and no reason`,
    );
  }
});

it('the tests that it names are the files of attacks, all of them', async () => {
  const files = (await readdir(new URL('./attacks/', import.meta.url))).map((file) => file.replace(/\.ts$/, ''));
  const named = rows.map(({ test }) => test).filter((test) => test !== '–');
  assert.deepEqual([...new Set(named)].sort(), files.sort());
});

it('the first line of each says what would happen if the attack worked', async () => {
  const folder = new URL('./attacks/', import.meta.url);
  for (const file of await readdir(folder)) {
    const source = await readFile(new URL(file, folder), 'utf8');
    assert.match(source, /^\/\/ If this worked: .{30,}\.\n/, file);
  }
});
