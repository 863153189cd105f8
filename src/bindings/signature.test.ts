import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstSentence, hitLine, type StyleName, signatureOf, toolPage } from './signature.ts';

const node = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
  required: ['name'],
};

/** What a schema is in a signature: Python, TypeScript. */
const types: ReadonlyArray<readonly [what: string, schema: object, python: string, typescript: string]> = [
  ['text', { type: 'string' }, 'str', 'string'],
  ['whole number', { type: 'integer' }, 'int', 'number'],
  ['anything', {}, 'Any', 'unknown'],
  ['choice', { enum: ['a', "b'"] }, 'Literal["a", "b\'"]', '"a" | "b\'"'],
  ['constant', { const: 3 }, 'Literal[3]', '3'],
  ['list', { type: 'array', items: { type: 'string' } }, 'list[str]', 'string[]'],
  ['list of choices', { type: 'array', items: { enum: ['a', 'b'] } }, 'list[Literal["a", "b"]]', '("a" | "b")[]'],
  ['tuple, 2020-12', { type: 'array', prefixItems: [{ type: 'string' }, {}] }, 'tuple[str, Any]', '[string, unknown]'],
  ['tuple, draft-07', { type: 'array', items: [{ type: 'number' }] }, 'tuple[float]', '[number]'],
  ['list of types', { type: ['string', 'null'] }, 'str | None', 'string | null'],
  ['nullable', { type: 'string', nullable: true }, 'str | None', 'string | null'],
  ['union', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'str | int', 'string | number'],
  ['open object', { type: 'object' }, 'dict', 'object'],
  ['map', { type: 'object', additionalProperties: { type: 'number' } }, 'dict[str, float]', 'Record<string, number>'],
  [
    'object',
    { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] },
    '{"a": str, "b-c"?: Any}',
    '{ a: string; "b-c"?: unknown }',
  ],
  ['reference', { $ref: '#/$defs/id' }, 'str', 'string'],
  ['reference to nowhere', { $ref: '#/$defs/none' }, 'Any', 'unknown'],
  ['reference to elsewhere', { $ref: 'https://example.com/schema' }, 'Any', 'unknown'],
  ['parts', { allOf: [{ $ref: '#/$defs/id' }, { description: 'An id' }] }, 'str', 'string'],
  [
    'recursion',
    { $ref: '#/$defs/node' },
    '{"name": str, "children"?: list[node]}',
    '{ name: string; children?: node[] }',
  ],
];

function tool(properties: object, required: string[] = [], rest: object = {}) {
  return {
    server: 's',
    name: 't',
    inputSchema: { type: 'object', properties, required, $defs: { id: { type: 'string' }, node } },
    ...rest,
  };
}

describe('signatureOf()', () => {
  for (const [what, schema, python, typescript] of types) {
    it(`writes ${what}`, () => {
      assert.equal(signatureOf(tool({ x: schema }, ['x']), 'python'), `mcp.s.t(x: ${python})`);
      assert.equal(signatureOf(tool({ x: schema }, ['x']), 'typescript'), `mcp.s.t({ x: ${typescript} })`);
    });
  }

  it('puts what must be given first, and shows defaults', () => {
    const given = tool({ page: { type: 'integer', default: 1 }, q: { type: 'string' }, deep: { type: 'boolean' } }, [
      'q',
    ]);
    const lines: Record<StyleName, string> = {
      python: 'mcp.s.t(q: str, page: int = 1, deep: bool = None)',
      typescript: 'mcp.s.t({ q: string, page?: number, deep?: boolean })',
      shell: 'mcp call s t q=TEXT [page:=INTEGER] [deep:=BOOLEAN]',
    };
    for (const [style, line] of Object.entries(lines)) assert.equal(signatureOf(given, style as StyleName), line);
  });

  it('writes names that are no words so that they mean the same', () => {
    const odd = { ...tool({ 'a b': { type: 'string' } }, ['a b']), server: 'my "server"', name: "x'; rm -rf /\n" };
    assert.equal(signatureOf(odd, 'python'), 'mcp["my \\"server\\""]["x\'; rm -rf /\\n"](a_b: str)');
    assert.equal(signatureOf(odd, 'typescript'), 'mcp["my \\"server\\""]["x\'; rm -rf /\\n"]({ "a b": string })');
    assert.equal(signatureOf(odd, 'shell'), `mcp call 'my "server"' 'x'\\''; rm -rf / ' 'a b'=TEXT`);
  });

  it('leaves out what there is no room for', () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`parameter_${index}`, { type: 'string' }]),
    );
    const line = signatureOf(tool(many), 'python');
    assert.ok(line.length < 300, `${line.length} characters`);
    assert.match(line, /, …\)$/);
  });

  it('survives schemas that nobody should write', () => {
    const loop: Record<string, unknown> = {
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      $ref: '#/$defs/a',
    };
    for (const inputSchema of [loop, { type: 7 }, { type: 'object', properties: [] }, { properties: { x: null } }]) {
      assert.match(signatureOf({ server: 's', name: 't', inputSchema }, 'typescript'), /^mcp\.s\.t\(/);
    }
  });
});

describe('hitLine() and toolPage()', () => {
  const described = tool({ x: { type: 'string', description: 'What\nto do' } }, ['x'], {
    description: 'Does it.\nIn two lines.',
    outputSchema: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] },
  });

  it('say in one line what a tool is for', () => {
    assert.equal(hitLine(described, 'python'), 'mcp.s.t(x: str) -> {"done": bool}  # Does it');
  });

  it('say everything', () => {
    assert.equal(
      toolPage(described, 'typescript'),
      'mcp.s.t({ x: string }): Promise<{ done: boolean }>\n\nDoes it.\nIn two lines.\n\nParameters\n  x: string  // What to do\n\nReturns { done: boolean }',
    );
  });

  it('cut long sentences between words', () => {
    assert.equal(firstSentence('one two three four', 12), 'one two…');
    assert.equal(firstSentence('v1.2 works. Really.', 50), 'v1.2 works');
  });
});
