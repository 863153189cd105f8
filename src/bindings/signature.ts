/** A tool in one line that is ready to be called, and as a page that tells everything about it. */
import type { ToolInfo } from '#contracts/tool';
import type { LearntShape } from './learnt-shape.ts';
import { type Field, parametersOf, type SchemaType, typeOfSchema } from './schema-type.ts';
import { PYTHON } from './types-python.ts';
import { SHELL } from './types-shell.ts';
import { TYPESCRIPT } from './types-typescript.ts';

/** How a language writes types and calls. `depth` is how many levels of objects are spelled out. */
export interface TypeStyle {
  readonly type: (type: SchemaType, depth: number) => string;
  readonly parameter: (field: Field, depth: number) => string;
  readonly call: (server: string, tool: string, parameters: readonly string[]) => string;
  readonly result: (type: SchemaType, depth: number) => string;
  readonly comment: string;
  /** Stands for parameters that are left out. */
  readonly more: string;
}

export const STYLES = { python: PYTHON, typescript: TYPESCRIPT, shell: SHELL } as const;
export type StyleName = keyof typeof STYLES;

interface Described
  extends Pick<ToolInfo, 'server' | 'name' | 'description' | 'title' | 'inputSchema' | 'outputSchema'> {
  /** What it was seen to answer, and how often, where it has no output schema. */
  readonly learnt?: { readonly schema: LearntShape; readonly seen: number } | undefined;
  /** The word for its name, where it is known that it means this tool alone. */
  readonly alias?: string | undefined;
}

/** Five of these are an answer of at most 400 tokens. */
const LINE_CHARS_MAX = 220;
const ABOUT_CHARS_MAX = 90;
const PARAMETER_CHARS_MAX = 90;
const RESULT_CHARS_MAX = 60;
const DEEP = 6;

/** One line: what must be given in full, of the rest what there is room for. */
export function signatureOf(tool: Described, styleName: StyleName): string {
  const style = STYLES[styleName];
  const written: string[] = [];
  let room = LINE_CHARS_MAX;
  let isCut = false;
  for (const field of parametersOf(tool.inputSchema)) {
    const text = shortest(field, style);
    if (!field.isRequired && text.length > room) {
      isCut = true;
      continue;
    }
    room -= text.length + 2;
    written.push(text);
  }
  if (isCut) written.push(style.more);
  return `${style.call(tool.server, styleName === 'shell' ? tool.name : (tool.alias ?? tool.name), written)}${resultOf(tool, style)}`;
}

/** The line and, behind it, what the tool is for. */
export function hitLine(tool: Described, styleName: StyleName): string {
  const text = firstSentence(tool.description ?? tool.title ?? '', ABOUT_CHARS_MAX);
  const about = [text, seenText(tool)].filter(Boolean).join('; ');
  return `${signatureOf(tool, styleName)}${about === '' ? '' : `${STYLES[styleName].comment}${about}`}`;
}

/** Everything: the line with all types, the description, every parameter. */
export function toolPage(tool: Described, styleName: StyleName): string {
  const style = STYLES[styleName];
  const parameters = parametersOf(tool.inputSchema);
  const schema = tool.outputSchema ?? tool.learnt?.schema;
  const output = schema === undefined ? undefined : style.type(typeOfSchema(schema), DEEP);
  const seen = seenText(tool);
  return [
    signatureOf(tool, styleName),
    ...(tool.description === undefined ? [] : ['', tool.description.trim()]),
    ...(parameters.length === 0 ? [] : ['', 'Parameters']),
    ...parameters.map((field) => `  ${parameterLine(field, style)}`),
    ...(output === undefined ? [] : ['', `Returns ${output}${seen === '' ? '' : ` (${seen})`}`]),
  ].join('\n');
}

/** The first sentence of a text, as one line. */
export function firstSentence(text: string, charsMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const sentence = /^.*?[.!?。](?=\s|$)/u.exec(line)?.[0] ?? line;
  if (sentence.length <= charsMax) return sentence.replace(/\.$/, '');
  const cut = sentence.slice(0, charsMax - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > charsMax / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

function shortest(field: Field, style: TypeStyle): string {
  for (let depth = 2; depth > 0; depth -= 1) {
    const text = style.parameter(field, depth);
    if (text.length <= PARAMETER_CHARS_MAX) return text;
  }
  const text = style.parameter(field, 0);
  // A long list of choices is in the tool's page.
  return text.length <= PARAMETER_CHARS_MAX ? text : style.parameter({ ...field, type: widened(field.type) }, 0);
}

function widened(type: SchemaType): SchemaType {
  if (type.kind !== 'literals') return { kind: 'any' };
  return { kind: typeof type.values[0] === 'string' ? 'string' : 'number' };
}

/** Nobody promised what was only seen. */
function seenText({ outputSchema, learnt }: Described): string {
  return outputSchema === undefined && learnt ? `result seen ${learnt.seen}×` : '';
}

function resultOf({ outputSchema, learnt }: Described, style: TypeStyle): string {
  const schema = outputSchema ?? learnt?.schema;
  if (schema === undefined) return '';
  const type = typeOfSchema(schema);
  const whole = style.result(type, 1);
  return whole.length <= RESULT_CHARS_MAX ? whole : style.result(type, 0);
}

function parameterLine(field: Field, style: TypeStyle): string {
  const about = field.description?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return `${style.parameter(field, DEEP)}${about === '' ? '' : `${style.comment}${about}`}`;
}
