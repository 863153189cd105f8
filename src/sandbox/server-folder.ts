/** A folder of one server process for files that live no longer than it does. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#contracts/errors';
import { isSameProcess, processRef } from './process.ts';

/** Tells this process from every other one on this machine, also from a later one with the same pid: `PID-STARTED`. */
export function serverName(): string {
  const self = processRef(process.pid);
  if (!self) throw new AppError('SANDBOX_UNAVAILABLE', '/proc does not show this process');
  return `${self.pid}-${self.started}`;
}

/** A folder for this process alone. Those of processes that are gone are removed on the way. */
export function privateDirectory(parent: string, server: string): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    const [, pid, started] = /^(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && started !== undefined && !isSameProcess({ pid: Number(pid), started })) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
  return mkdtempSync(join(parent, `${server}-`));
}
