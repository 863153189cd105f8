import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createToolIndex, parametersOf } from '#gateway/search/index';
import { type BenchSearchReport, benchSearch, formatBenchSearch } from './search.ts';

describe('benchSearch()', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-search-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function file(name: string, lines: readonly unknown[]): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\r\n'));
    return path;
  }

  const TOOLS = [
    { id: 'a1', server: 'a', name: 'create_issue', description: 'Create an issue' },
    {
      id: 'a2',
      server: 'a',
      name: 'close_issue',
      description: 'Close an issue',
      input_schema: { properties: { number: {} } },
    },
    { id: 'b1', server: 'b', name: 'send_mail', description: 'Send a letter' },
    { id: 'b2', server: 'b', name: 'send_post', description: 'Send a letter on paper' },
  ];

  it('gives exactly the figures that were promised', async () => {
    const tools = await file('tools.jsonl', TOOLS);
    const queries = await file('queries.jsonl', [{ id: 'q', query: 'create_issue', gold: ['a1'] }]);
    const { p50Ms, p95Ms, ...rest } = await benchSearch({ tools, queries });
    assert.deepEqual(rest, { 'recall@1': 1, 'recall@5': 1, 'recall@10': 1, 'ndcg@10': 1, tools: 4, queries: 1 });
    assert.ok(p50Ms > 0 && p95Ms >= p50Ms);
  });

  it('counts a group once, whichever member is found, and leaves out queries without gold', async () => {
    const tools = await file('tools.jsonl', TOOLS);
    const queries = await file('queries.jsonl', [
      { query: 'create_issue', gold: ['a1', 'zz'], gold_groups: [['zz', 'a1']] },
      { query: 'send_mail', gold: ['b1', 'missing'] },
      { query: 'nothing', gold: [] },
      { query: 'nothing', gold: ['a1'], gold_groups: [[]] },
      { query: 'nothing' },
    ]);
    const report = await benchSearch({ tools, queries });
    assert.equal(report.queries, 2);
    assert.equal(report['recall@5'], 0.75);
    assert.equal(report['ndcg@10'], 0.8066);
  });

  it('adds the distractors to the catalogue, and reads files with a mark, CRLF and blank lines', async () => {
    const tools = await file('tools.jsonl', [`\uFEFF${JSON.stringify(TOOLS[0])}`, '', '  ']);
    const distractors = await file('more.jsonl', TOOLS.slice(1));
    const queries = await file('queries.jsonl', [{ query: 'send_mail', gold: ['a1'] }]);
    const report = await benchSearch({ tools, queries, distractors });
    assert.deepEqual([report.tools, report['recall@1']], [4, 0]);
  });

  it('names the file and the line that it cannot read', async () => {
    const queries = await file('queries.jsonl', [{ query: 'x', gold: ['a1'] }]);
    for (const broken of ['{"id":', '[1]', 'null', '"text"']) {
      const tools = await file('broken.jsonl', [TOOLS[0], broken]);
      await assert.rejects(benchSearch({ tools, queries }), { code: 'INVALID_INPUT', message: /broken\.jsonl:2/ });
    }
    await assert.rejects(benchSearch({ tools: join(folder, 'absent'), queries }), { code: 'INVALID_INPUT' });
  });

  it('formatBenchSearch() shows one figure a line', () => {
    const report = {
      'recall@1': 0.5,
      'recall@5': 0.75,
      'recall@10': 1,
      'ndcg@10': 0.6,
      p50Ms: 0.2,
      p95Ms: 1,
      tools: 527,
      queries: 33,
    };
    assert.equal(
      formatBenchSearch(report),
      'recall@1   0.500\nrecall@5   0.750\nrecall@10  1.000\nndcg@10    0.600\np50Ms       0.20\np95Ms       1.00\ntools        527\nqueries       33',
    );
  });
});

const data = process.env.SALLYPORT_TEST_DATA;
const absent = data === undefined ? 'SALLYPORT_TEST_DATA names no folder with the outside data' : false;
const from = (path: string): string => join(data ?? '', path);

const LIVE = 'retrieval-livemcpbench/tools.jsonl';
const OTHERS = 'corpus-mcp-zero/tools.jsonl';

interface Floor {
  readonly what: string;
  readonly tools: string;
  readonly queries: string;
  readonly distractors?: string;
  readonly recallAt5: number;
  /** How much better than plain BM25 on the same files. */
  readonly better: number;
}

/**
 * The goals for search strings and whole tasks, 0.54 and 0.35, are those of the full benchmark, where plain BM25 has 0.49 and
 * 0.32. A sample has its own level (plain BM25 finds 0.35 of these search strings), so the distance to plain BM25 is held too.
 */
