/** Another user of this machine, for servers that are not root. */
import { execFileSync } from 'node:child_process';

export interface TestUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Undefined when the set-up of the tests has made none. */
export function testUser(): TestUser | undefined {
  const name = process.env.SALLYPORT_TEST_USER;
  if (name === undefined) return undefined;
  const [, , uid, gid, , home] = execFileSync('getent', ['passwd', name], { encoding: 'utf8' }).split(':');
  return { name, uid: Number(uid), gid: Number(gid), home: home ?? '/' };
}

/** What makes a command that user's. */
export function commandAs({ uid, gid }: TestUser): string[] {
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--'];
}
