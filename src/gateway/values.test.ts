import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ToolResult, ToolValue } from '#contracts/tool';
import { failureText, toolValue } from './values.ts';

const text = (value: string) => ({ type: 'text', text: value });
const png = { type: 'image', data: 'iVBORw==', mimeType: 'image/png' };

describe('toolValue()', () => {
  const cases: ReadonlyArray<readonly [what: string, result: ToolResult, value: ToolValue]> = [
    ['nothing', { content: [] }, { kind: 'none' }],
    ['text', { content: [text('hello')] }, { kind: 'text', text: 'hello' }],
    ['empty text', { content: [text('')] }, { kind: 'text', text: '' }],
    ['an object in text', { content: [text(' {"a": 1}\n')] }, { kind: 'json', value: { a: 1 }, text: ' {"a": 1}\n' }],
    ['an array in text', { content: [text('[1, 2]')] }, { kind: 'json', value: [1, 2], text: '[1, 2]' }],
    ['a number in text', { content: [text('12')] }, { kind: 'text', text: '12' }],
    ['a JSON string in text', { content: [text('"a"')] }, { kind: 'text', text: '"a"' }],
    ['text that begins like JSON', { content: [text('[info] started')] }, { kind: 'text', text: '[info] started' }],
    [
      'numbers past 2^53 in text',
      { content: [text('{"id": 12345678901234567890}')] },
      { kind: 'json', value: { id: 12345678901234567000 }, text: '{"id": 12345678901234567890}' },
    ],
    ['an image', { content: [png] }, { kind: 'binary', base64: 'iVBORw==', mimeType: 'image/png' }],
    [
      'audio',
      { content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] },
      { kind: 'binary', base64: 'AAAA', mimeType: 'audio/wav' },
    ],
    [
      'an embedded binary resource without a type',
      { content: [{ type: 'resource', resource: { uri: 'x://a', blob: 'AAAA' } }] },
      { kind: 'binary', base64: 'AAAA', mimeType: 'application/octet-stream' },
    ],
    [
      'an embedded text resource',
      { content: [{ type: 'resource', resource: { uri: 'x://a', text: 'inside' } }] },
      { kind: 'text', text: 'inside' },
    ],
    [
      'a link',
      { content: [{ type: 'resource_link', uri: 'x://a', name: 'a', size: 3 }] },
      { kind: 'link', link: { uri: 'x://a', name: 'a' } },
    ],
    [
      'several blocks',
      { content: [text('one'), text('{"two": 2}'), png] },
      {
        kind: 'list',
        items: [
          { kind: 'text', text: 'one' },
          { kind: 'json', value: { two: 2 }, text: '{"two": 2}' },
          { kind: 'binary', base64: 'iVBORw==', mimeType: 'image/png' },
        ],
      },
    ],
    [
      'structured content beside text',
      { content: [text('{"a":1}')], structuredContent: { a: 1 } },
      { kind: 'json', value: { a: 1 } },
    ],
    ['structured null', { content: [text('null')], structuredContent: null }, { kind: 'json', value: null }],
    ['structured false', { content: [], structuredContent: false }, { kind: 'json', value: false }],
    [
      'a block of a type that nobody knows',
      { content: [{ type: 'hologram', data: 1 }] },
      { kind: 'json', value: { type: 'hologram', data: 1 } },
    ],
    ['an image without data', { content: [{ type: 'image' }] }, { kind: 'json', value: { type: 'image' } }],
    ['a block that is none', { content: [null] }, { kind: 'json', value: null }],
  ];
  for (const [what, result, value] of cases) {
    it(`gives ${what}`, () => assert.deepEqual(toolValue(result), value));
  }
});

describe('failureText()', () => {
  const cases: ReadonlyArray<readonly [result: ToolResult, message: string]> = [
    [{ content: [text('No such file')], isError: true }, 'No such file'],
    [{ content: [text('one'), png, text('two')], isError: true }, 'one\ntwo'],
    [{ content: [], structuredContent: { code: 7 }, isError: true }, '{"code":7}'],
    [{ content: [], isError: true }, 'The tool failed and gave no reason'],
  ];
  for (const [result, message] of cases) {
    it(`says ${JSON.stringify(message)}`, () => assert.equal(failureText(result), message));
  }
});
