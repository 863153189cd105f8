// If this worked: a program would move the folder above a protected one away, and put its own hooks where that one was.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';
import { NO_MOUNTS, withProject } from '../mount-runs.ts';

const MOVE = `cd project && mv packages away && mkdir -p packages/app/.git/hooks && echo 'touch /tmp/owned' >packages/app/.git/hooks/pre-commit
mv packages/app elsewhere; mkdir -p packages/app/.git/hooks && echo 'touch /tmp/owned' >packages/app/.git/hooks/pre-commit; true`;

export const attack: Attack = {
  checks: [
    {
      name: 'the folders above a protected one stay where they are',
      not: NO_MOUNTS,
      holds: (field) =>
        withProject(field, async (project, run) => {
          await mkdir(join(project, 'packages/app/.git/hooks'), { recursive: true });
          await writeFile(join(project, 'packages/app/.git/config'), '[core]');
          const { stderr } = await run(MOVE, `${project}:rw`);
          assert.equal(existsSync(join(project, 'packages/app/.git/hooks/pre-commit')), false, stderr);
          assert.equal(await readFile(join(project, 'packages/app/.git/config'), 'utf8'), '[core]');
        }),
      control: async (field) =>
        withProject(field, async (project) => {
          await mkdir(join(project, 'packages/app/.git/hooks'), { recursive: true });
          await field.outside('bash', `cd ${join(project, '..')} && ${MOVE}`);
          assert.equal(existsSync(join(project, 'packages/app/.git/hooks/pre-commit')), true);
        }),
    },
    {
      name: 'a protected name that is a link cannot be put another thing in its place',
      not: NO_MOUNTS,
      control: 'Replacing a link is what everybody may do in a folder that they may write to',
      holds: (field) =>
        withProject(field, async (project, run) => {
          await mkdir(join(project, 'real'), { recursive: true });
          await symlink('real', join(project, '.vscode'));
          await run('cd project && rm -f .vscode && mkdir .vscode && echo {} >.vscode/tasks.json', `${project}:rw`);
          assert.equal(existsSync(join(project, '.vscode/tasks.json')), false);
        }),
    },
    {
      name: 'the workspace itself stays where it is',
      control: 'Renaming a folder is what everybody may do with their own',
      holds: async (field) => {
        const code =
          'mv /workspace /workspace2 2>/dev/null; mv /workspace /tmp/w 2>/dev/null; cd /workspace && echo here >kept && cat kept';
        const answer = answerOf(await field.run({ language: 'bash', session: 'attacker', code }));
        assert.equal(answer.out, 'here\n', JSON.stringify(answer));
      },
    },
  ],
};
