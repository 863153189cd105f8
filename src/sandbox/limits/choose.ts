/** The strongest mechanism that works for this server, found out once. */
import { readFileSync } from 'node:fs';
import { tryLegacyGroups } from './cgroup-v1.ts';
import { tryUnifiedGroups } from './cgroup-v2.ts';
import { parseHierarchies } from './hierarchy.ts';
import type { Limiter } from './limiter.ts';
import { trySystemdScopes } from './systemd-scope.ts';
import { createWatchdogLimiter } from './watchdog.ts';

export interface LimiterChoice {
  readonly limiter: Limiter;
  /** Why stronger mechanisms were passed over. */
  readonly passedOver: readonly string[];
}

export async function chooseLimiter(parts: { uid: number; systemdRun: string | undefined }): Promise<LimiterChoice> {
  const hierarchies = parseHierarchies(
    readFileSync('/proc/self/cgroup', 'utf8'),
    readFileSync('/proc/self/mountinfo', 'utf8'),
  );
  const passedOver: string[] = [];
  const attempts = [
    () => tryUnifiedGroups(hierarchies),
    () => trySystemdScopes({ ...parts, hierarchies }),
    () => (parts.uid === 0 ? tryLegacyGroups(hierarchies) : 'version 1 groups need root'),
  ];
  for (const attempt of attempts) {
    const result = await attempt();
    if (typeof result !== 'string') return { limiter: result, passedOver };
    passedOver.push(result);
  }
  return { limiter: createWatchdogLimiter({ uid: parts.uid, hasOwnUser: parts.uid === 0 }), passedOver };
}
