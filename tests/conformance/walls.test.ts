import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callRunCode, connect } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';
import { describeWall, usersOfSandboxes } from './wall.suite.ts';

const walls = await availableWalls();
for (const wall of walls) describeWall(wall);

if (walls.includes('bubblewrap')) {
  it('bubblewrap runs programs as another user when the server is root, and never as root', async () => {
    await using connection = await connect({ flags: ['--sandbox', 'bubblewrap'] });
    await callRunCode(connection.client, { language: 'python', code: '1' });
    const users = await usersOfSandboxes();
    assert.ok(users.length > 0);
    assert.ok(!users.includes('0'), users.join());
  });
}
