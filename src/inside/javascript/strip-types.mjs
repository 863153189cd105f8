/**
 * Types out of TypeScript, by Node's own stripper: blanks where types stood; where syntax must become code (enums,
 * namespaces, parameter properties), a transform with a source map.
 *
 * Its first use loads some 20 MB and takes about 60 ms.
 */
import { module } from './node.mjs';
import { SourceError } from './transform.mjs';

/** @type {import('./language.mjs').Strip} */
export function stripTypes(source) {
  try {
    return { code: module.stripTypeScriptTypes(source, { mode: 'strip' }), map: undefined };
  } catch (error) {
    if (error?.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw sourceError(error, source);
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
    throw sourceError(error, source);
  }
}

/** The stack begins with `:LINE`, the line itself (perhaps with one before it) and a line with the caret. */
function sourceError(error, source) {
  if (error?.code !== 'ERR_INVALID_TYPESCRIPT_SYNTAX' && error?.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return error;
  const [, line = '1', indent = ''] = /^[^\n]*:(\d+)\n(?:[^\n]*\n)+?( *)\^/.exec(error.stack) ?? [];
  const text = source.split(/\r\n|[\r\n]/)[Number(line) - 1] ?? '';
  // The stripper shows a tab as four blanks.
  const tabs = /^\t*/.exec(text)[0].length;
  return new SourceError(error.message, Number(line), Math.max(1, indent.length - 3 * tabs + 1));
}
