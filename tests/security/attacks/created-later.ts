// If this worked: a program would make a hook or a client's configuration that was not there when the wall was built.
import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attack } from '../attack.ts';
import { NO_MOUNTS, withProject } from '../mount-runs.ts';

const MAKE = `cd project
mkdir -p .git/hooks && echo 'touch /tmp/owned' >.git/hooks/pre-commit
echo '{"mcpServers": {}}' >.mcp.json
mkdir -p .vscode .cursor .claude
echo {} >.vscode/tasks.json; echo {} >.cursor/mcp.json; echo {} >.claude/settings.json
rmdir .vscode && ln -s /tmp .vscode
echo fine >ordinary; true`;

export const attack: Attack = {
  checks: [
    {
      name: 'what runs on the host later cannot be made in a writable mount',
      not: { ...NO_MOUNTS, podman: 'it refuses folders of other users', docker: 'it refuses folders of other users' },
      holds: (field) =>
        withProject(field, async (project, run) => {
          await mkdir(project);
          const { stderr } = await run(MAKE, `${project}:rw`);
          assert.deepEqual(await readdir(project, { recursive: true }), ['ordinary'], stderr);
        }),
      control: async (field) =>
        withProject(field, async (project) => {
          await mkdir(project);
          await field.outside('bash', `cd ${join(project, '..')} && ${MAKE}`);
          assert.ok((await readdir(join(project, '.git/hooks'))).includes('pre-commit'));
        }),
    },
  ],
};
