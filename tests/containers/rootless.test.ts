/** Podman without root: a server of another user, whom the set-up of the tests has made. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { it } from 'node:test';
import { describeWall } from '../conformance/wall.suite.ts';
import { callRunCode, connect } from '../support/client.ts';
import { testUser } from '../support/users.ts';
import { wallFlags } from '../support/walls.ts';

const as = testUser();
if (as) {
  describeWall('podman', { title: 'rootless podman', as });

  it('a rootless container has the user of its server outside, and nobody’s inside', async () => {
    await using connection = await connect({ as, flags: wallFlags('podman') });
    const code = 'open("mine", "w").close()\nimport os\nprint(os.getuid(), open("/proc/self/uid_map").read().split())';
    const result = await callRunCode(connection.client, { session: 'a', language: 'python', code });
    const [block] = result.content;
    assert.match(block?.type === 'text' ? block.text : '', /^65534 .*'65534', '0', '1'/);
    assert.equal(statSync(`${connection.stateDir}/sessions/a/workspace/mine`).uid, as.uid);
  });
} else {
  it('rootless podman', { skip: 'there is no user for it; CI=true makes one, as root' }, () => {});
}
