/**
 * JSON Schema, which a stranger wrote, as a type that can be printed: the part of it that a caller needs to know.
 *
 * Reads 2020-12 and draft-07 alike: where they differ, in the words for definitions and tuples, both are known. What
 * cannot be told (conditions, patterns, remote references) is any value.
 */
import type { JsonSchema } from '#contracts/tool';

export type SchemaType =
  | { readonly kind: 'any' }
  | { readonly kind: 'null' }
  | { readonly kind: 'string' | 'number' | 'integer' | 'boolean' }
  | { readonly kind: 'literals'; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: 'array'; readonly items: SchemaType }
  | { readonly kind: 'tuple'; readonly items: readonly SchemaType[] }
  | { readonly kind: 'object'; readonly fields: readonly Field[]; readonly others: SchemaType | undefined }
  | { readonly kind: 'union'; readonly members: readonly SchemaType[] }
  /** The type of that name, within itself. */
  | { readonly kind: 'again'; readonly name: string };

export interface Field {
  readonly name: string;
  readonly type: SchemaType;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  readonly default: unknown;
}

const ANY: SchemaType = { kind: 'any' };
/** Deeper than anybody reads; what is below is any value. */
const DEPTH_MAX = 8;
const MEMBERS_MAX = 24;

type Fields = Readonly<Record<string, unknown>>;

interface Place {
  readonly root: Fields;
  readonly depth: number;
  /** References that are being followed. */
  readonly within: readonly string[];
}

export function typeOfSchema(schema: unknown): SchemaType {
  const root = isFields(schema) ? schema : {};
  return read(schema, { root, depth: 0, within: ['#'] });
}

/** The parameters of a tool, required ones first, each in the order of the schema. */
export function parametersOf(inputSchema: JsonSchema): readonly Field[] {
  const type = typeOfSchema(inputSchema);
  if (type.kind !== 'object') return [];
  return [...type.fields.filter((field) => field.isRequired), ...type.fields.filter((field) => !field.isRequired)];
}

function read(schema: unknown, place: Place): SchemaType {
  if (!isFields(schema) || place.depth > DEPTH_MAX) return ANY;
  if (typeof schema.$ref === 'string') return follow(schema.$ref, schema, place);
  if ('const' in schema) return literals([schema.const]);
  if (Array.isArray(schema.enum)) return literals(schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options))
    return union(options.slice(0, MEMBERS_MAX).map((option) => read(withBase(schema, option), deeper(place))));
  if (Array.isArray(schema.allOf))
    return read(merged([without(schema, 'allOf'), ...schema.allOf], place), deeper(place));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => read({ ...schema, type }, deeper(place))));
  const type = byKeyword(schema, place);
  return schema.nullable === true ? union([type, { kind: 'null' }]) : type;
}

function byKeyword(schema: Fields, place: Place): SchemaType {
  switch (schema.type ?? guessedType(schema)) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return { kind: schema.type as 'string' };
    case 'array':
      return arrayType(schema, place);
    case 'object':
      return objectType(schema, place);
    default:
      return ANY;
  }
}

function guessedType(schema: Fields): string | undefined {
  if (isFields(schema.properties) || isFields(schema.additionalProperties)) return 'object';
  return schema.items !== undefined || schema.prefixItems !== undefined ? 'array' : undefined;
}

function arrayType(schema: Fields, place: Place): SchemaType {
  const heads = schema.prefixItems ?? schema.items;
  if (Array.isArray(heads)) {
    return { kind: 'tuple', items: heads.slice(0, MEMBERS_MAX).map((item) => read(item, deeper(place))) };
  }
  return { kind: 'array', items: read(schema.items, deeper(place)) };
}

function objectType(schema: Fields, place: Place): SchemaType {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(isFields(schema.properties) ? schema.properties : {}).map(
    ([name, value]): Field => ({
      name,
      type: read(value, deeper(place)),
      isRequired: required.has(name),
      description: isFields(value) && typeof value.description === 'string' ? value.description : undefined,
      default: isFields(value) ? value.default : undefined,
    }),
  );
  const extra = schema.additionalProperties;
  const isOpen = extra === true || (extra === undefined && fields.length === 0);
  const others = isOpen ? ANY : isFields(extra) ? read(extra, deeper(place)) : undefined;
  return { kind: 'object', fields, others };
}

function follow(reference: string, schema: Fields, place: Place): SchemaType {
  if (place.within.includes(reference)) return { kind: 'again', name: nameOf(reference) };
  const target = resolve(reference, place.root);
  if (target === undefined) return ANY;
  const beside = without(schema, '$ref');
  return read(Object.keys(beside).length > 0 && isFields(target) ? { ...target, ...beside } : target, {
    ...deeper(place),
    within: [...place.within, reference],
  });
}

/** A reference within the same schema; undefined for every other. */
export function resolve(reference: string, root: Fields): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Fields)[key];
  }
  return at;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step; // a stray percent sign
  }
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1) || 'itself';
}

/** One schema for what several say together; the last word counts. */
function merged(schemas: readonly unknown[], { root }: Place): Fields {
  const parts = schemas
    .map((schema) => (isFields(schema) && typeof schema.$ref === 'string' ? resolve(schema.$ref, root) : schema))
    .filter(isFields);
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
  const properties = Object.assign({}, ...parts.map((part) => (isFields(part.properties) ? part.properties : {})));
  const whole: Fields = Object.assign({}, ...parts);
  return without({ ...whole, ...(Object.keys(properties).length > 0 && { properties, required }) }, 'allOf');
}

/** What stands beside `anyOf` holds for each of its members. */
function withBase(schema: Fields, option: unknown): unknown {
  if (!isFields(option) || !isFields(schema.properties) || option.$ref !== undefined) return option;
  return {
    ...without(without(schema, 'anyOf'), 'oneOf'),
    ...option,
    properties: { ...schema.properties, ...(option.properties ?? {}) },
  };
}

function union(members: readonly SchemaType[]): SchemaType {
  const flat = members.flatMap((member) => (member.kind === 'union' ? member.members : [member]));
  if (flat.some((member) => member.kind === 'any')) return ANY;
  const values = flat.flatMap((member) => (member.kind === 'literals' ? member.values : []));
  const rest = new Map(
    flat.filter(({ kind }) => kind !== 'literals').map((member) => [JSON.stringify(member), member]),
  );
  const all: SchemaType[] = [
    ...(values.length > 0 ? [{ kind: 'literals' as const, values: [...new Set(values)] }] : []),
    ...rest.values(),
  ];
  return all.length === 1 ? (all[0] as SchemaType) : { kind: 'union', members: all };
}

function literals(values: readonly unknown[]): SchemaType {
  const plain = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)) as string[];
  const members: SchemaType[] = plain.length > 0 ? [{ kind: 'literals', values: plain }] : [];
  if (values.includes(null)) members.push({ kind: 'null' });
  if (values.some((value) => typeof value === 'object' && value !== null)) return ANY;
  return members.length === 0 ? ANY : union(members);
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function without(schema: Fields, key: string): Fields {
  const { [key]: _left, ...rest } = schema;
  return rest;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
