import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Places } from './places.mjs';

describe('Places', () => {
  const places = new Places({ workspace: '/tmp/state/ws', output: '/tmp/state/ws-out', tmp: '/tmp/sallyport-1' });

  for (const [inside, host] of [
    ['/workspace', '/tmp/state/ws'],
    ['/workspace/a/b', '/tmp/state/ws/a/b'],
    ['/workspaces', '/workspaces'],
    ['/tmp/x', '/tmp/sallyport-1/x'],
    ['/output/1', '/tmp/state/ws-out/1'],
    ['/tmp/state/ws/a', '/tmp/state/ws/a'],
    ['relative', 'relative'],
    ['/etc/passwd', '/etc/passwd'],
  ]) {
    it(`takes ${inside} for ${host}`, () => assert.equal(places.toHost(inside), host));
  }

  it('knows URLs and buffers, and leaves other values alone', () => {
    assert.equal(places.toHost(new URL('file:///workspace/a%20b')), '/tmp/state/ws/a b');
    assert.equal(places.toHost(Buffer.from('/tmp/x')), '/tmp/sallyport-1/x');
    assert.equal(places.toHost(3), 3);
  });

  it('takes host paths out of text', () => {
    assert.equal(
      places.toInside("open '/tmp/state/ws-out/x' or '/tmp/state/ws/y'"),
      "open '/output/x' or '/workspace/y'",
    );
  });
});
