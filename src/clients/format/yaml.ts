import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { type ParsedText, repeatedKey, TextError, type TextPlace, type TextProblem } from './parsed-text.ts';

export function parseYaml(text: string): ParsedText {
  const lines = new LineCounter();
  const place = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  // The library's long messages quote the text around a mistake, and that may be a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, merge: true });
  const [error] = document.errors;
  if (error) throw new TextError(`Not YAML: ${wordsFor(error.code)}`, place(error.pos[0]), { cause: error });
  return {
    value: document.toJS({ maxAliasCount: 100 }) ?? undefined,
    problems: repeatedKeys(document, place),
    locate: (keys) => locate(document, keys, place),
  };
}

/** `BAD_INDENT` → `bad indent`: the codes say enough, and never anything of the text. */
function wordsFor(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ');
}

function repeatedKeys(document: Document, place: (offset: number) => TextPlace): TextProblem[] {
  const problems: TextProblem[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value) && key.range) problems.push(repeatedKey(String(key.value), place(key.range[0])));
        seen.add(key.value);
      }
    },
  });
  return problems;
}

function locate(
  document: Document,
  keys: readonly (string | number)[],
  place: (offset: number) => TextPlace,
): TextPlace | undefined {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0];
  for (const key of keys) {
    if (isMap(node)) {
      const pair = node.items.findLast((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(key)];
      const range = (item as { range?: readonly number[] } | undefined)?.range;
      offset = range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset === undefined ? undefined : place(offset);
}
