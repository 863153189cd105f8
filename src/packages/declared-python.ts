/** What a Python program declares: a PEP 723 block, or `# requirements: a, b` on a line of its own. */
import { parse } from 'smol-toml';
import { AppError, messageOf } from '#contracts/errors';
import { type PackageWish, pypiWish } from './wish.ts';

const BLOCK_START = /^# \/\/\/ ([a-zA-Z0-9-]+)[ \t]*$/;
const BLOCK_END = /^# \/\/\/[ \t]*$/;
const LINE = /^#[ \t]*requirements[ \t]*:[ \t]*(.*)$/;

export function declaredInPython(code: string): PackageWish[] {
  const lines = code.split('\n');
  const block = scriptBlock(lines);
  const requirements = lines.flatMap((line) => LINE.exec(line)?.[1] ?? []).flatMap(splitRequirements);
  return [...(block === undefined ? [] : dependenciesOf(block)), ...requirements].map(pypiWish);
}

/** The text of the block without its `# `; undefined when there is none. */
function scriptBlock(lines: readonly string[]): string | undefined {
  const starts = lines.flatMap((line, at) => (BLOCK_START.exec(line)?.[1] === 'script' ? [at] : []));
  const [start, second] = starts;
  if (start === undefined) return undefined;
  if (second !== undefined) throw malformed('There are two "script" blocks', second);
  const body: string[] = [];
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (BLOCK_END.test(line)) return body.join('\n');
    if (line !== '#' && !line.startsWith('# ')) break;
    body.push(line.slice(2));
  }
  throw malformed('The "script" block has no end', start);
}

function dependenciesOf(toml: string): string[] {
  let parsed: unknown;
  try {
    parsed = parse(toml);
  } catch (cause) {
    throw malformed(`The "script" block is no TOML (${messageOf(cause).split('\n')[0]})`, undefined);
  }
  const { dependencies } = parsed as { dependencies?: unknown };
  if (dependencies === undefined) return [];
  if (Array.isArray(dependencies) && dependencies.every((entry) => typeof entry === 'string')) return dependencies;
  throw malformed('"dependencies" in the "script" block is no list of texts', undefined);
}

/** At commas, but not those between versions or extras: `a>=1,<2, b[x,y]`. A sentence about something else asks for nothing. */
function splitRequirements(text: string): string[] {
  const parts = text.split(/,(?![^[]*\])\s*(?=[^\s<>=!~])/).map((part) => part.trim());
  const isProse = parts.some((part) => /^[A-Za-z]+\s+[A-Za-z]/.test(part) || part === 'none');
  return isProse ? [] : parts.filter((part) => part !== '');
}

function malformed(what: string, line: number | undefined): AppError {
  return new AppError('INVALID_INPUT', `${what}${line === undefined ? '' : ` (line ${line + 1})`}`, {
    hint: 'It looks so:\n# /// script\n# dependencies = ["requests>=2.31"]\n# ///',
  });
}
