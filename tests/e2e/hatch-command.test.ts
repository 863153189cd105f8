/** `mcp` as a command: from Bash, and from whatever else a program starts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { availableWalls } from '../support/walls.ts';
import { openHouse, type ServedHouse, TOOLS_SERVER } from '../support/with-servers.ts';

const config = { mcpServers: { tools: TOOLS_SERVER, 'any server': { ...TOOLS_SERVER, env: { OTHER: '1' } } } };

/** Everywhere. */
const CASES: ReadonlyArray<readonly [what: string, code: string, out: string | RegExp]> = [
  ['takes its arguments from a pipe', `echo '{"a": 1, "b": 2}' | mcp call tools add --json`, '{\n  "sum": 3\n}\n'],
  ['and from where it is told', `echo '{"a": 1}' | mcp call tools add b:=2 -`, '{\n  "sum": 3\n}\n'],
  ['takes one text from standard input', "printf 'two\\nlines' | mcp call tools echo text@=-", 'two\nlines\n'],
  [
    'prints JSON when asked to',
    'mcp call tools echo text=12 --json; mcp call tools add a=1 b=2 --json',
    '"12"\n{\n  "sum": 3\n}\n',
  ],
  ['prints the whole result when asked to', 'mcp call tools fail --raw | grep -c isError', '1\n'],
  [
    'ends with a code that tells what happened',
    'mcp call tools fail; echo $?; mcp call nobody x; echo $?; mcp call tools nothing; echo $?; mcp call tools hang --timeout 0.2; echo $?; mcp nonsense; echo $?',
    '1\n127\n127\n124\n2\n',
  ],
  ['lists servers', 'mcp servers | cut -f 1 | sort', 'any server\ntools\n'],
  [
    'prints the manual',
    'mcp help | head -1',
    'Sallyport runs your program behind a wall and keeps its state for the next call.\n',
  ],
  ['describes a tool', 'mcp docs tools.add | head -1', 'mcp call tools add a:=NUMBER b:=NUMBER\n'],
  ['knows the session', 'mcp session list | grep -c name', /^[1-9]/],
];

/** Where there are processes. */
const PROCESSES: ReadonlyArray<readonly [what: string, language: string, code: string, out: string]> = [
  [
    'many at once',
    'bash',
    'for n in 1 2 3 4 5 6 7 8; do mcp call tools echo text="[$n]" > out.$n & done; wait; cat out.*; rm out.*',
    '[1]\n[2]\n[3]\n[4]\n[5]\n[6]\n[7]\n[8]\n',
  ],
  ['from xargs -P', 'bash', "seq 30 | xargs -P 10 -I{} mcp call tools echo text='<{}>' | sort | uniq | wc -l", '30\n'],
  [
    'with a bound on the time of all',
    'bash',
    'start=$(date +%s%N); for n in 1 2 3 4 5 6 7 8; do mcp call tools slow ms:=800 >/dev/null & done; wait; echo $(( ($(date +%s%N) - start) / 1000000 < 4000 ))',
    '1\n',
  ],
  [
    'without taking the input of a loop',
    'bash',
    "printf '1\\n2\\n3\\n' | while read -r n; do mcp call tools echo text=$n; done",
    '1\n2\n3\n',
  ],
  [
    'of several megabytes, both ways',
    'bash',
    'head -c 3000000 /dev/zero | tr "\\0" x | mcp call tools echo text@=- | wc -c',
    '3000001\n',
  ],
  ['a picture as its bytes', 'bash', 'mcp call tools image | head -c 4 | tail -c 3', 'PNG'],
  [
    'from a child of Python',
    'python',
    'import subprocess\nprint(subprocess.run(["mcp", "call", "tools", "echo", "text=child"], capture_output=True, text=True).stdout)',
    'child\n\n',
  ],
  [
    'from a child of JavaScript',
    'javascript',
    "import { execFileSync } from 'node:child_process';\nconsole.log(execFileSync('mcp', ['call', 'tools', 'echo', 'text=child'], { encoding: 'utf8' }));",
    'child\n\n',
  ],
  ['from another language', 'bash', `perl -e 'print uc \`mcp call tools echo text=perl\`'`, 'PERL\n'],
  [
    'from awk, line by line',
    'bash',
    `printf 'a\\nb\\n' | awk '{ command = "mcp call tools echo text=" $1; command | getline got; close(command); print got got }'`,
    'aa\nbb\n',
  ],
  [
    'from processes that Python forked, as functions',
    'python',
    'from multiprocessing import Pool\ndef twice(n):\n    return mcp.tools.add(n, n)["sum"]\nwith Pool(4) as pool:\n    print(pool.map(twice, range(8)))',
    '[0, 2, 4, 6, 8, 10, 12, 14]\n',
  ],
  [
    'from a forked process that gathers',
    'python',
    'import asyncio, os, time\nasync def all():\n    return await asyncio.gather(*[mcp.tools.slow(ms=500) for _ in range(8)])\nstart = time.time()\nif os.fork() == 0:\n    print(len(asyncio.run(all())), time.time() - start < 3)\nelse:\n    os.wait()',
    '8 True\n',
  ],
];

