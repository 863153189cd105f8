/**
 * The arguments of a call, as a program gave them, as those that the tool takes.
 *
 * Checks what is cheap to check and certain: missing, unknown and misspelt names, types, choices. What it does not
 * understand passes; the server has the last word.
 */
import type { JsonSchema } from '#contracts/tool';
import { findName, identifierOf } from './names.ts';
import { isFields, resolve } from './schema-type.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface GivenArguments {
  readonly positional: readonly unknown[];
  readonly named: Fields;
}

export type ReadArguments =
  | {
      readonly ok: true;
      readonly args: Fields /** What was given as `timeout` and is no argument. */;
      readonly timeout: unknown;
    }
  | { readonly ok: false; readonly problem: string };

export function readArguments(schema: JsonSchema, given: GivenArguments): ReadArguments {
  const properties = isFields(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  const placed = place(schema, names, given);
  if (typeof placed === 'string') return { ok: false, problem: placed };
  const { timeout, ...rest } = Object.hasOwn(properties, 'timeout') ? { ...placed, timeout: undefined } : placed;
  const source = Object.hasOwn(properties, 'timeout') ? placed : rest;
  const args: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(source)) {
    const name = nameOf(key, names);
    // `None` for something that may be left out means: left out.
    if (
      value === null &&
      !isRequired(schema, name) &&
      isFields(properties[name]) &&
      problemOf(properties[name], null, name, schema, 0)
    )
      continue;
    args[name] = value;
  }
  const problem = problemOf(schema, args, '', schema, 0);
  return problem === undefined ? { ok: true, args, timeout } : { ok: false, problem };
}

/** Text from a command line as the schema wants it: numbers, truth values, lists. */
export function readWord(schema: JsonSchema, key: string, text: string): unknown {
  const properties = isFields(schema.properties) ? schema.properties : {};
  const property = properties[nameOf(key, Object.keys(properties))];
  if (property === undefined || problemOf(property, text, key, schema, 0) === undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // the check says what is wrong with it
  }
}

function place(schema: JsonSchema, names: readonly string[], { positional, named }: GivenArguments): Fields | string {
  const [first] = positional;
  if (positional.length === 0) return named;
  if (positional.length === 1 && isFields(first) && isMeantAsNames(schema, names, first)) return { ...first, ...named };
  // Required ones come first in signatures, and so they do here.
  const ordered = [
    ...names.filter((name) => isRequired(schema, name)),
    ...names.filter((name) => !isRequired(schema, name)),
  ];
  if (positional.length > ordered.length) return `takes ${ordered.length} arguments, ${positional.length} were given`;
  const placed: Record<string, unknown> = { ...named };
  for (const [index, value] of positional.entries()) {
    const name = ordered[index] as string;
    if (Object.hasOwn(placed, name)) return `got "${name}" twice`;
    placed[name] = value;
  }
  return placed;
}

/** One dict: the arguments by name, unless it can only be the first argument itself. */
function isMeantAsNames(schema: JsonSchema, names: readonly string[], value: Fields): boolean {
  const keys = Object.keys(value);
  if (keys.length > 0 && keys.every((key) => names.includes(nameOf(key, names)))) return true;
  const [first] = names.filter((name) => isRequired(schema, name)).concat(names);
  if (first === undefined) return true;
  const property = isFields(schema.properties) ? schema.properties[first] : undefined;
  return problemOf(property, value, first, schema, 0) !== undefined;
}

function nameOf(key: string, names: readonly string[]): string {
  if (names.includes(key)) return key;
  return names.find((name) => identifierOf(name) === key) ?? key;
}

function isRequired(schema: JsonSchema, name: string): boolean {
  return Array.isArray(schema.required) && schema.required.includes(name);
}

const DEPTH_MAX = 12;
const ITEMS_MAX = 1_000;

