/**
 * One line of JSON for every run, every call and every way out, in `<state>/audit.jsonl`, which only its owner may read.
 *
 * Nobody waits for the disk: lines gather in memory and are written in the background, and all are written before the
 * process ends. A disk that takes none is told once in the log, and the next line that can be written says how many are
 * missing. Files are renamed when they are full, never overwritten; several processes may write at once.
 */
import { appendFile, chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '#observability/logger';

/** `egress`: a program asked to reach a host. */
type AuditKind = 'run' | 'call' | 'egress';

export interface AuditLine {
  readonly time: string;
  readonly kind: AuditKind | 'lost';
  readonly [fact: string]: unknown;
}

export const AUDIT_FILE = 'audit.jsonl';
/** `audit-TIME-PID.jsonl`, oldest first when sorted. */
export const OLDER_AUDIT_FILE = /^audit-[\dTZ.-]+-\d+\.jsonl$/;

const FLUSH_MS = 100;
const FILE_BYTES_MAX = 16 * 1024 ** 2;
const OLDER_FILES_MAX = 8;
/** Lines that wait for a slow disk. */
const WAITING_BYTES_MAX = 8 * 1024 ** 2;

export interface AuditOptions {
  readonly fileBytesMax?: number;
  readonly clean: (text: string) => string;
}

export class AuditLog {
  readonly #stateDir: string;
  readonly #file: string;
  readonly #logger: Logger;
  readonly #clean: (text: string) => string;
  readonly #fileBytesMax: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(stateDir: string, logger: Logger, { clean, fileBytesMax = FILE_BYTES_MAX }: AuditOptions) {
    this.#stateDir = stateDir;
    this.#file = join(stateDir, AUDIT_FILE);
    this.#logger = logger;
    this.#clean = clean;
    this.#fileBytesMax = fileBytesMax;
  }

  /** Takes no time and never fails. */
  write(kind: AuditKind, facts: Readonly<Record<string, unknown>>): void {
    const line = this.#lineOf(kind, facts);
    if (this.#waitingBytes + line.length > WAITING_BYTES_MAX) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#timer ??= setTimeout(() => this.#flushSoon(), FLUSH_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flushSoon();
    await this.#flushing;
  }

  #lineOf(kind: AuditKind, facts: Readonly<Record<string, unknown>>): string {
    const time = new Date().toISOString();
    try {
      return this.#clean(`${JSON.stringify({ time, kind, ...facts })}\n`);
    } catch {
      // What a program sent may be nested too deep to be written down.
      const { args: _args, result: _result, ...rest } = facts;
      return this.#clean(`${JSON.stringify({ time, kind, ...rest })}\n`);
    }
  }

  #flushSoon(): void {
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const lost = this.#lost;
    try {
      if (lost > 0) lines.unshift(`${JSON.stringify({ time: new Date().toISOString(), kind: 'lost', lines: lost })}\n`);
      await this.#append(lines.join(''));
      this.#lost -= lost;
      this.#hasFailed = false;
    } catch (cause) {
      this.#lost += lines.length - (lost > 0 ? 1 : 0);
      if (!this.#hasFailed) this.#logger.error('The audit log cannot be written', { file: this.#file, cause });
      this.#hasFailed = true;
    }
  }

  async #append(text: string): Promise<void> {
    await mkdir(this.#stateDir, { recursive: true });
    await appendFile(this.#file, text, { mode: 0o600 });
    const { size, mode } = await stat(this.#file);
    if ((mode & 0o077) !== 0) await chmod(this.#file, 0o600);
    if (size >= this.#fileBytesMax) await this.#turn();
  }

  /** Another process may be doing the same: then a short file is put aside too, and nothing is lost. */
  async #turn(): Promise<void> {
    const time = new Date().toISOString().replaceAll(':', '-');
    await rename(this.#file, join(this.#stateDir, `audit-${time}-${process.pid}.jsonl`));
    const older = (await readdir(this.#stateDir)).filter((name) => OLDER_AUDIT_FILE.test(name)).sort();
    for (const name of older.slice(0, -OLDER_FILES_MAX)) await rm(join(this.#stateDir, name), { force: true });
  }
}
