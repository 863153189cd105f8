/** Rules, the person who is asked, budgets, the audit log and secrets, as a caller of either era sees them. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { answerOf, type Connection, callRunCode, connect, type Era, metaOf } from '../support/client.ts';
import { sallyport } from '../support/command.ts';

const GUARDED = fileURLToPath(new URL('../fixtures/upstream/guarded.mjs', import.meta.url));
const SECRET = 'hush/hush+4711';
const ELICITATION: ClientCapabilities = { elicitation: { form: {} } };

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-policy-'));
});
after(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function configWith(policy: readonly object[] = [], more: object = {}): Promise<string> {
  const file = join(folder, `config-${files++}.json`);
  const guarded = { command: process.execPath, args: [GUARDED], env: { API_TOKEN: SECRET } };
  await writeFile(file, JSON.stringify({ mcpServers: { guarded }, policy, ...more }));
  return file;
}

interface Asked {
  readonly message: string;
  readonly fields: string[];
}

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

interface Setting {
  readonly era?: Era;
  readonly policy?: readonly object[];
  readonly flags?: readonly string[];
  readonly config?: object;
  /** Undefined: a client that can ask nobody. */
  readonly answer?: (asked: Asked) => Answer | Promise<Answer>;
}

async function open({ era = 'legacy', policy = [], flags = [], config = {}, answer }: Setting): Promise<Connection> {
  return await connect({
    era,
    flags: ['--config', await configWith(policy, config), ...flags],
    env: { HOME: folder },
    ...(answer && {
      capabilities: ELICITATION,
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          const { message, requestedSchema } = params as { message: string; requestedSchema: { properties: object } };
          return await answer({ message, fields: Object.keys(requestedSchema.properties) });
        }),
    }),
  });
}

const python = async ({ client }: Connection, code: string, more = {}) =>
  answerOf(await callRunCode(client, { language: 'python', code, ...more }));

const WIPE = 'print(mcp.guarded.wipe(name="x"))';
const accept = (decision: string, ...others: string[]): Answer => ({
  action: 'accept',
  content: { decision, ...Object.fromEntries(others.map((other, index) => [`decision_${index + 2}`, other])) },
});

const CATCH_WIPE = 'try:\n    mcp.guarded.wipe(name="x")\nexcept mcp.ToolError as e:\n    print(e.code, e)';

for (const era of ['legacy', 'modern'] as const) {
  describe(`a person behind a client of the ${era} era`, () => {
    const seen: Asked[] = [];
    let answer: () => Answer | Promise<Answer>;
    let connection: Connection;
    let sessions = 0;
    before(async () => {
      const ask = (asked: Asked) => {
        seen.push(asked);
        return answer();
      };
      connection = await open({ era, flags: ['--ask-timeout', '4s'], answer: ask });
    });
    after(() => connection[Symbol.asyncDispose]());
    beforeEach(() => {
      seen.length = 0;
      sessions += 1;
    });
    const run = (code: string, more = {}) => python(connection, code, { session: `s${sessions}`, ...more });

    it('is shown server, tool and arguments, and what they allow happens', async () => {
      answer = () => accept('once');
      const { out, notes } = await run(`mcp.guarded.wipe(name="${SECRET}")\n${WIPE}`);
      assert.equal(out, 'wiped x\n', notes);
      assert.deepEqual(
        seen.map(({ message, fields }) => [message.split('\n'), fields]),
        ['[secret API_TOKEN]', 'x'].map((name) => [
          [
            'A program (sallyport-tests 1.0.0, session s1) wants to call:',
            `  guarded.wipe ${JSON.stringify({ name })}`,
          ],
          ['decision'],
        ]),
      );
    });

    it('is asked once about calls that are made side by side', async () => {
      answer = () => accept('once', 'deny');
      const code = `
import asyncio
calls = [mcp.guarded.wipe(name="a"), mcp.guarded.wipe_more(name="b"), mcp.guarded.wipe(name="c")]
for result in await asyncio.gather(*calls, return_exceptions=True):
    print(getattr(result, "code", result))`;
      const { out, notes } = await run(code);
      assert.equal(out, 'wiped a\nPOLICY_DENIED\nwiped c\n', notes);
      assert.deepEqual(
        seen.map(({ fields }) => fields),
        [['decision', 'decision_2']],
      );
    });

    it('may allow a tool for the session, and is then asked again only elsewhere', async () => {
      answer = () => accept('session');
      await run(WIPE);
      assert.equal((await run(WIPE)).out, 'wiped x\n');
      assert.equal(seen.length, 1);
      await run(WIPE, { session: 'other' });
      assert.equal(seen.length, 2);
    });

    it('may say no, and the program can go on', async () => {
      answer = () => ({ action: 'decline' });
      assert.equal(
        (await run(CATCH_WIPE)).out,
        'POLICY_DENIED guarded.wipe may not be called: a person said no. A person can add {"tools":"guarded.wipe","do":"allow"} to "policy" in the config file\n',
      );
    });

    it('may put the question away, which is a no', async () => {
      answer = () => ({ action: 'cancel' });
      assert.match((await run(CATCH_WIPE)).out, /the question to a person was put away without an answer/);
    });

    it("takes as long as they like: the run's clock stands still", async () => {
      answer = async () => {
        await new Promise((resolve) => setTimeout(resolve, 2_500));
        return accept('once');
      };
      await run('mcp.guarded.look(name="up")');
      assert.equal((await run(WIPE, { timeout: 1.5 })).out, 'wiped x\n');
    });

    // In the later era the client holds the question; what is never answered there is answered by nobody's request.
    if (era === 'legacy') {
      it('who says nothing in time has said no', async () => {
        answer = () => new Promise<never>(() => {});
        assert.match((await run(CATCH_WIPE)).out, /a person was asked and did not answer within 4 s/);
      });
    }
  });
}

