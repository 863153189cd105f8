// If this worked: a language, a file name, an argument or a session name would be read as a command, or as a path to elsewhere.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  checks: [
    {
      name: 'languages, sessions and file names are names and nothing else',
      control: 'Nothing outside takes such names; what counts is that no file of theirs appears anywhere',
      holds: async (field) => {
        const mark = join(field.folder, 'injected');
        const commands = [
          `$(touch ${mark})`,
          `; touch ${mark};`,
          `\`touch ${mark}\``,
          `| touch ${mark}`,
          `\ntouch ${mark}\n`,
          '../../../../../../tmp/x',
          '-rf',
          '--help',
        ];
        for (const text of commands) {
          const inputs = [
            { code: 'print(1)', language: text },
            { code: 'print(1)', language: 'python', session: text },
            { code: 'print(1)', language: 'python', session: `../${text}` },
            { code: 'print(1)', language: 'python', session: 'names', files: { [text]: 'x' } },
            { code: 'print(1)', language: 'python', session: 'names', files: { [`../../${text}`]: 'x' } },
            { code: 'print(1)', language: 'python', session: 'names', files: { '/etc/injected': 'x' } },
          ];
          for (const input of inputs) await field.run(input).catch(() => undefined); // refused
        }
        assert.equal(existsSync(mark), false);
        assert.equal(existsSync('/etc/injected'), false);
        assert.equal(existsSync(join(field.connection.stateDir, 'x')), false);
      },
    },
    {
      name: 'arguments and input reach the program as they are, in every language',
      control: 'The answer is compared whole: an argument that was read as a command would be missing',
      holds: async (field) => {
        const args = [`$(touch ${field.folder}/injected)`, '; exit 3', '\' " ` \\', '*', '-c', '--', ''];
        const wanted = `${JSON.stringify(args)}\n`;
        const programs = {
          python: 'import sys, json\nprint(json.dumps(sys.argv[1:], separators=(",", ":")))',
          javascript: 'console.log(JSON.stringify(process.argv.slice(2)))',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: parameters of the shell
          bash: 'out=; for a in "$@"; do a=${a//\\\\/\\\\\\\\}; out="$out,\\"${a//\\"/\\\\\\"}\\""; done; echo "[${out#,}]"',
        };
        for (const [language, code] of Object.entries(programs)) {
          const answer = answerOf(await field.run({ code, language, session: 'names', args }));
          assert.equal(answer.out, wanted, `${language}: ${JSON.stringify(answer)}`);
        }
        assert.equal(existsSync(join(field.folder, 'injected')), false);
      },
    },
  ],
};
