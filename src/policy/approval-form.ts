/** The calls that a person is asked about, as a form that any MCP client can show, and what was filled in. Pure. */

export const APPROVALS = ['once', 'session', 'always', 'deny'] as const;
export type Approval = (typeof APPROVALS)[number];

export interface AskedCall {
  readonly server: string;
  readonly tool: string;
  /** Without secrets. */
  readonly args: unknown;
  readonly session: string;
  readonly caller: string;
}

/** `elicitation/create`, form mode. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, FormField>>;
    readonly required: string[];
  };
}

interface FormField {
  readonly type: 'string';
  readonly title: string;
  readonly description: string;
  readonly enum: string[];
}

/** What came back. Anything may be in it. */
export interface FilledForm {
  readonly action: string;
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

const ARGS_CHARS_MAX = 300;
const NAME_CHARS_MAX = 120;

export function formOf(calls: readonly AskedCall[]): Form {
  const tools = toolsOf(calls);
  const [first] = calls;
  const who = `${plain(first?.caller ?? '')}, session ${plain(first?.session ?? '')}`;
  return {
    message: [`A program (${who}) wants to call:`, ...calls.map((call) => `  ${callLine(call)}`)].join('\n'),
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(
        tools.map((tool, index) => [
          fieldName(index),
          {
            type: 'string',
            title: plain(tool),
            description:
              'once: these calls; session: as long as this session lives; always: from now on; deny: not now',
            enum: [...APPROVALS],
          },
        ]),
      ),
      required: tools.map((_tool, index) => fieldName(index)),
    },
  };
}

/** What the form says about each call, in their order. What it does not say clearly is a no. */
export function readForm(calls: readonly AskedCall[], { action, content }: FilledForm): Approval[] {
  const tools = toolsOf(calls);
  return calls.map((call) => {
    const filled = content?.[fieldName(tools.indexOf(toolName(call)))];
    return (action === 'accept' ? APPROVALS.find((approval) => approval === filled) : undefined) ?? 'deny';
  });
}

/** One line whatever is in it: nobody may write lines of their own into the question. */
function callLine(call: AskedCall): string {
  const args = plain(JSON.stringify(call.args) ?? '', ARGS_CHARS_MAX);
  return `${plain(toolName(call))} ${args}`;
}

function toolName({ server, tool }: AskedCall): string {
  return `${server}.${tool}`;
}

function toolsOf(calls: readonly AskedCall[]): string[] {
  return [...new Set(calls.map(toolName))];
}

function fieldName(index: number): string {
  return index === 0 ? 'decision' : `decision_${index + 1}`;
}

/** Control characters, line ends and marks that turn the direction of text are shown as codes. */
function plain(text: string, charsMax = NAME_CHARS_MAX): string {
  const shown = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
  return shown.length > charsMax ? `${shown.slice(0, charsMax - 1)}…` : shown;
}
