import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { CapturedStream, RunOutcome } from '#contracts/run';
import { isFailure, refusalMeta, renderNotes, renderRun, renderStructured, runMeta } from './render.ts';

function stream(text: string | Buffer, rest: Partial<CapturedStream> = {}): CapturedStream {
  const head = Buffer.from(text as string);
  return { head, tail: Buffer.alloc(0), totalBytes: head.length, droppedBytes: 0, valueAt: undefined, ...rest };
}

/** Printed text with a value after it. */
function withValue(printed: string, value: string): CapturedStream {
  return stream(printed + value, { valueAt: Buffer.byteLength(printed) });
}

/** The two ends of a stream of this many bytes. */
function ends(
  head: string | Buffer,
  tail: string | Buffer,
  totalBytes: number,
  rest: Partial<CapturedStream> = {},
): CapturedStream {
  return {
    head: Buffer.from(head as string),
    tail: Buffer.from(tail as string),
    totalBytes,
    droppedBytes: 0,
    valueAt: undefined,
    ...rest,
  };
}

function outcome(rest: Partial<RunOutcome> = {}): RunOutcome {
  return {
    kind: 'finished',
    runId: 'r7',
    session: 'default',
    backend: 'bubblewrap',
    language: 'python',
    exitCode: 0,
    signal: null,
    stop: null,
    error: null,
    durationMs: 12.5,
    timeoutMs: 30_000,
    peakMemoryBytes: 9_000_000,
    toolCalls: 0,
    tokensSaved: 0,
    stdout: stream(''),
    stderr: stream(''),
    images: [],
    files: [],
    filesMore: 0,
    sessionNotes: [],
    hints: [],
    ...rest,
  };
}

const NETWORK = 'hint: network is off; a person can allow hosts with "network" in the config';

