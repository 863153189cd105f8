/** Commands that this shell has besides its own: the hatch, and a word about the languages that are not programs here. */
import { decodeBytesToUtf8, defineCommand, textOutput } from 'just-bash';

const ELSEWHERE = { python: 'python', python3: 'python', node: 'javascript', deno: 'javascript' };

/** @param {import('../serve.mjs').Ways} ways */
export function commandsOf(ways) {
  return [mcpCommand(ways), ...Object.entries(ELSEWHERE).map(([name, language]) => absentCommand(name, language))];
}

function absentCommand(name, language) {
  const stderr = `${name}: this shell cannot start programs; send the code as its own run with language "${language}"\n`;
  return defineCommand(name, async () => ({ stdout: '', stderr, exitCode: 127 }));
}

/** The words are for the host to read. */
function mcpCommand(ways) {
  return defineCommand('mcp', async (words, { stdin }) => {
    const input = decodeBytesToUtf8(stdin);
    // Whether it is a pipe cannot be told here; arguments look like arguments.
    const isMeant = words.some((word) => word === '-' || word.endsWith('@=-')) || input.trimStart().startsWith('{');
    const { exit, out, err } = await ways.call('shell', isMeant ? { words, stdin: input } : { words });
    return { ...textOutput(out), stderr: err, exitCode: Number(exit) };
  });
}
