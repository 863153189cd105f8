import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseIdentity } from './user.ts';

const rootless = { version: '5', isRootless: true, isRemote: false };

describe('chooseIdentity()', () => {
  it('is nobody inside and the server’s own user outside of a rootless engine', () => {
    const { user, keepsUser, owner } = chooseIdentity('podman', rootless, undefined);
    assert.deepEqual(
      { user, keepsUser, owner },
      { user: { uid: 65534, gid: 65534 }, keepsUser: true, owner: undefined },
    );
  });

  it('takes another user, and its group after a colon', () => {
    assert.deepEqual(chooseIdentity('podman', rootless, '1000').user, { uid: 1000, gid: 1000 });
    assert.deepEqual(chooseIdentity('podman', rootless, '1000:20').user, { uid: 1000, gid: 20 });
  });

  for (const bad of ['0', '0:0', '5:0', 'root', '1:2:3', '-1', '']) {
    it(`refuses ${JSON.stringify(bad)}`, () => {
      assert.throws(() => chooseIdentity('podman', rootless, bad), { code: 'INVALID_CONFIG' });
    });
  }
});
