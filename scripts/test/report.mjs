/** One line of the report: what was done, how it went, how long it took. */
export function reportLine(name, result, startedAt) {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${name.padEnd(14)} ${result}  (${seconds} s)\n`);
}

/** Names what was not tested and why: the same reason once, with the tests it took away. */
export function reportLeftOut(leftOut) {
  if (leftOut.length === 0) return;
  process.stdout.write(`\nleft out:\n`);
  const names = Map.groupBy(leftOut, ({ reason }) => reason);
  for (const [reason, tests] of names) {
    const shown = tests.slice(0, 5).map(({ name }) => name);
    const more = tests.length > shown.length ? `, and ${tests.length - shown.length} more` : '';
    process.stdout.write(`  ${reason}: ${tests.length} (${shown.join('; ')}${more})\n`);
  }
}
