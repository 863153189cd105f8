/**
 * JavaScript and TypeScript → a program.
 *
 * Types are stripped by `strip`, which the host of this code brings along: it costs memory and time, so it is called
 * only for code that is not JavaScript as it stands.
 */
import { SourceError, transform } from './transform.mjs';

/**
 * @typedef {{ code: string, map: object | undefined }} Stripped `map` is a source map when places have changed
 * @typedef {(source: string) => Stripped} Strip throws SourceError
 * @typedef {{ program: import('./transform.mjs').Program, code: string, map: object | undefined, isTypeScript: boolean }} Compiled
 */

/**
 * @param {string} source
 * @param {string} language `javascript` or `typescript`
 * @param {Strip} strip
 * @returns {Compiled}
 * @throws {SourceError}
 */
export function compile(source, language, strip) {
  if (language === 'typescript' && mayHoldTypeArguments(source)) return compileTypeScript(source, strip);
  try {
    return { program: transform(source), code: source, map: undefined, isTypeScript: language === 'typescript' };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return compileTypeScript(source, strip, language === 'javascript' ? error : undefined);
  }
}

/** `f<T>(x)` is JavaScript too, but of another meaning. All other type syntax fails to parse. */
function mayHoldTypeArguments(source) {
  return /<[^;]*>\s*[(`]/.test(source);
}

/** @param {SourceError | undefined} known the error to tell when it is no TypeScript either */
function compileTypeScript(source, strip, known) {
  try {
    const { code, map } = strip(source);
    return { program: transform(code), code, map, isTypeScript: true };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw known ?? error;
  }
}
