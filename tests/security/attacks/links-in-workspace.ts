// If this worked: the server would follow a link that a program made, and read or write a file of the host for it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';
import type { Field } from '../field.ts';

const SESSION = 'links';

const makeLinks = ({ secretFile, folder }: Field) => `
import os, socket
def make(name, action):
    try: action()
    except Exception as error: print(name, type(error).__name__)
for name in ('file', 'folder', 'up', 'hard', 'pipe', 'sock', 'deep'):
    try: os.unlink(name)
    except OSError: pass
make('file', lambda: os.symlink(${JSON.stringify(secretFile)}, 'file'))
make('folder', lambda: os.symlink(${JSON.stringify(folder)}, 'folder'))
make('up', lambda: os.symlink('../../../../../../../..', 'up'))
make('hard', lambda: os.link('/etc/passwd', 'hard'))
make('pipe', lambda: os.mkfifo('pipe'))
make('sock', lambda: socket.socket(socket.AF_UNIX).bind('sock'))
os.makedirs('real', exist_ok=True)
make('deep', lambda: os.symlink('../file', 'real/deep'))
print('made')
`;

async function readResource(field: Field, path: string): Promise<string> {
  const uri = `sallyport://sessions/${SESSION}/files/${path}`;
  const answer = await field.connection.client
    .readResource({ uri }, { timeout: 5_000 })
    .catch((error: unknown) => String(error));
  return JSON.stringify(answer);
}

const NO_LINKS = { embedded: 'a program cannot make links there' };

export const attack: Attack = {
  checks: [
    {
      name: 'links, pipes and sockets are not read as files of the workspace',
      not: NO_LINKS,
      control: async (field) => assert.equal(await readFile(field.secretFile, 'utf8'), field.secret),
      holds: async (field) => {
        const made = answerOf(await field.run({ session: SESSION, language: 'python', code: makeLinks(field) }));
        assert.match(made.out, /made\n$/, JSON.stringify(made));
        for (const path of [
          'file',
          'folder/secret.txt',
          `up${field.secretFile}`,
          'real/deep',
          'hard',
          'pipe',
          'sock',
          '../workspace/file',
          '%2e%2e/holder.json',
        ]) {
          const text = await readResource(field, path);
          assert.ok(!text.includes(field.secret) && !text.includes('root:'), `${path}: ${text}`);
        }
      },
    },
    {
      name: 'files of a request are not written through links',
      not: NO_LINKS,
      control: 'What is looked at is the host: the secret file and the folder must stay as they are',
      holds: async (field) => {
        await field.run({ session: SESSION, language: 'python', code: makeLinks(field) });
        for (const path of ['file', 'folder/new.txt', `up${field.folder}/new.txt`, 'real/deep', 'pipe', 'sock']) {
          await field
            .run({ session: SESSION, language: 'bash', code: 'true', files: { [path]: 'overwritten' } })
            .catch(() => undefined);
        }
        assert.equal(await readFile(field.secretFile, 'utf8'), field.secret);
        const answer = answerOf(await field.run({ session: SESSION, language: 'bash', code: 'echo on' }));
        assert.match(answer.out, /on\n$/);
      },
    },
    {
      name: 'a folder that is swapped for a link while files are written leads nowhere',
      not: NO_LINKS,
      control: 'The race is lost or won by chance; what is looked at is that it never ends outside',
      holds: async (field) => {
        const swap = `
import os, time
end = time.time() + 1.2
while time.time() < end:
    os.makedirs('swapped', exist_ok=True)
    try: os.rename('swapped', 'other%d' % time.time_ns()); os.symlink(${JSON.stringify(field.home)}, 'swapped'); os.unlink('swapped')
    except OSError: pass
`;
        await field.run({
          session: SESSION,
          language: 'python',
          code: `import threading\ndef race():\n${swap.replace(/^/gm, '    ')}\nthreading.Thread(target=race, daemon=True).start()`,
        });
        for (let index = 0; index < 40; index++) {
          await field
            .run({ session: SESSION, language: 'bash', code: 'true', files: { [`swapped/new${index}.txt`]: 'x' } })
            .catch(() => undefined);
        }
      },
    },
  ],
};
