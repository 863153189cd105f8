/** Parses a program without running anything of it. */
import type { RunRequest } from '#contracts/run';
import type { ParseVerdict } from '#sessions/interpreter';
import type { EngineParts } from './parts.ts';
import { readProgram } from './read-program.ts';

export async function checkCode(
  parts: EngineParts,
  request: RunRequest,
): Promise<{ language: string; verdict: ParseVerdict }> {
  const { code, language } = await readProgram(parts, request);
  const session = await parts.house.lease(request.session, language.interpreter);
  return { language: language.id, verdict: await session.check(language.interpreter, language.id, code) };
}