/** What an earlier run left behind: the first program, and what the second one prints. */
const LEFTOVERS: ReadonlyArray<readonly [what: string, language: string, first: string, second: string, out: string]> =
  [
    [
      'a job of Bash',
      'bash',
      '( sleep 0.5; mcp call tools echo text=late ) >late 2>&1 &',
      'wait; cat late',
      'mcp: The run that this call belongs to has ended\n',
    ],
    [
      'a child of Python',
      'python',
      'import subprocess\nchild = subprocess.Popen("sleep 0.5; mcp call tools echo text=late", shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)',
      'print(child.communicate()[0].decode())',
      'mcp: The run that this call belongs to has ended\n\n',
    ],
    [
      'a task of asyncio',
      'python',
      'import asyncio\nseen = []\nasync def later():\n    await asyncio.sleep(0.3)\n    try:\n        seen.append(await mcp.tools.echo("late"))\n    except mcp.ToolError as e:\n        seen.append(e.code)\ntask = asyncio.ensure_future(later())\nawait asyncio.sleep(0)',
      'await asyncio.sleep(0.6)\nprint(seen, await mcp.tools.echo("mine"))',
      "['SESSION_CLOSED'] mine\n",
    ],
    [
      'an interval of JavaScript',
      'javascript',
      'globalThis.seen = [];\nsetTimeout(() => mcp.tools.echo("late").then(() => seen.push("through"), (e) => seen.push(e.code)), 500).unref();',
      'await new Promise((done) => setTimeout(done, 900));\nconsole.log(seen.join(), await mcp.tools.echo("mine"));',
      'SESSION_CLOSED mine\n',
    ],
  ];

for (const wall of await availableWalls()) {
  describe(`the command mcp behind ${wall}`, () => {
    let house: ServedHouse;
    before(async () => {
      house = await openHouse(wall, config);
    });
    after(() => house[Symbol.asyncDispose]());

    const expectOut = async (language: string, code: string, out: string | RegExp) => {
      const answer = await house.run(language, code);
      if (typeof out === 'string') assert.equal(answer.out, out, answer.notes);
      else assert.match(answer.out, out, answer.notes);
    };
    for (const [what, code, out] of CASES) it(what, () => expectOut('bash', code, out));
    for (const [what, language, first, second, out] of LEFTOVERS) {
      if (wall === 'embedded' && !first.includes('asyncio')) continue; // nothing of the kind outlives a run there
      it(`refuses ${what} that an earlier run left behind`, async () => {
        await house.run(language, first);
        await expectOut(language, second, out);
      });
    }
    if (wall === 'embedded') return;
    for (const [what, language, code, out] of PROCESSES) it(`calls ${what}`, () => expectOut(language, code, out));

    it('counts the calls of all processes', async () => {
      const { meta } = await house.run('bash', 'mcp call tools echo text=1; sh -c "mcp call tools echo text=2"');
      assert.equal(meta.toolCalls, 2);
    });

    it('keeps what was taken from the run from its children too', async () => {
      const code =
        'import subprocess\nmcp.only("tools")\nprint(subprocess.run(["mcp", "call", "any server", "echo", "text=x"], capture_output=True, text=True).stderr)';
      const { out } = await house.run('python', code);
      assert.equal(out, 'mcp: This run may not use server "any server". mcp.only() narrowed it to tools\n\n');
    });

    it('cancels the call of a process that has gone', async () => {
      const count = 'mcp call tools cancelled';
      const { out } = await house.run(
        'bash',
        `before=$(${count}); timeout 0.5 mcp call tools hang; for n in 1 2 3 4 5 6 7 8 9; do [ "$(${count})" -gt "$before" ] && break; sleep 0.2; done; echo $(( $(${count}) - before ))`,
      );
      assert.equal(out, '1\n');
    });

    it('works where the program has its own files open and its variables changed', async () => {
      const code =
        'exec 3</etc/passwd 4>/dev/null 5<&3; PATH=/usr/bin; HOME=/nowhere; export SALLYPORT_HATCH=\n/run/sallyport/bin/mcp call tools echo text=here';
      assert.equal((await house.run('bash', code, 'changed')).out, 'here\n');
    });
  });
}
