/**
 * Types out of TypeScript, by Deno's own stripper: blanks where types stood; where syntax must become code (enums,
 * namespaces, parameter properties), a transform with a source map.
 */
import module from 'node:module';
import { SourceError } from '../../javascript/transform.mjs';

/** @type {import('../../javascript/language.mjs').Strip} */
export function stripTypes(source) {
  try {
    return { code: module.stripTypeScriptTypes(source, { mode: 'strip' }), map: undefined };
  } catch {
    // Whether it is wrong, or only more than types, is told by the second attempt.
    return transformTypes(source);
  }
}

function transformTypes(source) {
  try {
    const output = module.stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true });
    const at = output.lastIndexOf('//# sourceMappingURL=');
    const encoded = output.slice(output.indexOf(',', at) + 1);
    return { code: output.slice(0, at), map: JSON.parse(Buffer.from(encoded, 'base64').toString()) };
  } catch (error) {
    throw sourceError(error);
  }
}

/** The message has the sentence first, then an excerpt, and ends with the place. */
function sourceError(error) {
  const sentence = error.message.split('\n', 1)[0].replace(/^(?:\[?[A-Za-z]+\]?:? )*(?=[A-Z])|SyntaxError: /g, '');
  const [, line, column] = /:(\d+):(\d+)\s*$/.exec(error.message) ?? [];
  return new SourceError(sentence.replace(/ at file:.*$/, ''), Number(line ?? 1), Number(column ?? 1));
}
