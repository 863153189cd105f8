import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '#contracts/errors';
import { Allowlist, canonicalHost } from './allowlist.ts';

describe('the list of hosts', () => {
  const list = new Allowlist([
    'example.com',
    '*.example.org',
    'api.test:8443',
    'MÜNCHEN.example',
    '8.8.8.8',
    '[2600::1]:80',
  ]);

  for (const [host, port] of [
    ['example.com', 443],
    ['example.com', 80],
    ['EXAMPLE.com.', 443],
    ['a.example.org', 443],
    ['a.b.example.org', 80],
    ['api.test', 8443],
    ['xn--mnchen-3ya.example', 443],
    ['münchen.example', 443],
    ['8.8.8.8', 443],
    ['2600::1', 80],
    ['[2600::1]', 80],
  ] as const)
    it(`allows ${host}:${port}`, () => assert.equal(list.allows(host, port), true));

  for (const [host, port] of [
    ['example.com', 22],
    ['sub.example.com', 443],
    ['example.org', 443],
    ['notexample.org', 443],
    ['evil-example.com', 443],
    ['example.com.evil.test', 443],
    ['api.test', 443],
    ['2600::1', 443],
    ['134744072', 443], // 8.8.8.8 as one number
    ['0x8.8.8.8', 443],
    ['', 443],
    ['example.com/', 443],
    ['user@example.com', 443],
    ['example.com\r\nHost: x', 443],
  ] as const)
    it(`refuses ${JSON.stringify(host)}:${port}`, () => assert.equal(list.allows(host, port), false));

  it('allows nothing when it is empty', () => {
    const empty = new Allowlist([]);
    assert.equal(empty.isEmpty, true);
    assert.equal(empty.allows('example.com', 443), false);
  });

  for (const entry of [
    '*',
    '*.*',
    '',
    'https://example.com',
    'example.com:0',
    'example.com:99999',
    'a b',
    '*.1.2.3.4',
    '10/8',
  ])
    it(`says what is wrong with ${JSON.stringify(entry)}`, () =>
      assert.throws(
        () => new Allowlist(['fine.example', entry]),
        (error: unknown) =>
          error instanceof AppError && error.code === 'INVALID_CONFIG' && error.message.includes(JSON.stringify(entry)),
      ));

  it('knows no host in a number', () => {
    for (const text of ['2130706433', '127.1', '0x7f000001', '1.2.3.4.5'])
      assert.equal(canonicalHost(text), undefined, text);
  });
});
