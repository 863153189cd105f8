/** From what was sent to a program in a known language. */
import type { RunRequest } from '#contracts/run';
import { chooseLanguage } from '#languages/choose';
import type { LanguageDefinition } from '#languages/language';
import { readProgramText } from '#languages/program-text';
import { isInstalled } from './language-reports.ts';
import type { EngineParts } from './parts.ts';

export async function readProgram(
  parts: EngineParts,
  request: RunRequest,
): Promise<{ code: string; language: LanguageDefinition }> {
  const program = readProgramText(request.code);
  const clues = {
    named: request.language,
    program,
    fileName: request.fileName,
    beside: request.files.map(({ path }) => path),
    last: parts.house.find(request.session)?.lastLanguage,
  };
  const language = await chooseLanguage(clues, {
    isInstalled: (candidate) => isInstalled(parts, request.session, candidate),
    parses: async (candidate, code) => {
      const session = await parts.house.lease(request.session, candidate.interpreter);
      const verdict = await session.check({ interpreter: candidate.interpreter, language: candidate.id, code });
      return verdict.ok && verdict.language === candidate.id;
    },
  });
  return { code: program.code, language };
}
