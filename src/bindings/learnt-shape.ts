/**
 * The shape of answers as they really came, as a small JSON Schema: kinds and names of fields, never a value.
 *
 * (1) However big or strange an answer is, only a bounded part of it is looked at, and what is kept is bounded too.
 * (2) Names that look like data (addresses, ids, anything that is no word) are not kept: such an object is a map.
 * (3) Merging is by what was seen: a field that was missing once is optional from then on.
 */

export interface LearntShape {
  /** Sorted; empty when nothing was looked at. */
  readonly type: readonly Kind[];
  readonly properties?: Readonly<Record<string, LearntShape>>;
  readonly required?: readonly string[];
  /** For maps: what their values are. */
  readonly additionalProperties?: LearntShape;
  readonly items?: LearntShape;
}

type Kind = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

const DEPTH_MAX = 5;
/** An object with more fields than this is a map. */
const FIELDS_MAX = 24;
const ITEMS_SEEN = 16;
/** Values looked at in one answer. */
const LOOKS_MAX = 400;
/** Parts of one shape that are kept. */
const PARTS_MAX = 120;
const WORD = /^[A-Za-z_$][A-Za-z0-9_$.-]{0,39}$/;
const DATA = /\d{4}|[0-9a-f]{12}/i;

const NOTHING: LearntShape = { type: [] };

export function shapeOf(value: unknown): LearntShape {
  return look(value, 0, { left: LOOKS_MAX });
}

export function mergeShapes(one: LearntShape, other: LearntShape): LearntShape {
  const merged = merge(one, other);
  return countParts(merged) > PARTS_MAX ? flat(merged) : merged;
}

function look(value: unknown, depth: number, looks: { left: number }): LearntShape {
  looks.left -= 1;
  if (looks.left < 0 || depth > DEPTH_MAX) return NOTHING;
  if (value === null || value === undefined) return { type: ['null'] };
  if (Array.isArray(value)) {
    const seen = value.slice(0, ITEMS_SEEN).map((item) => look(item, depth + 1, looks));
    return { type: ['array'], items: seen.reduce(merge, NOTHING) };
  }
  switch (typeof value) {
    case 'object':
      return lookAtObject(value, depth, looks);
    case 'number':
      return { type: [Number.isInteger(value) ? 'integer' : 'number'] };
    case 'boolean':
    case 'string':
      return { type: [typeof value as Kind] };
    default:
      return NOTHING;
  }
}

function lookAtObject(value: object, depth: number, looks: { left: number }): LearntShape {
  const names: string[] = [];
  for (const name in value) {
    names.push(name);
    if (names.length > FIELDS_MAX) break;
  }
  const fields = names.map((name) => look((value as Record<string, unknown>)[name], depth + 1, looks));
  if (names.length > FIELDS_MAX || !names.every(isWord)) {
    return { type: ['object'], additionalProperties: fields.reduce(merge, NOTHING) };
  }
  return {
    type: ['object'],
    properties: Object.fromEntries(names.map((name, index) => [name, fields[index] as LearntShape])),
    required: names,
  };
}

function isWord(name: string): boolean {
  return WORD.test(name) && !DATA.test(name) && name !== '__proto__';
}

function merge(one: LearntShape, other: LearntShape): LearntShape {
  const kinds = new Set([...one.type, ...other.type]);
  if (kinds.has('number')) kinds.delete('integer');
  const items = one.items && other.items ? merge(one.items, other.items) : (one.items ?? other.items);
  return { type: [...kinds].sort(), ...(items && { items }), ...mergeFields(one, other) };
}

function mergeFields(one: LearntShape, other: LearntShape): Partial<LearntShape> {
  if (!one.type.includes('object')) return fieldsOf(other);
  if (!other.type.includes('object')) return fieldsOf(one);
  const names = [...new Set([...Object.keys(one.properties ?? {}), ...Object.keys(other.properties ?? {})])];
  const isMap = one.additionalProperties ?? other.additionalProperties;
  if (isMap || names.length > FIELDS_MAX) return { additionalProperties: merge(valuesOf(one), valuesOf(other)) };
  const properties = Object.fromEntries(
    names.map((name) => {
      const [left, right] = [one.properties?.[name], other.properties?.[name]];
      return [name, left && right ? merge(left, right) : ((left ?? right) as LearntShape)];
    }),
  );
  return { properties, required: (one.required ?? []).filter((name) => other.required?.includes(name)) };
}

function fieldsOf({ properties, required, additionalProperties }: LearntShape): Partial<LearntShape> {
  return {
    ...(properties && { properties }),
    ...(required && { required }),
    ...(additionalProperties && { additionalProperties }),
  };
}

/** All values of an object as one shape. */
function valuesOf({ properties, additionalProperties }: LearntShape): LearntShape {
  return Object.values(properties ?? {}).reduce(merge, additionalProperties ?? NOTHING);
}

function countParts({ properties, items, additionalProperties }: LearntShape): number {
  const parts = [
    ...Object.values(properties ?? {}),
    ...(items ? [items] : []),
    ...(additionalProperties ? [additionalProperties] : []),
  ];
  return parts.reduce((sum, part) => sum + countParts(part), 1);
}

/** Without what is inside of its parts. */
function flat(shape: LearntShape): LearntShape {
  const { properties, items, additionalProperties } = shape;
  const outside = ({ type }: LearntShape): LearntShape => ({ type });
  return {
    ...shape,
    ...(items && { items: outside(items) }),
    ...(additionalProperties && { additionalProperties: outside(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, outside(part)])),
    }),
  };
}
