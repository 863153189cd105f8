/** Which languages can be run here, in which version, and what to do about the others. Asked behind the wall. */
import { z } from 'zod';
import { messageOf } from '#contracts/errors';
import type { SessionRef } from '#contracts/run';
import { installHint } from '#languages/install';
import type { CommandLanguage, LanguageDefinition } from '#languages/language';
import { COMMAND_LANGUAGES } from '#languages/registry';
import type { SessionHouse } from '#sessions/house';
import { foreignReason } from './command-work.ts';
import type { EngineParts } from './parts.ts';

export interface LanguageReport {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly ready: boolean;
  readonly version: string | null;
  /** Why it is not ready. */
  readonly reason: string | null;
  /** What to do about it. */
  readonly install: string | null;
}

/** Versions by the stamp of the tool that told them, from one look to the next. */
export interface KnownVersions {
  read(): Readonly<Record<string, string>>;
  keep(versions: Readonly<Record<string, string>>): void;
}

/** Some runtimes take seconds to tell their version, and there are dozens of them. */
const PROBE_MS = 120_000;

const probedTools = z.record(
  z.string(),
  z.object({ tool: z.string().max(4096), stamp: z.string().max(4096), version: z.string().max(100).nullable() }),
);

export async function reportCommandLanguages(parts: EngineParts, known: KnownVersions): Promise<LanguageReport[]> {
  const languages = COMMAND_LANGUAGES.filter(({ platforms }) => platforms?.includes(process.platform) ?? true);
  try {
    const session = await parts.house.lease({ kind: 'own', key: 'languages' }, 'command');
    try {
      const plan = { languages: languages.map(({ id, runtimes }) => ({ id, runtimes })), known: known.read() };
      const found = probedTools.parse(await session.probe(plan, PROBE_MS));
      known.keep(
        Object.fromEntries(Object.values(found).flatMap(({ stamp, version }) => (version ? [[stamp, version]] : []))),
      );
      return COMMAND_LANGUAGES.map((language) => report(language, found[language.id]));
    } finally {
      await parts.house.end(session);
    }
  } catch (error) {
    return COMMAND_LANGUAGES.map((language) => ({
      ...named(language),
      ...missing(messageOf(error), installHint(language)),
    }));
  }
}

function report(language: CommandLanguage, found: { version: string | null } | undefined): LanguageReport {
  if (found) return { ...named(language), ready: true, version: found.version, reason: null, install: null };
  const { platforms, name } = language;
  if (platforms && !platforms.includes(process.platform))
    return { ...named(language), ...missing(foreignReason(name, platforms), null) };
  return { ...named(language), ...missing('not installed', installHint(language)) };
}

function named({ id, name, aliases }: CommandLanguage): Pick<LanguageReport, 'id' | 'name' | 'aliases'> {
  return { id, name, aliases };
}

function missing(
  reason: string,
  install: string | null,
): Pick<LanguageReport, 'ready' | 'version' | 'reason' | 'install'> {
  return { ready: false, version: null, reason, install };
}

const installed = new WeakMap<SessionHouse, Promise<ReadonlySet<string>>>();

/** Whether a language can be run here; asked once, in the session that wants to know first. */
export async function isInstalled(parts: EngineParts, ref: SessionRef, language: LanguageDefinition): Promise<boolean> {
  if (language.interpreter !== 'command') return true;
  const known = installed.get(parts.house) ?? findInstalled(parts, ref);
  installed.set(parts.house, known);
  return (await known).has(language.id);
}

async function findInstalled({ house, logger }: EngineParts, ref: SessionRef): Promise<ReadonlySet<string>> {
  try {
    const session = await house.lease(ref, 'command');
    const languages = COMMAND_LANGUAGES.map(({ id, runtimes }) => ({ id, runtimes }));
    const found = probedTools.parse(await session.probe({ languages, known: {}, isShort: true }, PROBE_MS));
    return new Set(Object.keys(found));
  } catch (cause) {
    logger.debug('Cannot ask which languages are installed', { cause });
    return new Set(); // this wall has none of them
  }
}
