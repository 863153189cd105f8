import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServerInput } from '#clients/entry';
import type { ReferenceStyle } from './reference-syntax.ts';
import { type Findings, resolveReferences } from './references.ts';

const INPUTS: readonly ServerInput[] = [
  { id: 'token', description: 'Token of the service', isPassword: true, options: [] },
  { id: 'preset-password', isPassword: true, default: 'never-used', options: [] },
  { id: 'region', isPassword: false, default: 'eu', options: ['eu', 'us'] },
  { id: 'answered', isPassword: true, options: [] },
  { id: 'mode', isPassword: false, options: ['a', 'b'] },
];

function resolve(text: string, style?: ReferenceStyle, os: 'linux' | 'win' = 'linux') {
  const findings: Findings = { needs: [], secrets: [] };
  const resolved = resolveReferences(
    text,
    {
      place: {
        os,
        home: '/home/me',
        env: {
          NAME: 'value',
          EMPTY: '',
          API_TOKEN: 'abcdefgh',
          KEY: 'short',
          TRICK: '${API_TOKEN}',
          'Weird(x86)': 'w',
          mine: 'listed-1',
        },
      },
      style,
      workspace: '/projects/shop',
      inputs: INPUTS,
      answer: (id) => (id === 'answered' ? 's3cr3t' : undefined),
      fileText: (path) => (path === '~/secret' ? 'from a file\n' : undefined),
      secretNames: ['mine'],
    },
    findings,
  );
  return { resolved, ...findings };
}

describe('resolveReferences() puts in', () => {
  const cases: ReadonlyArray<readonly [text: string, resolved: string, style?: ReferenceStyle]> = [
    ['plain', 'plain'],
    ['', ''],
    ['a ${NAME} b ${NAME}', 'a value b value'],
    ['${env:NAME}', 'value'],
    ['${NAME:-other}', 'value'],
    ['${NONE:-other}', 'other'],
    ['${EMPTY:-other}', 'other'],
    ['${EMPTY}', ''],
    ['${NONE:-}', ''],
    ['${env:NONE:-other}', 'other'],
    ['${NONE:-https://x:1/${NAME}}', 'https://x:1/value'],
    ['${NONE:-${ALSO_NONE:-deep}}', 'deep'],
    ['${env:Weird(x86)}', 'w'],
    ['${userHome}/x', '/home/me/x'],
    ['${workspaceFolder}/x', '/projects/shop/x'],
    ['${workspaceFolder:project}', '/projects/shop'],
    ['${workspaceFolderBasename}', 'shop'],
    ['a${pathSeparator}b${/}c', 'a/b/c'],
    ['${input:region}', 'eu'],
    ['${input:answered}', 's3cr3t'],
    ['${file:~/secret}', 'from a file'],
    ['${{ secrets.NAME }}', 'value'],
    ['${{secrets.org/x.NAME}}', '${{secrets.org/x.NAME}}'],
    ['${{ inputs.block.NAME }}', 'value'],
    // A value is never looked at again.
    ['${TRICK}', '${API_TOKEN}'],
    // Of some other language.
    ['${}', '${}'],
    ['${a b}', '${a b}'],
    ['${NAME', '${NAME'],
    ['$NAME {env:NAME} $(echo $NAME)', '$NAME {env:NAME} $(echo $NAME)'],
    ['{env:NAME} $NAME ${NAME}', 'value $NAME value', 'braces'],
    ['{file:~/secret}', 'from a file', 'braces'],
    ['$NAME $(echo $NAME) $(echo ${NAME}) $env:NAME ${NAME}', 'value value value value value', 'dollar'],
    ['pa$$word $x 5$', 'pa$$word $x 5$', 'dollar'],
  ];
  for (const [text, resolved, style] of cases) {
    it(`${JSON.stringify(text)} → ${JSON.stringify(resolved)}${style ? ` (${style})` : ''}`, () => {
      assert.deepEqual([resolve(text, style).resolved, resolve(text, style).needs], [resolved, []]);
    });
  }

  it('names without regard to case on Windows', () => {
    assert.equal(resolve('${env:name}', undefined, 'win').resolved, 'value');
    assert.equal(resolve('${env:name}').needs.length, 1);
  });

  it('in a text made of beginnings only, in little time', () => {
    const text = '${a:-'.repeat(100_000);
    assert.equal(resolve(text).resolved, text);
    const dollars = '$'.repeat(1_000_000);
    assert.equal(resolve(dollars, 'dollar').resolved, dollars);
    const commands = '$('.repeat(100_000);
    assert.equal(resolve(commands, 'dollar').resolved, commands);
  });
});

describe('resolveReferences() reports', () => {
  const needs: ReadonlyArray<
    readonly [text: string, kind: string, id: string, isSecret: boolean, style?: ReferenceStyle]
  > = [
    ['${NONE}', 'variable', 'NONE', false],
    ['${env:SOME_TOKEN}', 'variable', 'SOME_TOKEN', true],
    ['${input:token}', 'input', 'token', true],
    ['${input:preset-password}', 'input', 'preset-password', true],
    ['${input:unknown}', 'input', 'unknown', true],
    ['${input:mode}', 'input', 'mode', false],
    ['${file:/none}', 'file', '/none', true],
    ['${command:extension.getToken}', 'unknown', '${command:extension.getToken}', false],
    ['${config:editor.x}', 'unknown', '${config:editor.x}', false],
    ['$(cat /etc/passwd)', 'unknown', '$(cat /etc/passwd)', false, 'dollar'],
    ['Bearer $SOME_TOKEN', 'variable', 'SOME_TOKEN', true, 'dollar'],
  ];
  for (const [text, kind, id, isSecret, style] of needs) {
    it(`${text} as missing, and leaves it there`, () => {
      const result = resolve(text, style);
      assert.equal(result.resolved, text);
      assert.deepEqual(
        result.needs.map((need) => [need.kind, need.id, need.isSecret]),
        [[kind, id, isSecret]],
      );
    });
  }

  it('what a person must know to answer', () => {
    assert.deepEqual(resolve('${input:token} ${input:token}').needs, [
      { kind: 'input', id: 'token', description: 'Token of the service', isSecret: true, options: [] },
    ]);
    assert.deepEqual(resolve('${input:mode}').needs[0]?.options, ['a', 'b']);
  });

  it('values that must stay hidden', () => {
    assert.deepEqual(
      resolve('${API_TOKEN} ${NAME} ${KEY} ${mine} ${input:answered} ${input:region} ${file:~/secret}').secrets,
      [
        { name: 'API_TOKEN', value: 'abcdefgh' },
        { name: 'mine', value: 'listed-1' },
        { name: 'answered', value: 's3cr3t' },
        { name: 'secret', value: 'from a file' },
      ],
    );
  });
});
