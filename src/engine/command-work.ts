/** Programs of languages without a live interpreter: what the session has to do, and what its answer means. */
import { AppError } from '#contracts/errors';
import type { RunOutcome, RunRequest } from '#contracts/run';
import { type CommandPlan, commandPlan } from '#languages/command-plan';
import { firstDiagnostic } from '#languages/diagnostics';
import { installHint } from '#languages/install';
import type { CommandLanguage, LanguageDefinition } from '#languages/language';
import type { EngineParts } from './parts.ts';

const SYSTEM_NAMES: Readonly<Record<string, string>> = { win32: 'Windows', darwin: 'macOS', linux: 'Linux' };

/** Undefined for a live language. */
export function workOf(
  { limits }: EngineParts,
  language: LanguageDefinition,
  code: string,
  { files, fileName }: Pick<RunRequest, 'files' | 'fileName'>,
): { plan?: CommandPlan } {
  if (language.interpreter !== 'command') return {};
  refuseForeign(language);
  const plan = commandPlan(language, { code, files }, limits.memoryBytes);
  return { plan: { ...plan, entry: { ...plan.entry, file: ownName(language, fileName) ?? plan.entry.file } } };
}

/** Error messages call the program what its author calls it, where the language leaves that free. */
function ownName({ entry, extensions }: CommandLanguage, fileName: string | undefined): string | undefined {
  if (entry.stem || fileName === undefined || !/^\w[\w.-]{0,99}$/.test(fileName)) return undefined;
  return extensions.some((ending) => fileName.endsWith(ending)) ? fileName : undefined;
}

function refuseForeign({ name, platforms, similar }: CommandLanguage): void {
  if (platforms === undefined || platforms.includes(process.platform)) return;
  throw new AppError('RUNTIME_MISSING', foreignReason(name, platforms), {
    hint: `Use another language: ${similar.join(', ')}`,
  });
}

export function foreignReason(name: string, platforms: readonly string[]): string {
  const system = (platform: string) => SYSTEM_NAMES[platform] ?? platform;
  return `${name} exists only on ${platforms.map(system).join(' and ')}; this is ${system(process.platform)}`;
}

/** The outcome as the caller shall see it; throws where nothing ran for a reason that is ours to explain. */
export function explainOutcome(language: LanguageDefinition, outcome: RunOutcome): RunOutcome {
  const { error } = outcome;
  if (language.interpreter !== 'command' || error === null) return outcome;
  switch (error.code) {
    case 'RUNTIME_MISSING':
      throw runtimeMissing(language);
    case 'INVALID_INPUT':
    case 'SANDBOX_FAILED':
      throw new AppError(error.code, `${language.name}: ${error.message}`);
    case 'COMPILE_FAILED':
      return { ...outcome, error: { code: error.code, message: oneError(language, error.diagnostics ?? '') } };
    default:
      return outcome;
  }
}

export function runtimeMissing(language: CommandLanguage): AppError {
  const tools = [...new Set(language.runtimes.map(({ tools: [tool] }) => tool))].join(' or ');
  return new AppError(
    'RUNTIME_MISSING',
    `${language.name} is not installed here: there is no ${tools} behind the wall`,
    {
      hint: `${installHint(language)}; or use another language: ${language.similar.join(', ')}`,
    },
  );
}

function oneError(language: CommandLanguage, diagnostics: string): string {
  const { line, column, message } = firstDiagnostic(language, diagnostics);
  const place = line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `;
  return `${place}${message}`.slice(0, 500);
}
