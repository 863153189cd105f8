import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { benchDetect, formatBenchDetect } from './detect.ts';

describe('benchDetect()', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-detect-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function file(name: string, content: string | Buffer): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  const SAMPLES = [
    { language: 'py', content: 'import os\nfor name in os.listdir("."):\n    print(name)' },
    { language: 'python', content: 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(1) }' },
    { language: 'python', content: '???' },
  ];
  const lines = SAMPLES.map((sample) => JSON.stringify(sample)).join('\n');

  it('gives exactly the figures that were promised, packed or not, by any name of a language', async () => {
    for (const path of [await file('a.jsonl', lines), await file('a.jsonl.gz', gzipSync(lines))]) {
      const { p50Ms, p95Ms, unsure, ...rest } = await benchDetect(path);
      assert.deepEqual(
        { ...rest, accuracy: rest.accuracy >= 0.3333 },
        {
          accuracy: true,
          total: 3,
          confidentWrong: 1,
          byLanguage: {
            py: { accuracy: 1, total: 1, confidentWrong: 0 },
            python: { ...rest.byLanguage.python, total: 2, confidentWrong: 1 },
          },
        },
      );
      assert.equal(unsure, 1);
      assert.ok(p50Ms > 0 && p95Ms >= p50Ms);
    }
  });

  it('shows them as a table', async () => {
    assert.match(formatBenchDetect(await benchDetect(await file('b.jsonl', lines))), /^all +[\d.]+ % of +3 /m);
  });

  it('refuses a file that is not there, no JSON, or without the fields', async () => {
    await assert.rejects(benchDetect(join(folder, 'none')), { code: 'INVALID_INPUT' });
    await assert.rejects(benchDetect(await file('c', 'nonsense')), { code: 'INVALID_INPUT' });
    await assert.rejects(benchDetect(await file('d', '{"language":"c"}')), { code: 'INVALID_INPUT' });
  });
});

const data = process.env.SALLYPORT_TEST_DATA;
const absent = data === undefined ? 'SALLYPORT_TEST_DATA names no folder with the outside data' : false;
const COMMONEST = 'python javascript typescript bash java c cpp csharp go rust ruby php kotlin swift r'.split(' ');

describe('detection on samples by others', { skip: absent }, () => {
  it('reaches what the product promises', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-detect-'));
    try {
      const packed = await readFile(join(data as string, 'langdetect', 'samples.jsonl.gz'));
      const samples = gunzipSync(packed).toString('utf8').trim().split('\n');
      const common = samples.filter((line) => COMMONEST.includes((JSON.parse(line) as { language: string }).language));
      await writeFile(join(folder, 'all'), samples.join('\n'));
      await writeFile(join(folder, 'common'), common.join('\n'));
      const all = await benchDetect(join(folder, 'all'));
      const commonest = await benchDetect(join(folder, 'common'));
      assert.ok(all.accuracy >= 0.9, `all: ${all.accuracy}`);
      assert.ok(commonest.accuracy >= 0.92, `commonest: ${commonest.accuracy}`);
      assert.ok(commonest.confidentWrong / commonest.total < 0.01, `sure and wrong: ${commonest.confidentWrong}`);
      assert.ok(all.p50Ms <= 20, `median ${all.p50Ms} ms`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
