/**
 * A program as it was sent → a program that can run again and again in one realm.
 *
 * What one run declares at its top level, the next one must see and may declare anew, and closures must see the newer
 * value. So every top-level name becomes a property of the global object:
 *
 *     const a = 1, { b } = o    →   0,    a = 1, { b } = o
 *     class C {}                →   C=class C {};
 *     import d, { e } from 'm'  →   ;                            (`imports` tells the realm what to bind)
 *
 * Without top-level `await` or `return` the program stays a plain script, where `function` and `var` are global by
 * themselves and the value of the last statement is the script's own. Otherwise it becomes the body of an async
 * function, and its function declarations go into a script of their own (`hoisted`), at the places where they stood.
 *
 * Every edit stays on its line; those that move what follows are told in `shifts`, so that `originalColumn()` can give
 * stack traces the columns that were sent.
 */
import { getLineInfo, parse } from 'acorn';

/**
 * @typedef {object} ImportRequest
 * @property {string} specifier
 * @property {Record<string, string>} attributes
 * @property {Array<{ name: string, imported: string | null }>} bindings `imported` null means the whole module
 * @property {number} line
 * @property {number} column from 1
 *
 * @typedef {object} Program
 * @property {string[]} names must be plain writable globals before the program starts
 * @property {string[]} functions global functions that it declares
 * @property {ImportRequest[]} imports
 * @property {string} hoisted a script to run first; empty when there is nothing to hoist
 * @property {string} body a script; with `isAsync` one whose value is the async function to call
 * @property {boolean} isAsync
 * @property {boolean} hasValue whether the program's value is that of an expression to show
 * @property {Array<{ at: number, by: number }>} shifts where both scripts are longer than the source, in order
 */

/** Where the program cannot be parsed. */
export class SourceError extends SyntaxError {
  name = 'SyntaxError';

  /** @param {string} message @param {number} line from 1 @param {number} column from 1 */
  constructor(message, line, column) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

const PARSE_OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowHashBang: true,
};

export const UNEXPECTED_END = 'Unexpected end of input';

const ASYNC_HEAD = '(async () => {';
const ASYNC_TAIL = '\n})';

/** As long as `import.meta`, which only modules may say. */
export const IMPORT_META = 'import_meta';

/** @param {string} source @returns {Program} @throws {SourceError} */
export function transform(source) {
  const tree = parseSource(source);
  const draft = new Draft(source, isAsyncProgram(tree));

  if (source.startsWith('#!')) draft.replace(0, 2, '//');
  for (const statement of tree.body) rewriteStatement(draft, statement);
  if (draft.isAsync) rewriteNestedVars(draft, tree);
  if (/\bimport\s*\.\s*meta\b/.test(source)) rewriteImportMeta(draft, tree);
  const hasValue = markValue(draft, tree);

  return {
    names: [...draft.names],
    functions: draft.functions,
    imports: draft.imports,
    ...draft.scripts(),
    isAsync: draft.isAsync,
    hasValue,
    shifts: draft.shifts(),
  };
}

/** The column in `source` of what stands at a line and column (both from 1) of a script made from it. */
export function originalColumn(source, shifts, line, column) {
  const lineStart = offsetOfLine(source, line);
  const lineEnd = source.indexOf('\n', lineStart) === -1 ? source.length : source.indexOf('\n', lineStart);
  let at = lineStart + column - 1;
  for (const shift of shifts) {
    if (shift.at < lineStart) continue;
    if (shift.at > lineEnd || at < shift.at) break;
    at = Math.max(shift.at, at - shift.by);
  }
  return at - lineStart + 1;
}

function offsetOfLine(source, line) {
  let at = 0;
  for (let current = 1; current < line; current++) {
    const newline = source.indexOf('\n', at);
    if (newline === -1) return at;
    at = newline + 1;
  }
  return at;
}

function parseSource(source) {
  try {
    return parse(source, PARSE_OPTIONS);
  } catch (error) {
    if (!(error instanceof SyntaxError) || error.loc === undefined) throw error;
    // The parser allows `using` at the top level of modules alone.
    const tree = /\busing\b/.test(source) ? parseModule(source) : undefined;
    if (tree) return tree;
    const isAtEnd = error.pos >= source.trimEnd().length && error.message.startsWith('Unexpected token');
    const message = isAtEnd ? UNEXPECTED_END : error.message.replace(/ \(\d+:\d+\)$/, '');
    throw new SourceError(message, error.loc.line, error.loc.column + 1);
  }
}

function parseModule(source) {
  try {
    return parse(source, { ...PARSE_OPTIONS, sourceType: 'module' });
  } catch {
    // The error of the first attempt is the one to tell.
    return undefined;
  }
}

