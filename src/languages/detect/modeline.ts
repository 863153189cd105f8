/** What an editor was told about a file: `-*- mode: ruby -*-`, `vim: set ft=perl6:`. */

/** Editors look at the first and last few lines only. */
const LINES = 5;
const EMACS = /-\*-\s*(?:(?:.*?;)?\s*mode\s*:\s*([\w+#-]+)[^*]*|([\w+#-]+)\s*)-\*-/i;
const VIM = /(?:^|\s)(?:vim?|ex):\s*(?:set?\s+)?(?:.*[\s:])?(?:ft|filetype|syntax)=([\w+#-]+)/;

/** The name that the modeline gives, as it is written there. */
export function modelineOf(code: string): string | undefined {
  const lines = code.trimEnd().split('\n');
  const looked = lines.length <= 2 * LINES ? lines : [...lines.slice(0, LINES), ...lines.slice(-LINES)];
  for (const line of looked) {
    const text = line.slice(0, 200);
    const emacs = EMACS.exec(text);
    const name = emacs?.[1] ?? emacs?.[2] ?? VIM.exec(text)?.[1];
    if (name !== undefined) return name.toLowerCase();
  }
  return undefined;
}
