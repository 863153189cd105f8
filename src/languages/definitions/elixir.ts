import { ERLANG_ENVIRONMENT } from '../beam.ts';
import type { CommandLanguage } from '../language.ts';

export const elixir: CommandLanguage = {
  id: 'elixir',
  name: 'Elixir',
  aliases: ['ex', 'exs', 'iex'],
  extensions: ['.ex', '.exs'],
  shebangs: ['elixir', 'iex'],
  interpreter: 'command',
  entry: { file: 'main.exs' },
  runtimes: [
    {
      tools: ['elixir'],
      version: { ask: ['--version'], find: String.raw`Elixir ([\d.]+)` },
      run: ['{tool}', '{entry}', '{args}'],
      check: [['{tool}', '-e', 'Code.string_to_quoted!(File.read!("{entry}"), file: "{entry}")']],
      env: ERLANG_ENVIRONMENT,
    },
  ],
  install: { apt: 'elixir', brew: 'elixir', dnf: 'elixir', apk: 'elixir', winget: 'ElixirLang.Elixir' },
  similar: ['erlang', 'ruby', 'clojure'],
};
