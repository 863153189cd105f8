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

const commands = new Set(COMMAND_LANGUAGES.map(({ id }) => id));

export function testedLanguages(): {
  ready: ReadonlySet<string>;
  missing: ReadonlyMap<string, string>;
  slow: ReadonlySet<string>;
} {
  const reports = JSON.parse(
    execFileSync(process.execPath, [MAIN, 'languages', '--json'], { encoding: 'utf8' }),
  ) as Report[];
  const listed = (JSON.parse(readFileSync(TOOLCHAINS, 'utf8')) as { languages: Record<string, { slow?: boolean }> })
    .languages;
  const ready = reports.filter((report) => report.ready && commands.has(report.id)).map(({ id }) => id);
  const missing = reports.filter((report) => !report.ready && report.id in listed);
  return {
    // With CI=true nothing but the list: what else the machine has may be slow or strange.
    ready: new Set(process.env.CI === 'true' ? ready.filter((id) => id in listed) : ready),
    missing: new Map(missing.map(({ id, reason }) => [id, reason ?? 'not ready'])),
    slow: new Set(Object.keys(listed).filter((id) => listed[id]?.slow)),
  };
}
