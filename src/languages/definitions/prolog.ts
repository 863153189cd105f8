import type { CommandLanguage } from '../language.ts';

export const prolog: CommandLanguage = {
  id: 'prolog',
  name: 'Prolog',
  aliases: ['swipl', 'swi-prolog', 'pro', 'plg'],
  extensions: ['.pro', '.prolog', '.plt'],
  shebangs: ['swipl'],
  interpreter: 'command',
  entry: { file: 'main.pl' },
  runtimes: [
    {
      tools: ['swipl'],
      version: { ask: ['--version'] },
      // What the program's directives leave to do is nothing: without this, SWI would wait for queries.
      run: ['{tool}', '-q', '--on-error=status', '-g', 'halt', '-s', '{entry}', '--', '{args}'],
      check: [
        [
          '{tool}',
          '-q',
          '-g',
          'catch((open("{entry}", read, S), repeat, read_term(S, T, []), T == end_of_file), error(syntax_error(M), file(_, L, C, _)), (format(user_error, "{entry}:~w:~w: ~w~n", [L, C, M]), halt(1))), halt',
        ],
      ],
    },
  ],
  install: { apt: 'swi-prolog-nox', brew: 'swi-prolog', dnf: 'pl', apk: 'swi-prolog', winget: 'SWI-Prolog.SWI-Prolog' },
  similar: ['lisp', 'erlang'],
};
