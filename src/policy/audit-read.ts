/** The audit log, oldest line first, with its older files. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AUDIT_FILE, type AuditLine, OLDER_AUDIT_FILE } from './audit-log.ts';

export interface AuditFilter {
  readonly kind?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly session?: string | undefined;
  readonly run?: string | undefined;
  readonly decision?: string | undefined;
  readonly since?: Date | undefined;
}

const EXACT = ['kind', 'server', 'tool', 'session', 'run', 'decision'] as const;

export async function* readAudit(stateDir: string, filter: AuditFilter): AsyncGenerator<AuditLine> {
  const names = await readdir(stateDir).catch(() => []); // nothing was ever written
  const files = [
    ...names.filter((name) => OLDER_AUDIT_FILE.test(name)).sort(),
    ...names.filter((name) => name === AUDIT_FILE),
  ];
  for (const file of files) {
    for await (const text of createInterface(createReadStream(join(stateDir, file)))) {
      const line = parseAuditLine(text, filter);
      if (line) yield line;
    }
  }
}

/** Undefined when it is not asked for, or when it is no line of ours: a process may have died while it wrote. */
export function parseAuditLine(text: string, filter: AuditFilter): AuditLine | undefined {
  let line: AuditLine;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof line?.time !== 'string') return undefined;
  const fits = EXACT.every((key) => filter[key] === undefined || line[key] === filter[key]);
  return fits && (filter.since === undefined || line.time >= filter.since.toISOString()) ? line : undefined;
}
