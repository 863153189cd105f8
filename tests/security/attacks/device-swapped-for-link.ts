// If this worked: a link in the place of a device or of a mount point would make the host open or mount the attacker's choice.
import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sallyport } from '../../support/command.ts';
import { wallFlags } from '../../support/walls.ts';
import type { Attack } from '../attack.ts';
import { NO_MOUNTS, withProject } from '../mount-runs.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: 'It would take the devices of the machine that runs the tests away',
      not: { embedded: 'its /dev is of its own making and no part of the host' },
      code: (field) => `
for path in ('/dev/null', '/dev/full', '/dev/pts', '/dev/shm', '/dev/stdout', '/dev', '/proc', '/workspace', '/output', '/tmp', '/run/sallyport'):
    attempt('rename ' + path, lambda: os.rename(path, path + '2') or 'moved')
    attempt('replace ' + path, lambda: (os.path.lexists('/tmp/link') or os.symlink('${field.secretFile}', '/tmp/link'), os.rename('/tmp/link', path), 'replaced')[2])
    attempt('unlink ' + path, lambda: os.unlink(path) or 'gone')
attempt('the device is another one', lambda: os.stat('/dev/null').st_rdev != os.makedev(1, 3))
`,
    },
  ],
  checks: [
    {
      name: 'a link in a workspace does not lead a mount of the next start elsewhere',
      not: NO_MOUNTS,
      control: 'A mount that followed the link would show its file at the place that the link names',
      holds: (field) =>
        withProject(field, async (project, run) => {
          await mkdir(project);
          await writeFile(join(project, 'shown.txt'), 'x');
          for (const target of ['/usr', '/output', '/tmp']) {
            const flags = ['run', ...wallFlags(field.wall), '--session', 'mounts', '-l', 'bash', '-e'];
            await sallyport([...flags, `rm -rf project; ln -s ${target} project`], {
              stateDir: join(project, '..', 'state'),
            });
            const { stdout } = await run(`ls ${target}/shown.txt`, project);
            assert.equal(stdout, '');
          }
          assert.deepEqual(await readdir(project), ['shown.txt']);
        }),
    },
  ],
};
