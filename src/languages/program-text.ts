/**
 * What models send is often not quite a program: Markdown fences around it, Windows line ends, a byte-order mark.
 * The text that comes out has the same line numbers as the text that went in, so that error messages fit what was sent.
 */

export interface ProgramText {
  readonly code: string;
  /** The word behind an opening fence, in lower case; undefined without a fence or a word. */
  readonly fenceTag: string | undefined;
}

const OPENING_FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n`]*$/;

export function readProgramText(sent: string): ProgramText {
  const text = sent.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const opening = OPENING_FENCE.exec(lines[first] ?? '');
  if (opening === null) return { code: text, fenceTag: undefined };

  const fence = opening[1] as string;
  const closing = lines.findIndex((line, index) => index > first && line.trim() === fence);
  const end = closing === -1 ? lines.length : closing;
  const body = lines.map((line, index) => (index > first && index < end ? line : ''));
  return { code: `${body.slice(0, end).join('\n')}\n`, fenceTag: opening[2]?.toLowerCase() || undefined };
}