interface WaitingCall {
  readonly id: string;
  readonly tool: string;
}

/** What waits for a person, as another terminal sees it, once it is this many calls. */
async function untilWaiting(stateDir: string, count: number, tool?: string): Promise<WaitingCall[]> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { stdout } = await sallyport(['approvals', '--json'], { stateDir });
    const { waiting } = JSON.parse(stdout) as { waiting: WaitingCall[] };
    if (waiting.length === count && (tool === undefined || waiting[0]?.tool === tool)) return waiting;
  }
  throw new Error(`never ${count} calls waiting`);
}

describe('a client that can ask nobody', () => {
  it('gets a denial with the line to add', async () => {
    await using connection = await open({});
    const { notes, failed } = await python(connection, WIPE);
    assert.equal(failed, true);
    assert.match(
      notes,
      /guarded\.wipe may not be called: its server calls it destructive, and no rule allows it\. A person can add \{"tools":"guarded\.wipe","do":"allow"\} to "policy"/,
    );
  });

  it('may call as soon as the line was added', async () => {
    const file = await configWith();
    await using connection = await connect({ flags: ['--config', file], env: { HOME: folder } });
    assert.equal((await python(connection, WIPE)).failed, true);
    const config = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...config, policy: [{ tools: 'guarded.wipe', do: 'allow' }] }));
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal((await python(connection, WIPE)).out, 'wiped x\n');
  });

  it('waits for another terminal where a rule wants a person to be asked', async () => {
    await using connection = await open({
      policy: [{ tools: 'guarded.wipe*', do: 'ask' }],
      flags: ['--answer-after', '300ms'],
    });
    const { stateDir } = connection;
    await python(connection, `${WIPE}\nprint(mcp.guarded.wipe_more(name="y"))`, { timeout: 20 });
    const [first] = (await untilWaiting(stateDir, 1)) as [WaitingCall];
    const early = await python(connection, '', { timeout: 0.1 });
    assert.match(early.notes, /hint: the run waits for a person to answer a question/);
    assert.deepEqual(
      { ...first, id: 0, askedAt: 0, pid: 0 },
      {
        id: 0,
        server: 'guarded',
        tool: 'wipe',
        args: { name: 'x' },
        session: 'default',
        caller: 'sallyport-tests 1.0.0',
        askedAt: 0,
        pid: 0,
      },
    );
    const approved = await sallyport(['approvals', 'approve', first.id, 'always'], { stateDir });
    assert.deepEqual([approved.code, approved.stdout], [0, `${first.id}: allowed (always)\n`]);
    const [second] = (await untilWaiting(stateDir, 1, 'wipe_more')) as [WaitingCall];
    assert.equal((await sallyport(['approvals', 'deny', second.id], { stateDir })).code, 0);
    const late = await python(connection, '', { timeout: 20 });
    assert.match(late.out, /wiped x/);
    assert.match(late.notes, /guarded\.wipe_more may not be called: a person said no/);

    assert.match((await sallyport(['approvals'], { stateDir })).stdout, /Allowed for good:\n {2}guarded\.wipe /);
    const again = await sallyport(['approvals', 'approve', first.id], { stateDir });
    assert.deepEqual([again.code, /Nothing waits under/.test(again.stderr)], [125, true]);
    assert.equal((await python(connection, WIPE)).out, 'wiped x\n', 'allowed for good');
    await sallyport(['approvals', 'forget', 'guarded.wipe'], { stateDir });
    assert.doesNotMatch((await sallyport(['approvals'], { stateDir })).stdout, /Allowed for good/);
  });

  it('is one terminal, and another answers', async () => {
    const stateDir = await mkdtemp(join(folder, 'terminal-'));
    const config = await configWith([{ tools: 'guarded.wipe', do: 'ask' }]);
    const run = sallyport(['run', '--config', config, '-l', 'python', '-e', WIPE], { stateDir, env: { HOME: folder } });
    const [{ id }] = (await untilWaiting(stateDir, 1)) as [WaitingCall];
    assert.equal((await sallyport(['approvals', 'approve', id], { stateDir })).code, 0);
    const { stdout, stderr } = await run;
    assert.equal(stdout, 'wiped x\n');
    assert.equal(stderr, `guarded.wipe waits for you: sallyport approvals approve ${id}\n`);
  });

  it('withdraws the question of a run that was interrupted', async () => {
    await using connection = await open({ policy: [{ do: 'ask' }], flags: ['--answer-after', '300ms'] });
    const { stateDir } = connection;
    await python(connection, WIPE);
    await untilWaiting(stateDir, 1);
    await python(connection, '', { timeout: 0 });
    await untilWaiting(stateDir, 0);
  });

  it('has no way from inside to answer for the person', async () => {
    await using connection = await open({ policy: [{ tools: 'guarded.wipe', do: 'ask' }] });
    const code = `
import os
print(os.path.exists(${JSON.stringify(connection.stateDir)}), [f for f in os.listdir("/") if "sock" in f])
try:
    mcp.approvals.answer(id="x", approval="once")
except mcp.ToolError as e:
    print(e.code)`;
    const { out } = await python(connection, code);
    assert.equal(out, 'False []\nUPSTREAM_UNKNOWN\n');
  });
});

