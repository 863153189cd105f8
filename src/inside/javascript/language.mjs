/**
 * JavaScript and TypeScript → a program.
 *
 * Types are stripped by `strip`, which the host of this code brings along: it costs memory and time, so it is called
 * only for code that is not JavaScript as it stands.
 */
import { SourceError, transform, UNEXPECTED_END } from './transform.mjs';

/**
 * @typedef {{ code: string, map: object | undefined }} Stripped `map` is a source map when places have changed
 * @typedef {(source: string) => Stripped} Strip throws SourceError
 * @typedef {{ program: import('./transform.mjs').Program, code: string, map: object | undefined, isTypeScript: boolean }} Compiled
 */

/**
 * @param {string} source
 * @param {string} language `javascript` or `typescript`
 * @param {Strip} strip
 * @param {(source: string, line: number) => string | undefined} [explain] a better message about an error on that line
 * @returns {Compiled}
 * @throws {SourceError}
 */
export function compile(source, language, strip, explain) {
  if (language === 'typescript' && mayHoldTypeArguments(source)) return compileTypeScript(source, strip);
  try {
    return { program: transform(source), code: source, map: undefined, isTypeScript: language === 'typescript' };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return compileTypeScript(source, strip, language === 'javascript' ? explained(error, source, explain) : undefined);
  }
}

function explained(error, source, explain) {
  const message = error.message === UNEXPECTED_END ? undefined : explain?.(source, error.line);
  return message === undefined ? error : new SourceError(message, error.line, error.column);
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
