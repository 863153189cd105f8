import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Mask } from './redact.ts';
import { SecretBook } from './secret-book.ts';

const secrets = [
  { name: 'TOKEN', value: 'abc/def+ghi' },
  { name: 'LONGER', value: 'abc/def+ghi+jkl' },
  { name: 'PASSPHRASE', value: 'correct horse "battery" ü' },
  { name: 'PIN', value: '123' },
];
const mask = Mask.of(secrets) as Mask;
const base64 = (text: string) => Buffer.from(text).toString('base64');

const cases: ReadonlyArray<readonly [what: string, text: string, clean: string]> = [
  ['a plain one', 'refused abc/def+ghi!', 'refused [secret TOKEN]!'],
  ['the longer of two', 'abc/def+ghi+jkl', '[secret LONGER]'],
  ['many', 'abc/def+ghiabc/def+ghi', '[secret TOKEN][secret TOKEN]'],
  ['one in an address', 'GET /?key=abc%2Fdef%2Bghi', 'GET /?key=[secret TOKEN]'],
  ['one in an address with small letters', '/?key=abc%2fdef%2bghi', '/?key=[secret TOKEN]'],
  ['one in JSON', JSON.stringify({ p: 'correct horse "battery" ü' }), '{"p":"[secret PASSPHRASE]"}'],
  ['one in a form', 'p=correct+horse+%22battery%22+%C3%BC', 'p=[secret PASSPHRASE]'],
  ['one in base64', base64('abc/def+ghi'), '[secret TOKEN]'],
  ['one in base64 for addresses', Buffer.from('abc/def+ghi').toString('base64url'), '[secret TOKEN]'],
  ['no short ones, which are everywhere', 'line 123', 'line 123'],
  ['nothing else', 'abc/def+gh', 'abc/def+gh'],
];

describe('Mask', () => {
  for (const [what, text, clean] of cases) it(`masks ${what}`, () => assert.equal(mask.text(text), clean));

  for (const before of ['', 'u', 'us', 'use', 'user:']) {
    it(`masks one within base64 behind ${before.length} other bytes`, () => {
      const text = mask.text(`Basic ${base64(`${before}abc/def+ghi, and more`)}`);
      assert.match(text, /\[secret TOKEN\]/);
      const left = text.replace(/\[secret TOKEN\]/, '').replace('Basic ', '');
      assert.equal(Buffer.from(left, 'base64').includes('def'), false);
    });
  }

  it('keeps JSON whole, whatever the name of a secret', () => {
    const odd = Mask.of([{ name: 'X"}\n', value: 'abc/def+ghi' }]) as Mask;
    assert.deepEqual(JSON.parse(odd.text('{"a":"abc/def+ghi"}')), { a: '[secret X___]' });
  });

  it('is not there when nothing is secret', () => {
    assert.equal(Mask.of([]), undefined);
    assert.equal(Mask.of([{ name: 'PIN', value: '123' }]), undefined);
  });

  it('masks names and texts at every depth, and leaves clean values as they are', () => {
    const clean = { a: [1, null, { b: 'text' }] };
    assert.equal(mask.value(clean), clean);
    assert.deepEqual(mask.value({ 'abc/def+ghi': [{ deep: 'x abc/def+ghi' }], n: 1 }), {
      '[secret TOKEN]': [{ deep: 'x [secret TOKEN]' }],
      n: 1,
    });
  });

  it('masks a stream as it masks the whole, however it is cut', () => {
    const piece = fc.constantFrom(
      'abc/def+ghi',
      'abc/def+ghi+jkl',
      'abc/def',
      '+ghi',
      base64('abc/def+ghi'),
      'x',
      'ü',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(200), { maxLength: 8 }), (pieces, cuts) => {
        const whole = Buffer.from(pieces.join(''));
        const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length])].sort(
          (a, b) => a - b,
        );
        const stream = mask.stream();
        const shown = places.slice(1).map((end, index) => stream.push(whole.subarray(places[index], end)));
        assert.equal(Buffer.concat([...shown, stream.flush()]).toString(), mask.bytes(whole).toString());
      }),
      { numRuns: 500 },
    );
  });

  it('keeps nothing back that cannot be the beginning of a secret', () => {
    const stream = mask.stream();
    assert.equal(stream.push(Buffer.from('working… ')).toString(), 'working… ');
    assert.equal(stream.push(Buffer.from('abc/')).toString(), '');
    assert.equal(stream.push(Buffer.from('x')).toString(), 'abc/x');
  });
});

describe('SecretBook', () => {
  it('forgets what a source no longer knows', () => {
    const book = new SecretBook();
    assert.equal(book.mask, undefined);
    book.note('servers', [{ name: 'A', value: 'first-secret' }]);
    book.note('tokens', [{ name: 'B', value: 'second-secret' }]);
    assert.equal(book.clean('first-secret second-secret'), '[secret A] [secret B]');
    book.note('servers', []);
    assert.equal(book.clean('first-secret second-secret'), 'first-secret [secret B]');
  });
});
