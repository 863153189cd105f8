/** `sallyport detect FILE…`: which language each file is in, how sure that is, and why. Nothing runs. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { AppError, errnoOf } from '#contracts/errors';
import { type Detection, detectLanguage } from '#engine/detect-language';
import { paint, table, writeAll } from './print.ts';

export async function detect(files: readonly string[], flags: { json: boolean }): Promise<number> {
  if (files.length === 0)
    throw new AppError('INVALID_INPUT', 'There is no file to look at', {
      hint: 'Name one or more, or - for standard input',
    });
  const found: ({ file: string } & Detection)[] = [];
  for (const file of files) {
    const fileName = file === '-' ? undefined : basename(file);
    found.push({ file, ...(await detectLanguage({ code: await readText(file), fileName })) });
  }
  const text = flags.json ? `${JSON.stringify(found, null, 2)}\n` : `${table(found.map(row))}\n`;
  await writeAll(process.stdout, text);
  return found.every(({ language }) => language !== null) ? 0 : 1;
}

async function readText(file: string): Promise<string> {
  if (file === '-') return (await buffer(process.stdin)).toString('utf8');
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new AppError('INVALID_INPUT', `Cannot read "${file}": ${errnoOf(cause) ?? 'unknown error'}`, { cause });
  }
}

function row({ file, language, confidence, by, candidates, reasons }: { file: string } & Detection): string[] {
  const others = candidates.slice(0, 3).map((one) => `${one.language} ${percent(one.confidence)}`);
  return [
    file,
    language === null ? paint('yellow', 'unsure') : paint('green', language),
    language === null ? others.join(', ') : percent(confidence),
    `${by}: ${reasons.join('; ')}`,
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
