/**
 * What a person or model sees of an error: the program's own frames, at the places that were sent, with the source
 * line. Whatever a program throws (null, proxies, objects whose getters throw) ends up as text here.
 */

/** For `Error.stackTraceLimit`: below the program's frames there are the interpreter's, and awaits are below those. */
export const FRAMES_TAKEN = 40;
const FRAMES_SHOWN = 10;
const LINE_LENGTH_MAX = 160;
const SUMMARY_LENGTH_MAX = 300;

/**
 * `Error.prepareStackTrace` for the realm: without it, every `console.error(error)` would show the interpreter's
 * frames too.
 *
 * @param {import('./sources.mjs').Sources} sources
 * @param {(file: string) => boolean} isForeign whether a file is the interpreter's or the runtime's own
 */
export function stackFormatter(sources, isForeign) {
  return (error, frames) => {
    const lines = frames
      .filter((frame) => !isForeign(frame.getFileName() ?? frame.getEvalOrigin() ?? ''))
      .map((frame) => frameText(frame, sources));
    // What the engine called last on its own behalf says nothing about the program.
    while (lines.at(-1)?.endsWith('(<anonymous>)')) lines.pop();
    return [headerOf(error), ...lines.slice(0, FRAMES_SHOWN)].join('\n    at ');
  };
}

function frameText(frame, sources) {
  const text = frame.toString();
  const file = frame.getFileName();
  if (!sources.has(file)) return text;
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  const original = sources.original(file, line, column);
  return text.replace(`${file}:${line}:${column}`, () => `${file}:${original.line}:${original.column}`);
}

function headerOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>'; // a name or message that cannot be read; the engine itself says the same
  }
}

/**
 * @param {unknown} thrown
 * @param {object} tools
 * @param {import('./sources.mjs').Sources} tools.sources
 * @param {(file: string) => boolean} tools.isForeign
 * @param {(value: unknown) => string} tools.inspect
 * @param {{ name: string, line: number, column: number }} [tools.place] where it happened, when no frame tells
 * @param {(thrown: object) => string | undefined} [tools.excerptOf] what the engine itself knows of the place
 * @returns {{ text: string, summary: string }} `text` ends with a newline; `summary` is one line
 */
export function describeThrown(thrown, { sources, isForeign, inspect, place, excerptOf }) {
  const shown = attempt(() => inspect(thrown)) ?? attempt(() => String(thrown)) ?? '<a value that cannot be shown>';
  const stack = attempt(() => (isObject(thrown) && typeof thrown.stack === 'string' ? thrown.stack : undefined));
  if (stack === undefined) {
    const text = `Uncaught ${shown}`;
    return { text: `${text}\n`, summary: clip(firstLine(text), SUMMARY_LENGTH_MAX) };
  }

  const body = withoutForeignFrames(unbracketed(shown, stack), isForeign);
  const excerpt = startsWithPlace(body)
    ? ''
    : (attempt(() => excerptOf?.(thrown)) ?? sourceExcerpt(sources, firstPlace(body, sources) ?? place));
  const header = attempt(() => firstLine(Error.prototype.toString.call(thrown))) || firstLine(body);
  return {
    text: `${excerpt}${body}\n`,
    summary: clip(header, SUMMARY_LENGTH_MAX),
  };
}

/** A program that does not parse. */
export function describeSourceError(name, error, sources) {
  const excerpt = sourceExcerpt(sources, { name, line: error.line, column: error.column });
  const summary = `SyntaxError: ${error.message}`;
  return { text: `${excerpt}${summary}\n`, summary: clip(firstLine(summary), SUMMARY_LENGTH_MAX) };
}

function attempt(read) {
  try {
    return read();
  } catch {
    return undefined; // the program's own getters and proxies run here, and may throw anything
  }
}

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** `inspect` puts brackets around an error that has no frames. */
function unbracketed(shown, stack) {
  return shown.startsWith(`[${stack}]`) ? stack + shown.slice(stack.length + 2) : shown;
}

/** A program may format stacks in its own way; then frames are only known by their text. */
function withoutForeignFrames(text, isForeign) {
  return text
    .split('\n')
    .filter(
      (line) =>
        !/^\s+at /.test(line) ||
        !isForeign(/(?:\(|at (?:async )?)([^()]*?)(?::\d+)*\)?(?: \{)?$/.exec(line)?.[1] ?? ''),
    )
    .join('\n');
}

/** Node puts the place before the message when a file cannot be parsed. */
function startsWithPlace(text) {
  return /^\/.*:\d+\n.*\n *\^/.test(text);
}

function firstPlace(text, sources) {
  for (const line of text.split('\n')) {
    const match = /^\s+at (?:.*\()?(?:async )?(.+):(\d+):(\d+)\)?(?: \{)?$/.exec(line);
    if (match === null) continue;
    const place = { name: match[1], line: Number(match[2]), column: Number(match[3]) };
    if (sources.line(place.name, place.line) !== undefined) return place;
  }
  return undefined;
}

function sourceExcerpt(sources, place) {
  if (place === undefined) return '';
  const { name, line, column } = place;
  const text = sources.line(name, line);
  if (text === undefined || text.trim() === '') return '';
  // A long line (data, minified code) is cut to what is around the place.
  const from = text.length > LINE_LENGTH_MAX ? Math.max(0, column - 1 - LINE_LENGTH_MAX / 2) : 0;
  const shown = text.slice(from, from + LINE_LENGTH_MAX);
  const indent = shown.slice(0, column - 1 - from).replace(/[^\t]/g, ' ');
  return `${name}:${line}\n${shown}\n${indent}^\n\n`;
}

function firstLine(text) {
  return text.split('\n', 1)[0];
}

function clip(text, lengthMax) {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}
