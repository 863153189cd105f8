/**
 * Names of servers and tools, which may be any text, as words that a program can write.
 *
 * An exact name always means itself. The other names get aliases; where two would share one, the later in the order of
 * their names is numbered. What is neither is looked for by its letters alone, so that `createIssue` finds `create-issue`
 * when nobody else could be meant.
 */

/** Words that neither Python nor JavaScript take for a name. */
const RESERVED = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield case catch const debugger default delete do ' +
    'enum export extends false function instanceof new null super switch this throw true typeof var void let static'
  ).split(' '),
);

/** The alias that a name gets when it has it to itself. */
export function identifierOf(name: string): string {
  const word = name.replaceAll(/[^\p{ID_Continue}]+/gu, '_').replaceAll(/[\u200c\u200d]/g, '_');
  if (!/^[\p{ID_Start}_]/u.test(word)) return `_${word}`;
  return RESERVED.has(word) ? `${word}_` : word;
}

/** Name → alias, for all of them. */
export function aliasesOf(names: readonly string[]): Map<string, string> {
  const aliases = new Map<string, string>();
  const taken = new Set<string>();
  const ordered = [...names].sort((a, b) => (a < b ? -1 : 1));
  for (const name of ordered) {
    if (identifierOf(name) !== name) continue;
    aliases.set(name, name);
    taken.add(name);
  }
  for (const name of ordered) {
    if (aliases.has(name)) continue;
    const word = identifierOf(name);
    let alias = word;
    for (let number = 2; taken.has(alias); number += 1) alias = `${word}_${number}`;
    aliases.set(name, alias);
    taken.add(alias);
  }
  return aliases;
}

/** The name that was meant; undefined when none was, or when it could be several. */
export function findName(wanted: string, names: readonly string[]): string | undefined {
  if (names.includes(wanted)) return wanted;
  for (const [name, alias] of aliasesOf(names)) if (alias === wanted) return name;
  const probe = letters(wanted);
  const alike = probe === '' ? [] : names.filter((name) => letters(name) === probe);
  return alike.length === 1 ? alike[0] : undefined;
}

function letters(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