/** What is wrong with a value, in one sentence that begins with its place; undefined when nothing is, as far as we know. */
function problemOf(schema: unknown, value: unknown, path: string, root: Fields, depth: number): string | undefined {
  if (!isFields(schema) || depth > DEPTH_MAX) return undefined;
  if (typeof schema.$ref === 'string') return problemOf(resolve(schema.$ref, root), value, path, root, depth + 1);
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options) && options.length > 0) {
    const problems = options.map((option) => problemOf(option, value, path, root, depth + 1));
    if (problems.every((problem) => problem !== undefined))
      return problems.length === 1 ? problems[0] : `${at(path)} fits none of its types`;
  }
  if (value === null && schema.nullable === true) return undefined;
  return (
    typeProblem(schema, value, path) ??
    choiceProblem(schema, value, path) ??
    (isFields(value) ? fieldsProblem(schema, value, path, root, depth) : itemsProblem(schema, value, path, root, depth))
  );
}

function typeProblem({ type }: Fields, value: unknown, path: string): string | undefined {
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? type : [];
  if (types.length === 0 || types.some((wanted) => isOfType(value, wanted))) return undefined;
  return `${at(path)} must be ${types.join(' or ')}, not ${typeNameOf(value)}`;
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'object':
      return isFields(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true; // no type that we know
  }
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const CHOICES_SHOWN = 20;

function choiceProblem(schema: Fields, value: unknown, path: string): string | undefined {
  const choices = 'const' in schema ? [schema.const] : schema.enum;
  if (!Array.isArray(choices) || choices.some((choice) => choice === value || typeof choice === 'object'))
    return undefined;
  const shown = choices
    .slice(0, CHOICES_SHOWN)
    .map((choice) => JSON.stringify(choice))
    .join(', ');
  return `${at(path)} must be one of ${shown}${choices.length > CHOICES_SHOWN ? ', …' : ''}`;
}

function fieldsProblem(schema: Fields, value: Fields, path: string, root: Fields, depth: number): string | undefined {
  const properties = isFields(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(properties, key) && isClosed(schema));
  const missing = (Array.isArray(schema.required) ? schema.required : []).filter((name) => !Object.hasOwn(value, name));
  const stray =
    unknown ?? (missing.length > 0 ? Object.keys(value).find((key) => !Object.hasOwn(properties, key)) : undefined);
  if (stray !== undefined && !('patternProperties' in schema)) return strayProblem(stray, names, missing, path);
  if (missing.length > 0)
    return `${path === '' ? '' : `${at(path)} `}lacks ${missing.map((name) => `"${name}"`).join(', ')}`.trimStart();
  for (const [key, item] of Object.entries(value)) {
    const problem = problemOf(
      Object.hasOwn(properties, key) ? properties[key] : undefined,
      item,
      path === '' ? key : `${path}.${key}`,
      root,
      depth + 1,
    );
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isClosed({ additionalProperties, allOf, anyOf, oneOf, $ref }: Fields): boolean {
  return additionalProperties === false && [allOf, anyOf, oneOf, $ref].every((word) => word === undefined);
}

function strayProblem(stray: string, names: readonly string[], missing: readonly unknown[], path: string): string {
  const meant = findName(stray, names);
  const where = path === '' ? '' : ` in "${path}"`;
  const instead =
    meant === undefined
      ? missing.length > 0
        ? `, and lacks ${missing.map((name) => `"${name}"`).join(', ')}`
        : ''
      : `; did you mean "${meant}"?`;
  return `has no argument "${stray.slice(0, 80)}"${where}${instead}`;
}

function itemsProblem(schema: Fields, value: unknown, path: string, root: Fields, depth: number): string | undefined {
  if (!Array.isArray(value) || !isFields(schema.items)) return undefined;
  for (const [index, item] of value.slice(0, ITEMS_MAX).entries()) {
    const problem = problemOf(schema.items, item, `${path}[${index}]`, root, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function at(path: string): string {
  return path === '' ? 'the argument' : `"${path}"`;
}
