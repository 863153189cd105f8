/** The part of `doctor` about the user's servers: what keeps each from working, and what a person can do about it. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { App } from './app-port.ts';
import { paint, writeAll } from './print.ts';

export interface ServersReport {
  readonly found: number;
  readonly problems: readonly { readonly file: string; readonly place: string; readonly message: string }[];
  readonly missing: readonly MissingInput[];
  readonly failing: readonly { readonly server: string; readonly error: string; readonly lastWords: string }[];
  /** Files of the project that nobody trusts. */
  readonly untrusted: readonly string[];
  readonly project: string;
}

export interface MissingInput {
  readonly server: string;
  readonly file: string;
  readonly kind: 'input' | 'variable' | 'file' | 'unknown';
  readonly id: string;
  readonly description: string | null;
  readonly isSecret: boolean;
  readonly options: readonly string[];
}

const WORDS_LINES = 8;

export async function examineServers({ engine: { upstreams }, settings }: App): Promise<ServersReport> {
  const { servers, problems, needsInput, untrusted } = await upstreams.discovery();
  const gateway = await upstreams.gateway();
  const failing = (await gateway.status()).filter(({ name, lastError }) => {
    return lastError !== undefined && !needsInput.some((server) => server.name === name);
  });
  return {
    found: servers.length,
    problems: problems.map(({ file, line, column, message }) => ({
      file,
      place: line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`,
      message,
    })),
    missing: needsInput.flatMap(({ name, source, needs }) =>
      needs.map(({ description, ...need }) => ({
        server: name,
        file: source.file,
        description: description ?? null,
        ...need,
      })),
    ),
    failing: await Promise.all(
      failing.map(async ({ name, lastError = '' }) => ({
        server: name,
        error: upstreams.clean(lastError),
        lastWords: upstreams.clean(await gateway.lastWords(name)),
      })),
    ),
    untrusted,
    project: settings.project,
  };
}

/** On a terminal: asks for what files refer to and nobody has given. Whether anything was answered. */
export async function askForInputs({ engine: { upstreams } }: App, { missing }: ServersReport): Promise<boolean> {
  const inputs = new Map(
    missing.filter(({ kind }) => kind === 'input').map((need) => [`${need.file} ${need.id}`, need]),
  );
  if (!process.stdin.isTTY || inputs.size === 0) return false;
  let isMuted = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output: echo, terminal: true });
  let hasAnswers = false;
  try {
    for (const need of inputs.values()) {
      await writeAll(process.stderr, `${questionFor(need)} `);
      isMuted = need.isSecret;
      const answer = (await terminal.question('')).trim();
      if (isMuted) await writeAll(process.stderr, '\n');
      isMuted = false;
      if (answer === '' || (need.options.length > 0 && !need.options.includes(answer))) continue;
      await upstreams.answerInput(need.id, need.file, answer);
      hasAnswers = true;
    }
  } finally {
    terminal.close();
  }
  return hasAnswers;
}

function questionFor({ server, id, description, options, isSecret }: MissingInput): string {
  const choices = options.length === 0 ? '' : ` [${options.join(' | ')}]`;
  const hidden = isSecret ? ', not shown while you type' : '';
  return `${server} needs "${id}"${description === null ? '' : `: ${description}`}${choices} (empty: later${hidden}):`;
}

export function serverLines({ found, problems, missing, failing, untrusted, project }: ServersReport): string[] {
  const bad = paint('red', '✗');
  const isFine = problems.length + missing.length + failing.length === 0;
  return [
    `  ${isFine ? paint('green', '✓') : '·'} ${found} found; sallyport servers lists them`,
    ...problems.map(({ file, place, message }) => `  ${bad} ${file}${place}: ${message}`),
    ...missing.flatMap((need) => [`  ${bad} ${need.server} lacks ${wordsFor(need)}`, `      fix: ${fixFor(need)}`]),
    ...failing.flatMap(({ server, error, lastWords }) => [
      `  ${bad} ${server}: ${error}`,
      ...lastLines(lastWords).map((line) => paint('dim', `      | ${line}`)),
    ]),
    ...(untrusted.length === 0
      ? []
      : [
          `  · not trusted: ${untrusted.join(', ')}`,
          `      fix: sallyport trust ${project}, if you trust what it starts`,
        ]),
  ];
}

function wordsFor({ kind, id, description }: MissingInput): string {
  return `${kind === 'unknown' ? 'a value for' : `the ${kind}`} "${id}"${description === null ? '' : ` (${description})`}`;
}

function fixFor({ kind, id, file }: MissingInput): string {
  switch (kind) {
    case 'input':
      return 'run sallyport doctor on a terminal: it asks for it';
    case 'variable':
      return `export ${id}=…, or put the value into ${file}`;
    case 'file':
      return `make the file ${id}`;
    case 'unknown':
      return `put a value into ${file}`;
    default:
      return kind satisfies never;
  }
}

function lastLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-WORDS_LINES);
}
