import type { CommandLanguage } from '../language.ts';

export const lua: CommandLanguage = {
  id: 'lua',
  name: 'Lua',
  aliases: ['lua5', 'lua5.4', 'luajit'],
  extensions: ['.lua'],
  shebangs: ['lua', 'luajit'],
  interpreter: 'command',
  entry: { file: 'main.lua' },
  runtimes: ['lua5.4', 'lua', 'lua5.3', 'luajit'].map((tool) => ({
    tools: [tool],
    version: { ask: ['-v'] },
    run: ['{tool}', '{entry}', '{args}'],
    check: [
      ['{tool}', '-e', 'local ok, why = loadfile("{entry}") if not ok then io.stderr:write(why, "\\n") os.exit(1) end'],
    ],
  })),
  install: { apt: 'lua5.4', brew: 'lua', dnf: 'lua', apk: 'lua5.4', winget: 'DEVCOM.Lua' },
  similar: ['python', 'javascript', 'ruby'],
};
