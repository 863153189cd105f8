import { vm } from './node.mjs';

/**
 * The engine's own words for a syntax error are better than the parser's ("missing ) after argument list"); they are
 * taken when it means the same line.
 *
 * @param {string} source
 * @param {number} line
 * @returns {string | undefined}
 */
export function engineMessage(source, line) {
  try {
    new vm.Script(`(async () => {${source}\n})`, { filename: '<source>' });
  } catch (error) {
    const place = /^<source>:(\d+)\n/.exec(error.stack);
    if (Number(place?.[1]) === line) return error.message;
  }
  return undefined;
}
