/**
 * From the words of a step to a command. `{args}` and `{sources}` are words of their own and become any number of words;
 * the other names may stand inside a word. Nothing goes through a shell, and no name is an option or a response file: a file called
 * `-o` is `./-o`, and `@x` is `./@x`.
 */
export function fillWords(words, { lists, names }) {
  return words.flatMap((word) => {
    const list = lists[word];
    if (list !== undefined) return list;
    return [word.replace(/\{(\w+)\}/g, (whole, name) => names[name] ?? whole)];
  });
}

export function safePath(path) {
  return /^[\w/.]/.test(path) ? path : `./${path}`;
}
