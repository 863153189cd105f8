/** Parses a program without running anything of it; a compiled one is compiled. */
import { randomUUID } from 'node:crypto';
import { AppError } from '#contracts/errors';
import type { RunRequest, SessionRef } from '#contracts/run';
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

/** For a program that asks: its own session is busy with it, so that another one is opened for the moment. */
export async function checkAside(
  parts: EngineParts,
  code: string,
  language: string | undefined,
): Promise<CheckedProgram> {
  const session: SessionRef = { kind: 'own', key: `check-${randomUUID()}` };
  const rest = { fileName: undefined, timeoutMs: undefined, args: [], stdin: undefined, files: [], caller: 'check' };
  try {
    return await checkCode(parts, { code, language, session, ...rest });
  } finally {
    const opened = parts.house.find(session);
    if (opened) await parts.house.end(opened);
  }
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
