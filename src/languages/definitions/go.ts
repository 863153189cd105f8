import type { CommandLanguage } from '../language.ts';

export const go: CommandLanguage = {
  id: 'go',
  name: 'Go',
  aliases: ['golang', 'go-lang'],
  extensions: ['.go'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.go' },
  sources: ['.go'],
  sourcesBeside: true,
  included: ['go.mod', 'go.sum', 'go.work'],
  runtimes: [
    {
      tools: ['go'],
      version: { ask: ['version'] },
      compile: [['{tool}', 'build', '-o', '{out}/program', '{sources}']],
      run: ['{out}/program', '{args}'],
    },
  ],
  // The standard library is compiled once a session, and kept in scratch space.
  env: {
    GOCACHE: '/tmp/.sallyport/go',
    GOPATH: '/tmp/.sallyport/gopath',
    GOTOOLCHAIN: 'local',
    GOPROXY: 'off',
    GOTELEMETRY: 'off',
    CGO_ENABLED: '0',
  },
  noise: ['# command-line-arguments'],
  install: { apt: 'golang-go', brew: 'go', dnf: 'golang', apk: 'go', winget: 'GoLang.Go' },
  similar: ['rust', 'c', 'java'],
};
