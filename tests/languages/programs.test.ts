/**
 * Programs that others wrote, with what they print (`SALLYPORT_TEST_DATA`): what passes with the bare toolchain passes behind the
 * wall, byte for byte. A sample by default, everything with the full counts.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { findLanguage } from '../../src/languages/registry.ts';
import { answerOf, type Connection, callRunCode, connect } from '../support/client.ts';
import { testedLanguages } from './tested.ts';

const DATA = process.env.SALLYPORT_TEST_DATA;
const isFull = process.env.SALLYPORT_TEST_FULL === '1';
/** Of the cases that pass with the bare toolchain. */
const SHARE_MIN = 0.99;
const BARE_MS = 60_000;
const WORKERS = 2;
/** A sample has one program of a language, and its first cases; whole, all of them. */
const SAMPLE = isFull ? { programs: Infinity, cases: 3 } : { programs: 1, cases: 1 };

interface Program {
  readonly id: string;
  readonly language: string;
  readonly file: string;
  readonly build: string | null;
  readonly cmd: string;
  readonly source: string;
  readonly cases: ReadonlyArray<{ readonly args: string | null; readonly expected: unknown }>;
}

/** What they are called there, and how they are started where the given line does not fit this system. */
const NAMES: Readonly<Record<string, { id: string; cmd?: string; build?: string }>> = {
  'c-plus-plus': { id: 'cpp' },
  'x86-64': { id: 'assembly' },
  lua: { id: 'lua', cmd: 'lua5.4 {file}' },
  scheme: { id: 'scheme', cmd: 'guile --no-auto-compile -s {file}' },
  ocaml: { id: 'ocaml', cmd: 'ocaml {file}' },
  d: { id: 'd', build: 'ldc2 -of={stem} {file}', cmd: './{stem}' },
  c: { id: 'c', build: 'gcc -o {stem} {file} -pthread -lm' },
  nim: { id: 'nim', build: 'nim c --hints:off {file}' },
  clojure: { id: 'clojure', cmd: 'clojure {file}' },
};

const { ready, slow } = testedLanguages();
let connection: Connection;
before(async () => {
  connection = await connect({ flags: ['--sandbox', 'bubblewrap', '--warm', 'off'] });
});
after(async () => await connection[Symbol.asyncDispose]());

it('programs print behind the wall what they print with the bare toolchain', {
  skip: DATA ? false : 'SALLYPORT_TEST_DATA is not set',
}, async () => {
  const waiting = await chosenPrograms(DATA as string);
  assert.ok(waiting.length > 10, `only ${waiting.length} programs`);
  const counts = { passed: 0, failed: [] as string[] };
  const work = async () => {
    for (let program = waiting.shift(); program; program = waiting.shift()) await compare(program, counts);
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const share = counts.passed / (counts.passed + counts.failed.length);
  assert.ok(share >= SHARE_MIN, `${counts.passed} passed; others:\n${counts.failed.join('\n')}`);
});

async function chosenPrograms(data: string): Promise<Program[]> {
  const files = ['noargs', 'withargs'].map((name) =>
    join(data, 'programs-sample-programs', `programs.${name}.jsonl.gz`),
  );
  const texts = await Promise.all(files.map(async (file) => gunzipSync(await readFile(file)).toString('utf8')));
  const programs = texts.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Program),
  );
  const byLanguage = Map.groupBy(
    programs.filter((program) => isTested(program)),
    ({ language }) => language,
  );
  // The last ones take arguments, where the language has any.
  return [...byLanguage.values()].flatMap((list) => list.slice(-Math.min(SAMPLE.programs, list.length)));
}

function isTested({ language, cmd }: Program): boolean {
  const id = idOf(language);
  return cmd !== null && id !== undefined && ready.has(id) && (isFull || !slow.has(id)) && !/sh -c|bash -c/.test(cmd);
}

function idOf(language: string): string | undefined {
  return findLanguage(NAMES[language]?.id ?? language)?.id;
}

async function compare(program: Program, counts: { passed: number; failed: string[] }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bare-'));
  try {
    await writeFile(join(folder, program.file), program.source);
    const named = NAMES[program.language];
    const build = named?.build ?? program.build;
    if (build !== null && (await bare(folder, fill(build, program))).code !== 0) return;
    for (const { args, expected } of program.cases.slice(0, SAMPLE.cases)) {
      const words = args ?? '';
      const native = await bare(folder, `${fill(named?.cmd ?? program.cmd, program)} ${words}`);
      if (typeof expected !== 'string' || `${native.stdout}${native.stderr}`.trim() !== expected.trim()) continue;
      const result = await callRunCode(connection.client, {
        language: idOf(program.language),
        session: `programs-${idOf(program.language)}`,
        code: program.source,
        args: shellWords(words),
        timeout: BARE_MS / 1000,
      });
      const { out, notes } = answerOf(result);
      if (out === (native.stdout || '(no output)')) counts.passed += 1;
      else counts.failed.push(`${program.id} ${words}: ${JSON.stringify(out.slice(0, 200))} ${notes.slice(0, 300)}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function fill(template: string, { file }: Program): string {
  const stem = file.replace(/\.[^.]*$/, '');
  return template
    .replaceAll(/\{\{ *source\.name *\}\}/g, stem)
    .replaceAll(/\{\{ *source\.extension *\}\}/g, file.slice(stem.length))
    .replaceAll('{file}', file)
    .replaceAll('{stem}', stem);
}

function bare(cwd: string, line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      '/bin/sh',
      ['-c', line],
      { cwd, timeout: BARE_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** The words of a line with quotes, as a shell reads it. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? plain ?? '',
  );
}