describe('rules', () => {
  const servers = ['pattern', 'first', 'kind', 'word', 'elsewhere', 'besides'];
  const policy = [
    { tools: 'pattern.l*', do: 'deny' },
    { tools: 'first.wipe', do: 'allow' },
    { tools: 'first.*', do: 'deny' },
    { tools: 'kind.*', when: 'destructive', do: 'deny' },
    { tools: 'word.*', when: 'read-only', do: 'allow' },
    { tools: 'word.*', do: 'deny' },
    { tools: 'elsewhere.*', session: 'other', do: 'deny' },
    { tools: 'besides.*', do: 'deny' },
  ];
  let connection: Connection;
  before(async () => {
    const guarded = { command: process.execPath, args: [GUARDED] };
    const mcpServers = Object.fromEntries(servers.map((name) => [name, { ...guarded, args: [GUARDED, name] }]));
    connection = await open({ policy, config: { mcpServers } });
  });
  after(() => connection[Symbol.asyncDispose]());

  const decisions: ReadonlyArray<readonly [what: string, call: string, out: RegExp]> = [
    ['by pattern', 'pattern.look(name="x")', /rule 1 of "policy" denies it/],
    ['by the first that fits', 'first.wipe(name="x")', /^wiped x/],
    ['by what a tool is', 'kind.wipe(name="x")', /rule 4 of "policy" denies it/],
    ['not by what a server says to loosen them', 'word.look(name="x")', /rule 6 of "policy" denies it/],
    ['for other sessions only', 'elsewhere.look(name="x")', /^saw x/],
    ['for what servers have besides tools', 'besides.resources()', /besides\.resources may not be called/],
  ];
  for (const [what, call, out] of decisions) {
    it(`decide ${what}`, async () => {
      const answer = await python(connection, `try:\n    print(mcp.${call})\nexcept mcp.ToolError as e:\n    print(e)`);
      assert.match(answer.out, out, answer.notes);
    });
  }

  for (const [language, code, out] of [
    [
      'javascript',
      'await mcp.besides.look({ name: "x" }).catch((e) => [e instanceof mcp.ToolError, e.code].join())',
      "'true,POLICY_DENIED'",
    ],
    ['bash', 'mcp call besides look name=x 2>/dev/null; echo $?', '126\n'],
  ] as const) {
    it(`are errors that ${language} can catch`, async () => {
      assert.equal(answerOf(await callRunCode(connection.client, { language, code })).out, out);
    });
  }

  const wrong: ReadonlyArray<readonly [what: string, policy: unknown, complaint: RegExp]> = [
    [
      'an unknown decision',
      [{ tools: 'x.*', do: 'allow' }, { do: 'maybe' }],
      /line 8, column 10,.*policy\.1\.do.*"allow"\|"deny"\|"ask"/s,
    ],
    ['an unknown key', [{ tool: 'x.*', do: 'deny' }], /policy\.0.*"tool"/s],
    ['no decision', [{ tools: 'x.*' }], /policy\.0\.do/],
    ['an unknown condition', [{ when: 'scary', do: 'deny' }], /policy\.0\.when/],
    ['no list', { do: 'deny' }, /policy.*expected array/s],
  ];
  for (const [what, policy, complaint] of wrong) {
    it(`with ${what} are refused, with the place`, async () => {
      const file = join(folder, `wrong-${files++}.json`);
      await writeFile(file, JSON.stringify({ policy }, null, 1));
      const { code, stderr } = await sallyport(['run', '--config', file, '-e', 'print(1)'], { stateDir: folder });
      assert.equal(code, 125);
      assert.ok(stderr.includes(file), stderr);
      assert.match(stderr, complaint);
    });
  }
});

