#!/usr/bin/env node
/** The entry: argv → command. The application and the benchmarks are loaded only by the commands that need them. */
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { main } from '#cli/main';

enableCompileCache();

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

process.exitCode = await main(process.argv.slice(2), {
  version,
  build: async (settings, options) => (await import('./app.ts')).buildApp(settings, options, version),
  bench: async (kind, flags, settings) => (await import('./bench/main.ts')).bench(kind, flags, settings),
});
