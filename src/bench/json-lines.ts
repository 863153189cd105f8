/** Files of one JSON object per line, also packed by gzip. */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { AppError, messageOf } from '#contracts/errors';

export type JsonLine = Readonly<Record<string, unknown>>;

export async function readJsonLines(file: string): Promise<JsonLine[]> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new AppError('INVALID_INPUT', `Cannot read "${file}": ${messageOf(cause)}`, { cause });
  });
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8');
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, `${file}:${index + 1}`)]));
}

function parseLine(line: string, place: string): JsonLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new AppError('INVALID_INPUT', `Line ${place} is not JSON: ${messageOf(cause)}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonLine;
  throw new AppError('INVALID_INPUT', `Line ${place} is not a JSON object`);
}
