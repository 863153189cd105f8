/**
 * What a query holds that is not language: paths, addresses, quoted values.
 *
 * "Save it to /data/rome.md" wants a tool that writes files, not one about Rome: a literal is an argument of the call to
 * come. It tells its kind (`file`, `md`), and its words count little.
 */

export interface Literal {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Words that a tool which takes such a value is likely to be described with. */
  readonly kinds: readonly string[];
}

const EXTENSIONS =
  'pdf|csv|tsv|xlsx?|xlsm|docx?|pptx?|odt|md|txt|rtf|json|jsonl|ya?ml|toml|xml|html?|css|jsx?|tsx?|py|ipynb|java|go|rs|rb|php|sh|sql|db|sqlite|log|png|jpe?g|gif|svg|webp|bmp|mp3|wav|flac|mp4|mov|avi|mkv|zip|tar|gz';
const TOP_DOMAINS = 'com|org|net|io|dev|ai|app|edu|gov|co|cn|de|uk|jp|fr|info';

/** One pass, each part linear: queries may be hostile. */
const LITERAL = new RegExp(
  [
    '(?<blob>[A-Za-z0-9+/=_-]{64,})',
    String.raw`(?<mail>(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,255}\.[A-Za-z]{2,24})`,
    String.raw`(?<url>\b(?:https?:\/\/|www\.)[^\s"'<>\x60)]+|(?<![\w.-])(?:[\w-]{1,63}\.){1,8}(?:${TOP_DOMAINS})\b(?:\/[^\s"'<>\x60)]*)?)`,
    String.raw`(?<path>(?<![^\s"'(,:\x60])(?:~|\.{1,2}|[A-Za-z]:)?[\\/][^\s"'<>\x60,;)]+)`,
    String.raw`(?<file>(?<![\w.-])[\w-]{1,80}\.(?:${EXTENSIONS})\b)`,
    String.raw`(?<quote>"[^"\n]{1,200}"|“[^”\n]{1,200}”|‘[^’\n]{1,200}’|「[^」\n]{1,200}」|(?<![^\s(])'[^'\n]{1,200}'(?![^\s.,;:)?!]))`,
  ].join('|'),
  'giu',
);

/** In the order of the text; none overlaps another. */
export function findLiterals(query: string): Literal[] {
  const found: Literal[] = [];
  for (const match of query.matchAll(LITERAL)) {
    const text = match.groups?.quote === undefined ? match[0].replace(/[.,;:!?]+$/, '') : match[0];
    found.push({ start: match.index, end: match.index + text.length, text, kinds: kindsOf(match.groups ?? {}, text) });
  }
  return found;
}

function kindsOf(groups: Record<string, string | undefined>, text: string): string[] {
  if (groups.mail !== undefined) return ['email'];
  if (groups.url !== undefined) return ['url', 'website'];
  if (groups.path !== undefined || groups.file !== undefined) return ['file', ...extensionOf(text)];
  if (groups.quote !== undefined) return findLiterals(text.slice(1, -1)).flatMap((inner) => inner.kinds);
  return [];
}

function extensionOf(path: string): string[] {
  const extension = /\.([A-Za-z][A-Za-z0-9]{0,5})$/.exec(path)?.[1];
  return extension === undefined ? [] : [extension.toLowerCase()];
}
