/** Which languages are tested here: those that are ready. With CI=true those of the set-up's list must be. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { COMMAND_LANGUAGES } from '../../src/languages/registry.ts';
import { MAIN } from '../support/client.ts';

interface Report {
  readonly id: string;
  readonly ready: boolean;
  readonly reason: string | null;
}

const TOOLCHAINS = new URL('../../scripts/test/toolchains.json', import.meta.url);

export function testedLanguages(): { ready: ReadonlySet<string>; missing: ReadonlyMap<string, string> } {
  const reports = JSON.parse(
    execFileSync(process.execPath, [MAIN, 'languages', '--json'], { encoding: 'utf8' }),
  ) as Report[];
  const listed = JSON.parse(readFileSync(TOOLCHAINS, 'utf8')) as { languages: Record<string, unknown> };
  const isOwed = (id: string) => process.env.CI !== 'true' || id in listed.languages;
  const commands = new Set(COMMAND_LANGUAGES.map(({ id }) => id));
  const missing = reports.filter(({ id, ready }) => !ready && commands.has(id) && isOwed(id) && id in listed.languages);
  return {
    ready: new Set(reports.filter(({ ready }) => ready).map(({ id }) => id)),
    missing: new Map(missing.map(({ id, reason }) => [id, reason ?? 'not ready'])),
  };
}
