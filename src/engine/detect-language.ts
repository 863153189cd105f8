/** The language of a text with the reasons, over all languages that are known, installed or not. */
import { toldLanguage } from '#languages/choose';
import { CONFIDENT, guessSnippet } from '#languages/detect/snippet';
import { readProgramText } from '#languages/program-text';

export interface Detection {
  /** Null when it is too unsure to be run. */
  readonly language: string | null;
  readonly confidence: number;
  /** What it was told by. */
  readonly by: 'fence' | '#! line' | 'file name' | 'modeline' | 'text';
  /** The likeliest first. */
  readonly candidates: readonly { readonly language: string; readonly confidence: number }[];
  readonly reasons: readonly string[];
}

const CANDIDATES_MAX = 5;

export async function detectLanguage(text: { code: string; fileName: string | undefined }): Promise<Detection> {
  const program = readProgramText(text.code);
  const told = toldLanguage({ program, fileName: text.fileName });
  if (told) {
    const { id } = told.language;
    const candidates = [{ language: id, confidence: 1 }];
    return { language: id, confidence: 1, by: told.by, candidates, reasons: [clueOf(told.by, program, text.fileName)] };
  }
  const guess = await guessSnippet(program.code);
  const candidates = guess.candidates
    .slice(0, CANDIDATES_MAX)
    .map(({ language, confidence }) => ({ language, confidence: Math.round(confidence * 10_000) / 10_000 }));
  const best = guess.candidates[0];
  const isSure = best !== undefined && program.code.trim() !== '' && best.confidence >= CONFIDENT;
  return {
    language: isSure ? best.language : null,
    confidence: candidates[0]?.confidence ?? 0,
    by: 'text',
    candidates,
    reasons: best === undefined ? [] : guess.reasons(best.language),
  };
}

function clueOf(
  by: string,
  program: { code: string; fenceTag: string | undefined },
  fileName: string | undefined,
): string {
  if (by === 'fence') return `\`\`\`${program.fenceTag ?? ''}`;
  if (by === 'file name') return fileName ?? '';
  return by === '#! line' ? (program.code.trimStart().split('\n', 1)[0] ?? '').slice(0, 80) : 'an editor’s line';
}