const FLOORS: readonly Floor[] = [
  {
    what: 'search strings',
    tools: LIVE,
    queries: 'retrieval-livemcpbench/llm_search_queries.jsonl',
    recallAt5: 0.46,
    better: 0.05,
  },
  { what: 'whole tasks', tools: LIVE, queries: 'retrieval-livemcpbench/queries.jsonl', recallAt5: 0.42, better: 0.03 },
  {
    what: 'search strings among many',
    tools: LIVE,
    queries: 'retrieval-livemcpbench/llm_search_queries.jsonl',
    distractors: OTHERS,
    recallAt5: 0.42,
    better: 0.05,
  },
  {
    what: 'whole tasks among many',
    tools: LIVE,
    queries: 'retrieval-livemcpbench/queries.jsonl',
    distractors: OTHERS,
    recallAt5: 0.33,
    better: 0.03,
  },
  {
    what: 'paraphrases',
    tools: 'retrieval-metatool/tools.jsonl',
    queries: 'retrieval-metatool/queries.single.sample.jsonl',
    recallAt5: 0.72,
    better: 0.08,
  },
  {
    what: 'paraphrases for two tools',
    tools: 'retrieval-metatool/tools.jsonl',
    queries: 'retrieval-metatool/queries.multi.jsonl',
    recallAt5: 0.72,
    better: 0.15,
  },
  {
    what: 'nested tasks',
    tools: 'retrieval-seal-tools/tools.jsonl',
    queries: 'retrieval-seal-tools/queries.test_in_domain.jsonl',
    recallAt5: 0.91,
    better: 0.04,
  },
  {
    what: 'nested tasks of new kinds',
    tools: 'retrieval-seal-tools/tools.jsonl',
    queries: 'retrieval-seal-tools/queries.test_out_domain.jsonl',
    recallAt5: 0.87,
    better: 0.04,
  },
  {
    what: 'function calls',
    tools: 'retrieval-bfcl/live_multiple.tools.jsonl',
    queries: 'retrieval-bfcl/live_multiple.queries.jsonl',
    recallAt5: 0.89,
    better: 0.03,
  },
];

describe('search on outside data', { skip: absent }, () => {
  for (const floor of FLOORS) {
    it(`finds ${floor.what} with recall@5 of at least ${floor.recallAt5}, and ${floor.better} better than plain BM25`, async (test) => {
      const files = {
        tools: from(floor.tools),
        queries: from(floor.queries),
        distractors: floor.distractors === undefined ? undefined : from(floor.distractors),
      };
      const report = await benchSearch(files);
      const plain = await plainRecallAt5(files);
      test.diagnostic(`${JSON.stringify(report)} plain BM25 ${plain.toFixed(3)}`);
      assert.ok(report['recall@5'] >= floor.recallAt5, `recall@5 is ${report['recall@5']}`);
      assert.ok(
        report['recall@5'] >= plain + floor.better,
        `recall@5 is ${report['recall@5']}, plain BM25 has ${plain}`,
      );
      assertFast(report);
    });
  }
});

describe('names on outside data', { skip: absent }, () => {
  /** Every so many tools; a prime, so that no pattern of the files is met. */
  const STRIDE = 11;

  it('finds every tool first by its exact name, and by server and name', async () => {
    const files = [LIVE, OTHERS, 'retrieval-metatool/tools.jsonl', 'retrieval-seal-tools/tools.jsonl'];
    const tools = (await Promise.all(files.map((file) => readLines<PlainTool>(from(file))))).flat();
    const index = createToolIndex(tools);
    for (const { server, name } of tools.filter((_, at) => at % STRIDE === 0)) {
      assert.equal(index.search(name, { limit: 1 }).hits[0]?.tool.name, name);
      if (server === '') continue;
      const { hits } = index.search(`${server}.${name}`, { limit: 1 });
      assert.deepEqual([hits[0]?.tool.server, hits[0]?.tool.name], [server, name]);
    }
  });
});

/** The goal is 10 ms; a machine that runs other tests beside this one gets some air. */
function assertFast({ p50Ms, p95Ms }: BenchSearchReport): void {
  assert.ok(p50Ms <= 10 && p95Ms <= 50, `p50 is ${p50Ms} ms, p95 ${p95Ms} ms`);
}

interface PlainTool {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: unknown;
}

interface PlainQuery {
  readonly query: string;
  readonly gold?: readonly string[];
  readonly gold_groups?: ReadonlyArray<readonly string[]>;
}

/** BM25 as in the textbook (k1 1.2, b 0.75): camel case split, plural and verb endings cut, all fields in one. */
async function plainRecallAt5(files: {
  tools: string;
  queries: string;
  distractors: string | undefined;
}): Promise<number> {
  const tools = [
    ...(await readLines<PlainTool>(files.tools)),
    ...(files.distractors === undefined ? [] : await readLines<PlainTool>(files.distractors)),
  ];
  const documents = tools.map((tool) => countWords(textOf(tool)));
  const frequency = new Map<string, number>();
  for (const { counts } of documents)
    for (const word of counts.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const length = documents.reduce((sum, document) => sum + document.length, 0) / documents.length;

  const recalls: number[] = [];
  for (const line of await readLines<PlainQuery>(files.queries)) {
    const groups = line.gold_groups ?? (line.gold ?? []).map((id) => [id]);
    if (groups.length === 0) continue;
    const asked = countWords(line.query).counts;
    const scored = documents.map((document, index) => {
      let score = 0;
      for (const word of asked.keys()) {
        const count = document.counts.get(word);
        if (count === undefined) continue;
        const having = frequency.get(word) ?? 0;
        const rarity = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
        score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * document.length) / length));
      }
      return { id: tools[index]?.id ?? '', score };
    });
    const top = new Set(
      scored
        .sort((a, b) => b.score - a.score)
        .slice(0, 5)
        .map(({ id }) => id),
    );
    recalls.push(groups.filter((group) => group.some((id) => top.has(id))).length / groups.length);
  }
  return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
}

async function readLines<Line>(path: string): Promise<Line[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Line);
}

function textOf({ server, name, description = '', input_schema }: PlainTool): string {
  const parameters = parametersOf(input_schema).map((parameter) => `${parameter.name} ${parameter.description ?? ''}`);
  return [server, name, description, ...parameters].join(' ');
}

function countWords(text: string): { counts: Map<string, number>; length: number } {
  const split = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  const words = (split.match(/[a-z0-9]+|[\u4e00-\u9fff]/g) ?? []).map((word) =>
    word.length > 3 ? word.replace(/ies$/, 'y').replace(/(?:ing|ed|es|s)$/, '') : word,
  );
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}
