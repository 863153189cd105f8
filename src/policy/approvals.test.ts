import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FilledForm, type Form, formOf, readForm } from './approval-form.ts';
import { ApprovalDesk, type ApprovalWish, type ShowForm } from './approvals.ts';
import { KeptApprovals } from './kept-approvals.ts';

const LONG_MS = 60_000;
const call = { server: 'github', tool: 'delete_repo', args: { name: 'x' }, session: 'work', caller: 'tests' };
const accept = (content: Record<string, string>): FilledForm => ({ action: 'accept', content });

describe('formOf()', () => {
  it('lists the calls, and has one field for each tool', () => {
    const form = formOf([call, { ...call, args: {} }, { ...call, tool: 'merge' }]);
    assert.equal(
      form.message,
      'A program (tests, session work) wants to call:\n  github.delete_repo {"name":"x"}\n  github.delete_repo {}\n  github.merge {"name":"x"}',
    );
    assert.deepEqual(form.requestedSchema.required, ['decision', 'decision_2']);
    assert.deepEqual(form.requestedSchema.properties.decision_2?.enum, ['once', 'session', 'always', 'deny']);
  });

  it('lets nobody write lines of their own into the question', () => {
    const { message } = formOf([{ ...call, tool: 'x\nfine.tool {}', args: { a: '\u202e\u001b[31m' } }]);
    assert.equal(message.split('\n').length, 2);
    assert.match(message, /github\.x\\u\{a\}fine\.tool \{\} \{"a":"\\u\{202e\}/);
  });
});

describe('readForm()', () => {
  const two = [call, { ...call, tool: 'merge' }];
  const cases: ReadonlyArray<readonly [what: string, filled: FilledForm, expected: string[]]> = [
    ['takes each tool by its field', accept({ decision: 'once', decision_2: 'always' }), ['once', 'always']],
    ['takes what is missing as no', accept({ decision: 'session' }), ['session', 'deny']],
    ['takes what it does not know as no', accept({ decision: 'yes', decision_2: 'ALWAYS' }), ['deny', 'deny']],
    ['takes a declined form as no', { action: 'decline', content: { decision: 'once' } }, ['deny', 'deny']],
    ['takes a dismissed form as no', { action: 'cancel' }, ['deny', 'deny']],
  ];
  for (const [what, filled, expected] of cases) it(what, () => assert.deepEqual(readForm(two, filled), expected));
});

describe('ApprovalDesk', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-approvals-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  let states = 0;
  const openDesk = (askMs = LONG_MS) => {
    const stateDir = join(folder, String(states++));
    return { desk: new ApprovalDesk(askMs, new KeptApprovals(stateDir)), stateDir };
  };
  const wishFor = (more: Partial<ApprovalWish> = {}): ApprovalWish => ({
    ...call,
    fingerprint: 'f',
    sessionKey: {},
    runKey: {},
    show: undefined,
    signal: new AbortController().signal,
    ...more,
  });
  const pendingIds = async (desk: ApprovalDesk, count: number): Promise<string[]> => {
    for (let tries = 0; tries < 500 && desk.list().length !== count; tries += 1)
      await new Promise((go) => setTimeout(go, 5));
    return desk.list().map(({ id }) => id);
  };

  it('shows calls that ask together on one form', async () => {
    const { desk } = openDesk();
    const forms: Form[] = [];
    const show: ShowForm = async (form) => {
      forms.push(form);
      return accept({ decision: 'once', decision_2: 'deny' });
    };
    const runKey = {};
    const verdicts = await Promise.all(['a', 'b', 'a'].map((tool) => desk.ask(wishFor({ tool, runKey, show }))));
    assert.equal(forms.length, 1);
    assert.deepEqual(verdicts, [
      { kind: 'allow', approval: 'once' },
      { kind: 'deny', why: 'declined' },
      { kind: 'allow', approval: 'once' },
    ]);
  });

  it('shows no more than ten calls on a form', async () => {
    const { desk } = openDesk();
    const lines: number[] = [];
    const show: ShowForm = async (form) => {
      lines.push(form.message.split('\n').length - 1);
      return accept({ decision: 'once' });
    };
    const runKey = {};
    await Promise.all(Array.from({ length: 23 }, () => desk.ask(wishFor({ runKey, show }))));
    assert.deepEqual(lines, [10, 10, 3]);
  });

  it('asks again after once, not after session in the same session', async () => {
    const { desk } = openDesk();
    const answers = ['once', 'session', 'deny'];
    let asked = 0;
    const show: ShowForm = async () => accept({ decision: answers[asked++] as string });
    const sessionKey = {};
    for (let times = 0; times < 4; times += 1) {
      assert.equal((await desk.ask(wishFor({ sessionKey, show }))).kind, 'allow');
    }
    assert.equal(asked, 2);
    assert.equal((await desk.ask(wishFor({ show }))).kind, 'deny', 'another session is another matter');
  });

  it('keeps what is allowed for good, for this server only, where others cannot read it', async () => {
    const { desk, stateDir } = openDesk();
    const show: ShowForm = async () => accept({ decision: 'always' });
    await desk.ask(wishFor({ show }));
    const kept = new KeptApprovals(stateDir);
    const later = new ApprovalDesk(5, kept);
    assert.deepEqual(await later.ask(wishFor()), { kind: 'allow', approval: 'always' });
    assert.deepEqual(await later.ask(wishFor({ fingerprint: 'other' })), { kind: 'deny', why: 'expired' });
    assert.equal((await stat(join(stateDir, 'approvals.json'))).mode & 0o777, 0o600);
    assert.equal(await kept.forget('github', 'delete_repo'), 1);
    assert.deepEqual(await later.ask(wishFor()), { kind: 'deny', why: 'expired' });
  });

  it('takes the first answer, and takes the form away when it came from elsewhere', async () => {
    const { desk } = openDesk();
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    const { promise: shown, resolve: noteShown } = Promise.withResolvers<void>();
    const show: ShowForm = (_form, signal) => {
      noteShown();
      return new Promise(() => signal.addEventListener('abort', () => resolve()));
    };
    const verdict = desk.ask(wishFor({ show }));
    await shown;
    const [id = ''] = await pendingIds(desk, 1);
    assert.equal(await desk.answer(id, 'once'), true);
    assert.deepEqual(await verdict, { kind: 'allow', approval: 'once' });
    await taken;
    assert.equal(await desk.answer(id, 'deny'), false, 'a second answer changes nothing');
  });

  it('answers every waiting call of the tool with one word for the session', async () => {
    const { desk } = openDesk();
    const sessionKey = {};
    const both = [desk.ask(wishFor({ sessionKey })), desk.ask(wishFor({ sessionKey }))];
    const [id = ''] = await pendingIds(desk, 2);
    await desk.answer(id, 'session');
    assert.deepEqual(
      (await Promise.all(both)).map(({ kind }) => kind),
      ['allow', 'allow'],
    );
  });

  it('denies what nobody answers in time', async () => {
    assert.deepEqual(await openDesk(5).desk.ask(wishFor()), { kind: 'deny', why: 'expired' });
  });

  it('denies what a client cannot show', async () => {
    const show: ShowForm = async () => {
      throw new Error('no such method');
    };
    assert.deepEqual(await openDesk().desk.ask(wishFor({ show })), { kind: 'deny', why: 'unreachable' });
  });

  it('forgets the question of a call that has ended', async () => {
    const { desk } = openDesk();
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    const show: ShowForm = (_form, signal) => new Promise(() => signal.addEventListener('abort', () => resolve()));
    const ending = new AbortController();
    const verdict = desk.ask(wishFor({ show, signal: ending.signal }));
    await pendingIds(desk, 1);
    setTimeout(() => ending.abort(new Error('the run has ended')), 50);
    await assert.rejects(verdict, /the run has ended/);
    assert.deepEqual(desk.list(), []);
    await taken;
  });
});
