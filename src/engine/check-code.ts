/** Parses a program without running anything of it; a compiled one is compiled. */
import { AppError } from '#contracts/errors';
import type { RunRequest } from '#contracts/run';
import { firstDiagnostic } from '#languages/diagnostics';
import type { LanguageDefinition } from '#languages/language';
import type { ParseVerdict } from '#sessions/interpreter';
import { runtimeMissing, workOf } from './command-work.ts';
import type { EngineParts } from './parts.ts';
import { readProgram } from './read-program.ts';

export interface CheckedProgram {
  readonly ok: boolean;
  readonly language: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly message: string | undefined;
}

export async function checkCode(parts: EngineParts, request: RunRequest): Promise<CheckedProgram> {
  const { code, language } = await readProgram(parts, request);
  const work = workOf(parts, language, code, request);
  const session = await parts.house.lease(request.session, language.interpreter);
  const verdict = await session.check({ interpreter: language.interpreter, language: language.id, code, ...work });
  return readVerdict(language, verdict);
}

function readVerdict(language: LanguageDefinition, verdict: ParseVerdict): CheckedProgram {
  const { ok, line, column, message } = verdict;
  if (language.interpreter !== 'command') return { ok, language: language.id, line, column, message };
  if (verdict.problem === 'RUNTIME_MISSING') throw runtimeMissing(language);
  if (verdict.problem !== undefined)
    throw new AppError('INVALID_INPUT', `${language.name}: ${message ?? 'cannot be checked'}`);
  const found = ok ? undefined : firstDiagnostic(language, verdict.diagnostics ?? '');
  return { ok, language: language.id, line: found?.line, column: found?.column, message: found?.message };
}
