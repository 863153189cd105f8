/** Commands that this shell has besides its own: the hatch, and a word about the languages that are not programs here. */
import { defineCommand } from 'just-bash';

const ELSEWHERE = { python: 'python', python3: 'python', node: 'javascript', deno: 'javascript' };

/** @param {import('../serve.mjs').Ways} ways */
export function commandsOf(ways) {
  return [mcpCommand(ways), ...Object.entries(ELSEWHERE).map(([name, language]) => absentCommand(name, language))];
}

function absentCommand(name, language) {
  const stderr = `${name}: this shell cannot start programs; send the code as its own run with language "${language}"\n`;
  return defineCommand(name, async () => ({ stdout: '', stderr, exitCode: 127 }));
}

/** `mcp help`, `mcp session …`; all other words are for the host to read. */
function mcpCommand(ways) {
  return defineCommand('mcp', async (args) => {
    const request = parseRequest(args);
    if (request === undefined) {
      return { stdout: '', stderr: 'usage: mcp session reset | close [NAME] | list\n', exitCode: 2 };
    }
    try {
      const value = await ways.call(request.method, request.params);
      return { stdout: asText(value), stderr: '', exitCode: 0 };
    } catch (error) {
      return { stdout: '', stderr: `mcp: ${error.message}\n`, exitCode: 1 };
    }
  });
}

function parseRequest(words) {
  const [area, verb, name, ...rest] = words;
  if (area === 'help' && verb === undefined) return { method: 'help', params: {} };
  if (area !== 'session') return { method: 'shell', params: { words } };
  if (rest.length > 0) return undefined;
  if (verb === 'close') return { method: 'session.close', params: { name } };
  if ((verb === 'reset' || verb === 'list') && name === undefined) return { method: `session.${verb}`, params: {} };
  return undefined;
}

function asText(value) {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.endsWith('\n') ? text : `${text}\n`;
}
