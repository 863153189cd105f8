/** How references are written: what stands at a place of a text, without knowing what it is worth. */

/** Longer texts in braces are no references; without a bound, a file of nothing but `${` would be read for minutes. */
const REFERENCE_CHARS_MAX = 1024;

export type ReferenceStyle = 'braces' | 'dollar' | undefined;

export type Reference = { readonly end: number } & (
  | { readonly kind: 'variable'; readonly id: string; readonly preset?: string; readonly isOptional?: boolean }
  | { readonly kind: 'input' | 'file' | 'known' | 'unknown'; readonly id: string }
);

const SIGN = /[${]/g;

/** Where the next reference may begin. */
export function nextSign(text: string, from: number): number {
  SIGN.lastIndex = from;
  return SIGN.exec(text)?.index ?? text.length;
}

/** Forms that only some clients have, each with what its first group is. */
const STYLE_FORMS: Readonly<
  Record<'braces' | 'dollar', readonly (readonly [RegExp, 'variable' | 'file' | 'unknown'])[]>
> = {
  braces: [
    [/\{env:([^{}]+)\}/y, 'variable'],
    [/\{file:([^{}]+)\}/y, 'file'],
  ],
  dollar: [
    // The one command that manuals show. Others are never run: a config file starts servers, and nothing else.
    [/\$\(echo \$\{?([A-Za-z_]\w*)\}?\)/y, 'variable'],
    [/(\$\([^)]{0,1000}\))/y, 'unknown'],
    [/\$env:([A-Za-z_]\w*)/y, 'variable'],
  ],
};
const SECRETS_FORM = /\$\{\{\s*(?:secrets|inputs)\.(?:[\w-]+\.)*([\w-]+)\s*\}\}/y;
const BARE_VARIABLE = /\$([A-Za-z_]\w*)/y;

export function referenceAt(text: string, at: number, style: ReferenceStyle): Reference | undefined {
  const secret = match(SECRETS_FORM, text, at);
  if (secret) return { kind: 'variable', ...secret };
  for (const [form, kind] of style === undefined ? [] : STYLE_FORMS[style]) {
    const found = match(form, text, at);
    if (found) return { kind, ...found };
  }
  if (text.startsWith('${', at)) {
    const end = closingBrace(text, at + 2);
    return end === undefined ? undefined : readBody(text.slice(at + 2, end), end + 1);
  }
  // A dollar sign may be part of a password. Only a name in capitals must be set.
  const bare = style === 'dollar' ? match(BARE_VARIABLE, text, at) : undefined;
  return bare && { kind: 'variable', isOptional: !/^[A-Z][A-Z0-9_]{2,}$/.test(bare.id), ...bare };
}

function match(form: RegExp, text: string, at: number): { id: string; end: number } | undefined {
  form.lastIndex = at;
  const found = form.exec(text);
  return found ? { id: found[1] as string, end: form.lastIndex } : undefined;
}

/** A default may hold references of its own. */
function closingBrace(text: string, from: number): number | undefined {
  let depth = 1;
  const last = Math.min(text.length, from + REFERENCE_CHARS_MAX);
  for (let at = from; at < last; at++) {
    if (text.startsWith('${', at)) depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return undefined;
}

const KNOWN = ['userHome', 'workspaceFolder', 'workspaceRoot', 'workspaceFolderBasename', 'cwd', 'pathSeparator', '/'];

function readBody(body: string, end: number): Reference | undefined {
  const name = body.split(':')[0] as string;
  if (KNOWN.includes(name)) return { kind: 'known', id: name, end };
  const variable = /^(?:env:)?([^\s:{}$]+?)(?::-(.*))?$/s.exec(body);
  if (body.startsWith('env:') || /^[A-Za-z_]\w*(?::-|$)/.test(body)) {
    if (!variable) return undefined;
    const [, id = '', preset] = variable;
    return { kind: 'variable', id, ...(preset === undefined ? {} : { preset }), end };
  }
  const prefixed = /^(input|promptString|file|[a-z][A-Za-z]*):(.+)$/s.exec(body);
  if (!prefixed) return undefined; // `${…}` of some other language, handed through
  const [, prefix, id = ''] = prefixed;
  if (prefix === 'input' || prefix === 'promptString') return { kind: 'input', id, end };
  return prefix === 'file' ? { kind: 'file', id, end } : { kind: 'unknown', id: `\${${body}}`, end };
}
