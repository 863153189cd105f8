/** One suite for every language that is ready here. What a language lacks it declares, and it is checked to be still so. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import type { CommandLanguage, Lack } from '../../src/languages/language.ts';
import { COMMAND_LANGUAGES } from '../../src/languages/registry.ts';
import { answerOf, type Connection, callRunCode, connect, MAIN, metaOf, type RunArguments } from '../support/client.ts';
import { type LanguageFixture, languageFixture } from '../support/language-fixtures.ts';
import { testedLanguages } from './tested.ts';

const ARGS = ['', 'two words', '$(id)', '"\'`', 'line\nbreak', '-v', '--', 'ünï', '*'];
const BIG_BYTES = 1_000_000;
const PATIENCE_S = 60;

const wanted = process.env.SALLYPORT_TEST_LANGUAGES?.split(',');
const { ready, missing, slow } = testedLanguages();
const isFull = process.env.SALLYPORT_TEST_FULL === '1';

let connection: Connection;
before(async () => {
  connection = await connect({ flags: ['--sandbox', 'bubblewrap', '--warm', 'off'] });
});
after(async () => await connection[Symbol.asyncDispose]());

describe('languages', { concurrency: 2 }, () => {
  for (const language of COMMAND_LANGUAGES.filter(({ id }) => ready.has(id) && (wanted?.includes(id) ?? true))) {
    describeLanguage(language, languageFixture(language.id));
  }
  for (const [id, reason] of missing) {
    if (wanted?.includes(id) ?? true) it(`${id} passes the suite`, { skip: reason }, () => {});
  }
});

function describeLanguage(language: CommandLanguage, fixture: LanguageFixture | undefined): void {
  const { id } = language;
  const lacks = (lack: Lack) => language.lacks?.includes(lack) ?? false;
  const run = (input: Partial<RunArguments>) =>
    callRunCode(connection.client, { language: id, session: `of-${id}`, timeout: PATIENCE_S, ...input });
  /** The program in one of its modes, which are programs of their own where there are no arguments. */
  const mode = (name: 'echo' | 'big' | 'loop') =>
    lacks('args')
      ? { code: fixture?.read(name === 'echo' ? 'program' : name) as string }
      : { code: fixture?.read('program') as string, args: [name] };

  describe(id, { concurrency: 1 }, () => {
    it('has programs to be tested with', () => assert.ok(fixture));
    if (!fixture) return;

    it('takes arguments, input and files, and tells output, errors and exit code', async () => {
      const { code, args = [] } = mode('echo');
      const result = await run({
        code,
        args: [...args, ...ARGS],
        stdin: 'one\nzwei ü\n',
        files: { 'in.txt': 'from the workspace\n' },
      });
      const { out, notes, failed } = answerOf(result);
      const expected = [
        'hello, wörld ✓\n',
        ...(lacks('args')
          ? []
          : ARGS.filter((arg) => arg !== '--' || !lacks('double-dash')).map((arg) => `[${arg}]\n`)),
        ...(lacks('stdin') ? [] : ['> one\n', '> zwei ü\n']),
        ...(lacks('files') ? [] : ['from the workspace\n']),
      ].join('');
      assert.equal(out, fixture.expected ?? expected, notes);
      assert.equal(metaOf(result).exitCode, lacks('exit-code') ? 0 : 3, notes);
      assert.equal(failed, !lacks('exit-code'));
      assert.equal(notes.includes('stderr: on stderr'), !lacks('stderr'), notes);
      assert.equal(notes.includes('files: out.txt (8 B)'), !lacks('files'), notes);
    });

    it('prints much', async () => {
      const result = await run(mode('big'));
      assert.equal(metaOf(result).exitCode, 0, answerOf(result).notes);
      if (lacks('files')) return;
      const { runId } = metaOf(result);
      const kept = await connection.client.readResource({ uri: `sallyport://runs/${runId}/stdout` });
      const [contents] = kept.contents;
      assert.equal(contents && 'text' in contents ? contents.text.length : 0, BIG_BYTES);
    });

    it('is stopped when it does not end, and the session lives on', async () => {
      if (lacks('endless-loop')) return;
      const result = await run({ ...mode('loop'), timeout: 1.5 });
      assert.equal(metaOf(result).stop, 'timeout', answerOf(result).notes);
      assert.doesNotMatch(answerOf(result).notes, /^session:/m);
    });

    // Each of the following is a program of its own, for which slow compilers take many seconds.
    if (slow.has(id) && !isFull) return;

    it('tells the line of an error', async () => {
      const result = await run({ code: fixture.read('broken') as string });
      const { notes, failed } = answerOf(result);
      assert.ok(failed, notes);
      const told = new RegExp(`(?<!\\d)${fixture.errorLine}(?!\\d)`).test(notes);
      assert.equal(told, !lacks('error-line'), notes);
    });

    it('checks without running', async () => {
      const verdict = await check(id, fixture.read('broken') as string);
      if (lacks('check')) return assert.equal(verdict.error?.code, 'INVALID_INPUT', JSON.stringify(verdict));
      assert.equal(verdict.ok, false);
      assert.equal(verdict.line, fixture.errorLine, JSON.stringify(verdict));
      assert.equal((await check(id, fixture.read('program') as string)).ok, true);
    });

    it('runs programs of several files', async () => {
      if (!fixture.modules) return assert.ok(lacks('modules'), 'no modules to be tested with, and no such lack');
      const result = await run(fixture.modules);
      assert.match(answerOf(result).out, /sum 5|width: 5px/, answerOf(result).notes);
    });
  });
}

interface Verdict {
  readonly ok?: boolean;
  readonly line?: number;
  readonly error?: { readonly code: string };
}

function check(language: string, code: string): Promise<Verdict> {
  const args = [MAIN, 'run', '--check', '--json', '--state', connection.stateDir, '-l', language, '-'];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, (_error, stdout) => resolve(JSON.parse(stdout) as Verdict));
    child.stdin?.end(code);
  });
}
