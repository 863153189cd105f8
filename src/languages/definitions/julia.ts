import type { CommandLanguage } from '../language.ts';

export const julia: CommandLanguage = {
  id: 'julia',
  name: 'Julia',
  aliases: ['jl', 'julia-lang'],
  extensions: ['.jl'],
  shebangs: ['julia'],
  interpreter: 'command',
  entry: { file: 'main.jl' },
  runtimes: [
    {
      tools: ['julia'],
      version: { ask: ['--version'] },
      run: ['{tool}', '--startup-file=no', '--heap-size-hint={heap}M', '{entry}', '{args}'],
      check: [
        [
          '{tool}',
          '--startup-file=no',
          '-e',
          'Meta.parseall(read("{entry}", String); filename="{entry}") |> x -> any(e -> e isa Expr && e.head in (:error, :incomplete), x.args) && (println(stderr, x); exit(1))',
        ],
      ],
      env: { JULIA_DEPOT_PATH: '/tmp/.sallyport/julia' },
    },
  ],
  install: {
    brew: 'julia',
    dnf: 'julia',
    winget: 'Julialang.Julia',
    other: 'Install Julia from julialang.org/install',
  },
  similar: ['python', 'r', 'octave'],
};