const compact: ReadonlyArray<readonly [name: string, outcome: Partial<RunOutcome>, blocks: string[]]> = [
  ['nothing', {}, ['(no output)']],
  [
    'stdout to the byte',
    { stdout: stream('a\n\n  b\t\u001b[31mred\u0000\r\n\n') },
    ['a\n\n  b\t\u001b[31mred\u0000\r\n\n'],
  ],
  [
    'invalid bytes as replacement characters',
    { stdout: stream(Buffer.from([0x61, 0xff, 0xc3, 0x62])) },
    ['a\ufffd\ufffdb'],
  ],
  ['a value alone', { stdout: withValue('', '42') }, ['42']],
  ['a value after whole lines', { stdout: withValue('hi\n', '42') }, ['hi\n42']],
  ['a value on a line of its own', { stdout: withValue('hi ü', '42') }, ['hi ü\n42']],
  ['no line for a value without text', { stdout: withValue('hi', '') }, ['hi']],
  [
    'one line of stderr beside its label',
    { stdout: stream('a\n'), stderr: stream('careful\n') },
    ['a\n', 'stderr: careful'],
  ],
  ['more lines of stderr below it', { stderr: stream('  a\n\nb \n\n') }, ['(no output)', 'stderr:\n  a\n\nb ']],
  ['nothing of an empty stderr', { stderr: stream(' \n\n') }, ['(no output)']],
  ['an exit code', { exitCode: 3 }, ['(no output)', 'exit code: 3']],
  ['an exit code with its signal', { exitCode: 139, signal: 'SIGSEGV' }, ['(no output)', 'exit code: 139 (SIGSEGV)']],
  ['a timeout', { exitCode: 130, stop: 'timeout' }, ['(no output)', 'exit code: 130\nstopped: timeout after 30 s']],
  [
    'a short timeout',
    { exitCode: 130, stop: 'timeout', timeoutMs: 250 },
    ['(no output)', 'exit code: 130\nstopped: timeout after 0.25 s'],
  ],
  [
    'a stop for memory',
    { exitCode: 137, signal: 'SIGKILL', stop: 'memory' },
    ['(no output)', 'exit code: 137 (SIGKILL)\nstopped: memory'],
  ],
  [
    'what happened to the session, on one line each',
    { sessionNotes: ['restarted, variables lost', 'print was\nreplaced; restored'] },
    ['(no output)', 'session: restarted, variables lost\nsession: print was replaced; restored'],
  ],
  [
    'files with their sizes',
    {
      files: [
        { path: 'plot.png', bytes: 34_120 },
        { path: 'a/b, c.csv', bytes: 1_234_567 },
        { path: 'odd\nname', bytes: 7 },
      ],
    },
    ['(no output)', 'files: plot.png (34 kB), "a/b, c.csv" (1.2 MB), "odd\\nname" (7 B)'],
  ],
  [
    'how many files there are besides',
    { files: [{ path: 'a', bytes: 0 }], filesMore: 12 },
    ['(no output)', 'files: a (0 B), and 12 more'],
  ],
  ['hints', { hints: ['first', 'second'] }, ['(no output)', 'hint: first\nhint: second']],
  [
    'a run that is still going',
    { kind: 'running', exitCode: null, durationMs: 45_004, stdout: stream('so far\n') },
    [
      'so far\n',
      'running: 45 s so far; send empty code to this session to wait for the rest, with timeout 0 to stop it',
    ],
  ],
  [
    'everything in its order',
    {
      exitCode: 1,
      stop: 'disk',
      stdout: stream('out'),
      stderr: stream('a\nb\n'),
      sessionNotes: ['restarted, variables lost'],
      files: [{ path: 'x', bytes: 1 }],
      hints: ['try less'],
    },
    [
      'out',
      'stderr:\na\nb\nexit code: 1\nstopped: disk\nsession: restarted, variables lost\nfiles: x (1 B)\nhint: try less',
    ],
  ],
  [
    'that the network is off, when stderr tells of a failed lookup',
    { exitCode: 1, stderr: stream('curl: (6) Could not resolve host: example.com\n') },
    ['(no output)', `stderr: curl: (6) Could not resolve host: example.com\nexit code: 1\n${NETWORK}`],
  ],
  [
    'that the network is off, when a program that goes on tells of it last',
    { stdout: stream('Error: <urlopen error [Errno -3] Temporary failure in name resolution>\n') },
    ['Error: <urlopen error [Errno -3] Temporary failure in name resolution>\n', NETWORK],
  ],
  [
    'both ends of long output, and where the rest is',
    { stdout: ends('aaaaaaaaaa', 'bbbbbbbbbb', 100_020) },
    ['aaaaaaaaaa\n… 100 kB left out; whole: /output/r7/stdout or sallyport://runs/r7/stdout …\nbbbbbbbbbb'],
  ],
  [
    'whole lines at both ends where one ends near',
    { stdout: ends('line 1\nline 2\nl', '98\nline 99\nline 100\n', 2_000) },
    [
      'line 1\nline 2\n… 2.0 kB left out; whole: /output/r7/stdout or sallyport://runs/r7/stdout …\nline 99\nline 100\n',
    ],
  ],
  [
    'no half characters at a cut',
    { stdout: ends(Buffer.from('aaaaaaaa🙂').subarray(0, 11), Buffer.from('漢bbbbbbbb').subarray(1), 500) },
    ['aaaaaaaa\n… 484 B left out; whole: /output/r7/stdout or sallyport://runs/r7/stdout …\nbbbbbbbb'],
  ],
  [
    'bytes that are no text at a cut',
    { stdout: ends(Buffer.from([0x61, 0x80, 0x80, 0x80, 0x80]), Buffer.from([0x80, 0x80, 0x80, 0x80, 0x62]), 500) },
    ['a\ufffd\ufffd\ufffd\ufffd\n… 493 B left out; whole: /output/r7/stdout or sallyport://runs/r7/stdout …\n\ufffdb'],
  ],
  [
    'a value at the end of long output on its own line',
    { stdout: ends('aaaa', 'bbbb42', 100, { valueAt: 98 }) },
    ['aaaa\n… 90 B left out; whole: /output/r7/stdout or sallyport://runs/r7/stdout …\nbbbb\n42'],
  ],
  [
    'the end of a value that is itself too long',
    { stdout: ends('aaaa', 'bbbb', 100, { valueAt: 2 }) },
    ['aaaa\n… 92 B left out; whole: /output/r7/stdout or sallyport://runs/r7/stdout …\nbbbb'],
  ],
  [
    'how much of a flood was dropped',
    { stderr: ends('aaaa', 'bbbb', BOUNDS.keptBytesMax + 40_000_008, { droppedBytes: 40_000_008 }) },
    [
      '(no output)',
      'stderr:\naaaa\n… 107 MB left out; the first 67 MB: /output/r7/stderr or sallyport://runs/r7/stderr; 40 MB dropped …\nbbbb',
    ],
  ],
];