/** The edits to one program, and what they bring to light. */
class Draft {
  names = new Set();
  functions = [];
  imports = [];
  isStrict = false;
  #edits = [];
  /** Function declarations that move to the hoisted script. */
  #hoisted = [];

  constructor(source, isAsync) {
    this.source = source;
    this.isAsync = isAsync;
    if (isAsync) this.insert(0, ASYNC_HEAD);
  }

  replace(start, end, text) {
    this.#edits.push({ start, end, text });
  }

  insert(at, text) {
    this.replace(at, at, text);
  }

  /** Leaves an empty statement, which also ends one before it that has no semicolon. */
  erase(start, end) {
    this.replace(start, end, emptyStatement(this.source.slice(start, end)));
  }

  hoist(declaration) {
    this.#hoisted.push(declaration);
  }

  /** Both scripts have the same text at the same places, each with blanks where the other one has code. */
  scripts() {
    const edits = this.#inOrder();
    const text = applyEdits(this.source, edits);
    if (this.#hoisted.length === 0) return { hoisted: '', body: this.isAsync ? text + ASYNC_TAIL : text };

    let hoisted = '';
    let body = '';
    let at = 0;
    const place = shiftingPlaces(edits);
    for (const declaration of this.#hoisted) {
      const start = place(declaration.start, (edit) => edit.end <= declaration.start);
      const end = place(declaration.end, (edit) => edit.start < declaration.end);
      hoisted += blank(text.slice(at, start)) + text.slice(start, end);
      body += text.slice(at, start) + emptyStatement(text.slice(start, end));
      at = end;
    }
    body += text.slice(at) + ASYNC_TAIL;
    // The blanks at the place of the body's head have room for the directive that the functions were under.
    const head = (this.isStrict ? "'use strict';" : '').padEnd(ASYNC_HEAD.length);
    return { hoisted: head + hoisted.slice(head.length), body };
  }

  shifts() {
    return this.#inOrder()
      .map(({ start, end, text }) => ({ at: start, by: text.length - (end - start) }))
      .filter(({ by }) => by !== 0);
  }

  /** Edits at one place stay in the order in which they were made. */
  #inOrder() {
    return this.#edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  }
}

function applyEdits(source, edits) {
  let text = '';
  let at = 0;
  for (const edit of edits) {
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}

/** Where offsets, asked for in ascending order, are after the edits that are before them. */
function shiftingPlaces(edits) {
  let next = 0;
  let shift = 0;
  return (offset, isBefore) => {
    for (; next < edits.length && isBefore(edits[next]); next++) {
      shift += edits[next].text.length - (edits[next].end - edits[next].start);
    }
    return offset + shift;
  };
}

function emptyStatement(text) {
  return `;${blank(text.slice(1))}`;
}

function blank(text) {
  return text.replace(/[^\r\n\u2028\u2029]/g, ' ');
}

function rewriteStatement(draft, statement) {
  switch (statement.type) {
    case 'VariableDeclaration':
      rewriteVariables(draft, statement);
      break;
    case 'FunctionDeclaration':
      draft.functions.push(statement.id.name);
      if (draft.isAsync) draft.hoist(statement);
      break;
    case 'ClassDeclaration':
      draft.names.add(statement.id.name);
      draft.insert(statement.start, `${statement.id.name}=`);
      draft.insert(statement.end, ';');
      break;
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
      draft.imports.push(importRequest(draft, statement));
      draft.erase(statement.start, statement.end);
      break;
    case 'ExportNamedDeclaration':
      rewriteNamedExport(draft, statement);
      break;
    case 'ExportDefaultDeclaration':
      rewriteDefaultExport(draft, statement);
      break;
    case 'ExpressionStatement':
      if (statement.directive === 'use strict') draft.isStrict = true;
      break;
  }
}

function rewriteVariables(draft, declaration) {
  const { kind } = declaration;
  for (const { id, init } of declaration.declarations) {
    for (const name of patternNames(id)) draft.names.add(name);
    if (kind === 'let' && init === null) draft.insert(id.end, ' = void 0');
    // Disposal needs the local binding; the global one is for the hoisted functions.
    if (kind.endsWith('using')) draft.insert(init.start, `globalThis.${id.name} = `);
  }
  if (kind.endsWith('using') || (kind === 'var' && !draft.isAsync)) return;
  // A number cannot continue the statement before it, and after a comma `{` begins a pattern.
  draft.replace(declaration.start, declaration.start + kind.length, '0,'.padEnd(kind.length));
}

function rewriteNamedExport(draft, statement) {
  const { declaration } = statement;
  if (declaration) {
    draft.replace(statement.start, declaration.start, blank(draft.source.slice(statement.start, declaration.start)));
    rewriteStatement(draft, declaration);
    return;
  }
  if (statement.source) draft.imports.push(importRequest(draft, statement));
  draft.erase(statement.start, statement.end);
}

function rewriteDefaultExport(draft, statement) {
  const { declaration } = statement;
  const isNamed = isDeclaration(declaration) && declaration.id !== null;
  const keywords = blank(draft.source.slice(statement.start, declaration.start));
  draft.replace(statement.start, declaration.start, isNamed ? keywords : `0,${keywords.slice(2)}`);
  if (isNamed) rewriteStatement(draft, declaration);
  // A declaration has no semicolon of its own, an expression needs one.
  else if (isDeclaration(declaration)) draft.insert(declaration.end, ';');
}

function isDeclaration(node) {
  return node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration';
}

function importRequest(draft, statement) {
  const bindings = (statement.type === 'ImportDeclaration' ? statement.specifiers : []).map((specifier) => ({
    name: specifier.local.name,
    imported: importedName(specifier),
  }));
  for (const { name } of bindings) draft.names.add(name);
  const { line, column } = getLineInfo(draft.source, statement.start);
  return {
    specifier: statement.source.value,
    attributes: Object.fromEntries(
      (statement.attributes ?? []).map(({ key, value }) => [key.name ?? key.value, value.value]),
    ),
    bindings,
    line,
    column: column + 1,
  };
}

function importedName(specifier) {
  switch (specifier.type) {
    case 'ImportDefaultSpecifier':
      return 'default';
    case 'ImportNamespaceSpecifier':
      return null;
    default:
      return specifier.imported.name ?? specifier.imported.value;
  }
}

function patternNames(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => patternNames(property.value ?? property.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap(patternNames);
    case 'AssignmentPattern':
      return patternNames(pattern.left);
    case 'RestElement':
      return patternNames(pattern.argument);
    default:
      return [];
  }
}

/** In a script `var` is global wherever it stands; in the async function it would be local. */
function rewriteNestedVars(draft, tree) {
  const topLevel = new Set(tree.body.map((statement) => statement.declaration ?? statement));
  walk(tree, isOwnScope, (node, parent) => {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'var' || topLevel.has(node)) return;
    const isHead = parent.type.startsWith('For') && parent.body !== node;
    for (const { id } of node.declarations) for (const name of patternNames(id)) draft.names.add(name);
    draft.replace(node.start, node.start + 3, isHead ? '   ' : '0, ');
  });
}

function rewriteImportMeta(draft, tree) {
  walk(
    tree,
    () => true,
    (node) => {
      if (node.type !== 'MetaProperty' || node.meta.name !== 'import') return;
      const rest = draft.source.slice(node.start, node.end).slice(IMPORT_META.length);
      draft.replace(node.start, node.end, IMPORT_META + blank(rest));
    },
  );
}

/** Has the value of the last expression returned; says whether there is one. Function declarations come first anyway. */
function markValue(draft, tree) {
  const index = tree.body.findLastIndex((statement) => !isWithoutEffect(statement.declaration ?? statement));
  const statement = tree.body[index];
  const isExpression =
    statement?.type === 'ExpressionStatement' ||
    (statement?.type === 'ExportDefaultDeclaration' && !isDeclaration(statement.declaration));
  if (!isExpression) return false;
  if (draft.isAsync) {
    if (statement.directive === 'use strict') return false;
    draft.insert(statement.start, 'return (');
    const hasSemicolon = draft.source[statement.end - 1] === ';';
    draft.insert(hasSemicolon ? statement.end - 1 : statement.end, ')');
  }
  return true;
}

function isWithoutEffect(statement) {
  return (
    statement.type === 'FunctionDeclaration' ||
    (statement.type === 'VariableDeclaration' && statement.kind === 'var' && statement.declarations.every(isBare)) ||
    statement.type === 'EmptyStatement' ||
    statement.type === 'ImportDeclaration' ||
    statement.type === 'ExportAllDeclaration' ||
    (statement.type === 'ExportNamedDeclaration' && statement.declaration === null)
  );
}

function isBare(declarator) {
  return declarator.init === null;
}

function isAsyncProgram(tree) {
  let found = false;
  walk(tree, isOwnScope, (node) => {
    if (
      node.type === 'AwaitExpression' ||
      node.type === 'ReturnStatement' ||
      (node.type === 'ForOfStatement' && node.await) ||
      (node.type === 'VariableDeclaration' && node.kind.endsWith('using'))
    )
      found = true;
  });
  return found;
}

/** Not the inside of functions, nor of what a class evaluates like one. */
function isOwnScope(node) {
  return !/Function|StaticBlock/.test(node.type);
}

function walk(node, enters, visit, parent = undefined) {
  visit(node, parent);
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child) && enters(child)) walk(child, enters, visit, node);
    } else if (isNode(value) && enters(value)) walk(value, enters, visit, node);
  }
}

function isNode(value) {
  return typeof value === 'object' && value !== null && typeof value.type === 'string';
}
