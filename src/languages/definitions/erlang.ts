import { ERLANG_ENVIRONMENT } from '../beam.ts';
import type { CommandLanguage } from '../language.ts';

export const erlang: CommandLanguage = {
  id: 'erlang',
  name: 'Erlang',
  aliases: ['erl', 'escript', 'beam'],
  extensions: ['.erl', '.escript'],
  shebangs: ['escript'],
  interpreter: 'command',
  entry: { file: 'main.erl' },
  runtimes: [
    {
      tools: ['erl', 'escript'],
      version: {
        ask: ['-noshell', '-eval', 'io:put_chars(erlang:system_info(otp_release)), halt().'],
        find: String.raw`(\d+)`,
      },
      run: ['escript', '{tools}/run.escript', 'run', '{entry}', '{args}'],
      check: [['escript', '{tools}/run.escript', 'check', '{entry}']],
      env: ERLANG_ENVIRONMENT,
    },
  ],
  install: { apt: 'erlang-base', brew: 'erlang', dnf: 'erlang', apk: 'erlang', winget: 'Erlang.ErlangOTP' },
  similar: ['elixir', 'prolog'],
};
