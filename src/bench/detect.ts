/** `sallyport bench detect`: how often, how surely and how fast the language of a sample is found. */
import { AppError } from '#contracts/errors';
import { detectLanguage } from '#engine/detect-language';
import { findLanguage } from '#languages/registry';
import { readJsonLines } from './json-lines.ts';

interface Tally {
  readonly accuracy: number;
  readonly total: number;
  /** Wrong answers that were sure enough to be run. */
  readonly confidentWrong: number;
}

export interface BenchDetectReport extends Tally {
  /** Samples that would be answered with a question. */
  readonly unsure: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly byLanguage: Readonly<Record<string, Tally>>;
}

interface Judged {
  readonly language: string;
  readonly right: boolean;
  readonly sure: boolean;
  readonly ms: number;
}

export async function benchDetect(file: string): Promise<BenchDetectReport> {
  const judged: Judged[] = [];
  await detectLanguage({ code: 'x', fileName: undefined }); // loading is not part of the figure
  for (const { language, content } of await readJsonLines(file)) {
    if (typeof language !== 'string' || typeof content !== 'string')
      throw new AppError('INVALID_INPUT', `"${file}" has a line without "language" and "content"`);
    const start = performance.now();
    const found = await detectLanguage({ code: content, fileName: undefined });
    const ms = performance.now() - start;
    const right = sameLanguage(found.language ?? found.candidates[0]?.language ?? '', language);
    judged.push({ language, right, sure: found.language !== null, ms });
  }
  const times = judged.map(({ ms }) => ms).sort((a, b) => a - b);
  const names = [...new Set(judged.map(({ language }) => language))].sort();
  return {
    ...tally(judged),
    unsure: judged.filter(({ sure }) => !sure).length,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    byLanguage: Object.fromEntries(
      names.map((name) => [name, tally(judged.filter(({ language }) => language === name))]),
    ),
  };
}

export function formatBenchDetect(report: BenchDetectReport): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const rows = Object.entries(report.byLanguage).map(
    ([name, { accuracy, total, confidentWrong }]) =>
      `${name.padEnd(16)} ${percent(accuracy).padStart(8)} of ${String(total).padStart(4)}   sure and wrong ${confidentWrong}`,
  );
  return [
    ...rows,
    `${'all'.padEnd(16)} ${percent(report.accuracy).padStart(8)} of ${String(report.total).padStart(4)}   sure and wrong ${report.confidentWrong}   unsure ${report.unsure}   p50 ${report.p50Ms} ms   p95 ${report.p95Ms} ms`,
  ].join('\n');
}

function tally(judged: readonly Judged[]): Tally {
  const right = judged.filter((one) => one.right).length;
  return {
    accuracy: judged.length === 0 ? 0 : round(right / judged.length),
    total: judged.length,
    confidentWrong: judged.filter((one) => one.sure && !one.right).length,
  };
}

/** Samples may use any name that the language has. */
function sameLanguage(found: string, named: string): boolean {
  return (findLanguage(found)?.id ?? found) === (findLanguage(named)?.id ?? named.toLowerCase());
}

function quantile(sorted: readonly number[], part: number): number {
  return round(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0);
}

function round(number: number): number {
  return Math.round(number * 10_000) / 10_000;
}
