/** What a compiler says without being asked, and nobody wants to read. `patterns` match whole lines. */
export function withoutNoise(text, patterns) {
  if (patterns.length === 0) return text;
  const noise = new RegExp(`^(?:${patterns.join('|')})$`, 'u');
  return text
    .split('\n')
    .filter((line) => !noise.test(line))
    .join('\n')
    .replace(/^\s*$/, '');
}
