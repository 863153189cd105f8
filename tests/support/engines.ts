/** What an engine itself says, past Sallyport. */
import { execFileSync } from 'node:child_process';

export function askEngine(engine: string, args: readonly string[]): string {
  return execFileSync(engine, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Names of the containers that a server has, by its pid. */
export function containersOf(engine: string, pid: number): string[] {
  return allContainers(engine).filter((name) => new RegExp(`^sallyport-\\w{8}-\\w{8}-${pid}-`).test(name));
}

export function allContainers(engine: string): string[] {
  return askEngine(engine, ['ps', '--all', '--format', '{{.Names}}']).split('\n').filter(Boolean);
}