describe('budgets', () => {
  it('end the calls of a run, with an error that can be caught', async () => {
    await using connection = await open({ flags: ['--max-calls', '3'] });
    const code = `
made = 0
try:
    for n in range(10):
        mcp.guarded.look(name=str(n))
        made += 1
except mcp.ToolError as e:
    print(made, e.code, e)`;
    assert.equal(
      (await python(connection, code)).out,
      '3 BUDGET_SPENT This run has made 3 calls, and may make no more. Split the work over several runs; a person can raise --max-calls\n',
    );
    assert.equal((await python(connection, 'print(mcp.guarded.look(name="next run"))')).out, 'saw next run\n');
  });

  it('hold a server to its calls a minute', async () => {
    await using connection = await open({ config: { limits: { 'server-rate': 2 } } });
    const code =
      'mcp.guarded.look(name="1")\nmcp.guarded.look(name="2")\ntry:\n    mcp.guarded.look(name="3")\nexcept mcp.ToolError as e:\n    print(e)';
    assert.match(
      (await python(connection, code)).out,
      /^Server "guarded" takes 2 calls a minute, and has had them\. The next may come in \d+ s/,
    );
  });
});

describe('secrets', () => {
  it('are masked where a server, a program or an error tells them', async () => {
    await using connection = await open({ flags: ['--log-level', 'debug', '--output-shown', '1k'] });
    const code = `
import base64, sys
told = mcp.guarded.tell()
print(told)
raw = mcp.guarded.tell.raw()
print("${SECRET.slice(0, 7)}" in str(raw))
part = "${SECRET.slice(0, 5)}"
sys.stdout.write(part); sys.stdout.flush()
import time; time.sleep(0.05)
sys.stdout.write("${SECRET.slice(5)}\\n")
print("x" * 3000)
print("${SECRET}", file=sys.stderr)
try:
    mcp.guarded.complain()
except mcp.ToolError as e:
    print(e)
open("${SECRET.replaceAll('/', '%2F').replaceAll('+', '%2B')}.txt", "w").write("x")
raise ValueError("${SECRET}")`;
    const result = await callRunCode(connection.client, { language: 'python', code });
    const shown = JSON.stringify(result) + connection.stderr();
    for (const form of [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64').slice(0, 15)]) {
      assert.equal(shown.includes(form), false, form);
    }
    const { out, notes } = answerOf(result);
    assert.match(
      out,
      /^\{'forms': \['\[secret API_TOKEN\]', '\[secret API_TOKEN\]', 'dXNlc\S*\[secret API_TOKEN\]\S*'\], '\[secret API_TOKEN\]': 1\}\nFalse\n/,
    );
    assert.match(out, /denied for \[secret API_TOKEN\]/);
    assert.match(notes, /ValueError: \[secret API_TOKEN\]/);
    const uri = /sallyport:\/\/runs\/\w+\/stdout/.exec(out + notes)?.[0] ?? '';
    const kept = JSON.stringify(await connection.client.readResource({ uri }));
    assert.match(kept, /False\\n\[secret API_TOKEN\]\\nxxx/);
    assert.equal(kept.includes(SECRET), false);
  });
});

describe('secrets in a mounted folder', () => {
  it('are masked from the first run on, and in the files that are read from outside', async () => {
    const shown = await mkdtemp(join(folder, 'shown-'));
    await writeFile(join(shown, '.env'), `API_TOKEN=${SECRET}\n`);
    const code = 'cat */.env | tee copy.txt';
    await using connection = await open({ flags: ['--mount', shown] });
    const answer = answerOf(await callRunCode(connection.client, { language: 'bash', code, session: 'mounted' }));
    assert.equal(answer.out, 'API_TOKEN=[secret API_TOKEN]\n');
    const { contents } = await connection.client.readResource({ uri: 'sallyport://sessions/mounted/files/copy.txt' });
    assert.deepEqual(
      contents.map((content) => 'text' in content && content.text),
      ['API_TOKEN=[secret API_TOKEN]\n'],
    );
  });
});

describe('learnt types', () => {
  it('are shown with how often they were seen, and outlive the server', async () => {
    const stateDir = await mkdtemp(join(folder, 'learnt-'));
    const config = await configWith();
    const open = () => connect({ flags: ['--config', config], env: { HOME: folder }, stateDir });
    {
      await using connection = await open();
      const code = 'mcp.guarded.row(id=1)\nprint(mcp.search("row", limit=1, server="guarded"))';
      assert.equal(
        (await python(connection, code)).out.split('\n')[0],
        'mcp.guarded.row(id: float) -> {"id": int, "title": str, "tags": list[str]}  # Does row; result seen 1×',
      );
      await python(connection, 'mcp.guarded.row(id=2)');
    }
    await using connection = await open();
    const { out } = await python(connection, 'print(mcp.docs("guarded.row"))');
    assert.match(
      out,
      /Returns \{"id": int, "title": str, "tags": list\[str\], "owner"\?: \{"login": str\}\} \(result seen 2×\)/,
    );
    const kept = await sallyport(['tools', 'guarded', '--config', config], { stateDir, env: { HOME: folder } });
    assert.match(kept.stdout, /mcp\.guarded\.row\(id: float\) -> .*seen 2×/);
  });
});

describe('savings', () => {
  it('are in the answer and in the ledger, and a run that lost is negative', async () => {
    const stateDir = await mkdtemp(join(folder, 'savings-'));
    const config = await configWith();
    const flags = ['--config', config];
    {
      await using connection = await connect({ flags, env: { HOME: folder }, stateDir });
      const won = await callRunCode(connection.client, {
        language: 'python',
        code: 'sum(len(mcp.guarded.look(name="x" * 300 + str(n))) for n in range(30))',
      });
      assert.ok(metaOf(won).tokensSaved > 1_000, String(metaOf(won).tokensSaved));
      const lost = await callRunCode(connection.client, {
        language: 'python',
        code: `# ${'a long comment that says little '.repeat(20)}\nprint(mcp.guarded.look(name="x"))`,
      });
      assert.ok(metaOf(lost).tokensSaved < -100, String(metaOf(lost).tokensSaved));
      assert.equal(metaOf(await callRunCode(connection.client, { language: 'python', code: '1' })).tokensSaved, 0);
    }
    const { stdout } = await sallyport(['savings', '--json'], { stateDir });
    const ledger = JSON.parse(stdout);
    assert.deepEqual([ledger.runs, ledger.connections, ledger.calls], [3, 1, 31]);
    assert.equal(ledger.saved, ledger.without - ledger.with);
    assert.deepEqual(
      ledger.lastRuns.map(({ calls, saved }: { calls: number; saved: number }) => [calls, Math.sign(saved)]),
      [
        [30, 1],
        [1, -1],
        [0, -1],
      ],
    );
    assert.match(
      (await sallyport(['savings'], { stateDir })).stdout,
      /^Tokens without Sallyport +[\d,]+\nTokens with it/,
    );
    const run = await sallyport(
      ['run', '--json', ...flags, '-l', 'python', '-e', 'len(mcp.guarded.look(name="y" * 4000))'],
      { stateDir, env: { HOME: folder } },
    );
    assert.ok(JSON.parse(run.stdout).tokensSaved > 200, run.stdout);
  });
});

describe('the audit log', () => {
  it('has a line for every run and every call, and no secret', async () => {
    const config = await configWith([{ tools: 'guarded.wipe', do: 'deny' }]);
    await using connection = await connect({ flags: ['--config', config, '--audit', 'full'], env: { HOME: folder } });
    const { stateDir } = connection;
    await python(connection, `mcp.guarded.look(name="${SECRET}")\n${WIPE}`);
    await callRunCode(connection.client, { language: 'cobolscript', code: 'x' });
    const read = async (...flags: string[]) =>
      (await sallyport(['audit', '--json', ...flags], { stateDir })).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line || '{}'));
    let lines = await read();
    for (let tries = 0; tries < 50 && lines.length < 4; tries += 1) lines = await read();
    assert.deepEqual(
      lines.map(({ kind, server, tool, decision, outcome, caller, session }) => [
        kind,
        server,
        tool,
        decision,
        outcome,
        caller,
        session,
      ]),
      [
        ['call', 'guarded', 'look', 'allow', 'ok', 'sallyport-tests 1.0.0', 'default'],
        ['call', 'guarded', 'wipe', 'deny', 'POLICY_DENIED', 'sallyport-tests 1.0.0', 'default'],
        ['run', undefined, undefined, 'allow', 'exit 1', 'sallyport-tests 1.0.0', 'default'],
        ['run', undefined, undefined, 'deny', 'refused LANGUAGE_UNKNOWN', 'sallyport-tests 1.0.0', 'default'],
      ],
    );
    assert.deepEqual(lines[0].args, { name: '[secret API_TOKEN]' });
    assert.ok(lines[0].durationMs > 0 && lines[0].argsBytes > 0 && lines[0].resultBytes > 0);
    assert.equal((await read('--decision', 'deny', '--kind', 'call')).length, 1);
    const text = await readFile(join(stateDir, 'audit.jsonl'), 'utf8');
    assert.equal(text.includes(SECRET), false);
    assert.equal((await stat(join(stateDir, 'audit.jsonl'))).mode & 0o777, 0o600);
    assert.match((await sallyport(['audit', '--limit', '1'], { stateDir })).stdout, /refused LANGUAGE_UNKNOWN/);
    assert.equal((await sallyport(['audit', '--since', 'yesterday'], { stateDir })).code, 125);

    const { promise: seen, resolve: noteSeen } = Promise.withResolvers<void>();
    const following = sallyport(['audit', '--follow', '--json', '--limit', '1', '--session', 'followed'], {
      stateDir,
      whileRunning: (child) => {
        child.stdout?.on('data', (text: string) => {
          if (!text.includes('"session":"followed"')) return;
          noteSeen();
          child.kill('SIGINT');
        });
      },
    });
    let isSeen = false;
    void seen.then(() => {
      isSeen = true;
    });
    // The first may come before somebody follows.
    for (let tries = 0; tries < 30 && !isSeen; tries += 1) {
      await python(connection, '1', { session: 'followed' });
      await Promise.race([seen, new Promise((resolve) => setTimeout(resolve, 300))]);
    }
    assert.equal((await following).code, 0);
  });
});