describe('renderRun() in compact mode', () => {
  for (const [name, rest, blocks] of compact) {
    it(`tells ${name}`, () => assert.deepEqual(renderRun(outcome(rest), 'compact'), { blocks, images: [] }));
  }

  it('hands on images', () => {
    const images = [{ mimeType: 'image/png', data: Buffer.from('png') }];
    assert.deepEqual(renderRun(outcome({ images }), 'compact'), { blocks: ['(no output)'], images });
  });
});

const rows = JSON.stringify([
  { id: 1, name: 'Ada' },
  { id: 2, name: 'Bob' },
]);

const toon: ReadonlyArray<readonly [name: string, stdout: CapturedStream, text: string]> = [
  ['JSON of many rows in TOON', stream(`${rows}\n`), '[2]{id,name}:\n  1,Ada\n  2,Bob\n'],
  [
    'a value that is JSON in TOON, and what was printed as it is',
    withValue('found 2', rows),
    'found 2\n[2]{id,name}:\n  1,Ada\n  2,Bob',
  ],
  ['other text as it is', stream('id name\n1 Ada\n'), 'id name\n1 Ada\n'],
  [
    'JSON of which only the ends are there as it is',
    ends('[{"a":1},', '{"a":9}]', 900),
    '[{"a":1},\n… 883 B left out; whole: /output/r7/stdout or sallyport://runs/r7/stdout …\n{"a":9}]',
  ],
  ['nothing as nothing', stream(''), '(no output)'],
];

describe('renderRun() in toon mode', () => {
  for (const [name, stdout, text] of toon) {
    it(`shows ${name}`, () => assert.deepEqual(renderRun(outcome({ stdout }), 'toon').blocks, [text]));
  }
});

describe('renderRun() in json mode', () => {
  it('gives the structured result as text, and beside it only what is not in there', () => {
    const failed = outcome({
      exitCode: 1,
      stdout: withValue('a', '1'),
      stderr: stream('no\n'),
      sessionNotes: ['restarted'],
    });
    assert.deepEqual(renderRun(failed, 'json').blocks, [
      JSON.stringify(renderStructured(failed)),
      'session: restarted',
    ]);
    assert.deepEqual(renderStructured(failed), { ...runMeta(failed), stdout: 'a\n1', stderr: 'no\n' });
  });
});

it('runMeta() has the fields that callers are promised, in their order', () => {
  assert.equal(
    JSON.stringify(runMeta(outcome({ exitCode: 1, error: { code: 'PROGRAM_FAILED', message: 'ValueError: no' } }))),
    '{"runId":"r7","session":"default","backend":"bubblewrap","language":"python","exitCode":1,"signal":null,"stop":null,' +
      '"error":{"code":"PROGRAM_FAILED","message":"ValueError: no"},"durationMs":12.5,"peakMemoryBytes":9000000,"toolCalls":0,"tokensSaved":0}',
  );
});

it('refusalMeta() has the same fields', () => {
  const meta = refusalMeta(new AppError('BUSY', 'All sessions are taken'));
  assert.deepEqual(Object.keys(meta), Object.keys(runMeta(outcome())));
  assert.deepEqual(meta.error, { code: 'BUSY', message: 'All sessions are taken' });
});

it('renderNotes() leaves out stderr, which a terminal has shown', () => {
  assert.equal(
    renderNotes(outcome({ exitCode: 2, stderr: stream('no\n'), hints: ['try'] })),
    'exit code: 2\nhint: try',
  );
});

describe('isFailure()', () => {
  const cases: ReadonlyArray<readonly [name: string, outcome: Partial<RunOutcome>, failed: boolean]> = [
    ['a warning on stderr', { stderr: stream('careful\n') }, false],
    ['a run that is still going', { kind: 'running', exitCode: null }, false],
    ['an exit code', { exitCode: 1 }, true],
    ['a signal', { exitCode: 139, signal: 'SIGSEGV' }, true],
    ['a stop, even of a program that then ended well', { exitCode: 0, stop: 'timeout' }, true],
    ['an end that nobody saw', { exitCode: null }, true],
  ];
  for (const [name, rest, failed] of cases) {
    it(`is ${failed} for ${name}`, () => assert.equal(isFailure(outcome(rest)), failed));
  }
});
