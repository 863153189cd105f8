/** Who programs are: inside the container, and outside of it on the host. */
import { statSync } from 'node:fs';
import { AppError } from '#contracts/errors';
import type { MountStep } from '../../mounts.ts';
import type { EngineFacts, EngineName } from './engine.ts';
import type { ContainerUser } from './flags.ts';

const NOBODY: ContainerUser = { uid: 65534, gid: 65534 };

export interface Identity {
  readonly user: ContainerUser;
  /** The engine maps the user to the server's own. */
  readonly keepsUser: boolean;
  /** Whom files must belong to on the host; undefined when they are the server's own anyway. */
  readonly owner: ContainerUser | undefined;
  /** For `doctor`. */
  readonly description: string;
}

/** `wanted` is `UID` or `UID:GID`. Throws INVALID_CONFIG for a user that cannot be. */
export function chooseIdentity(engine: EngineName, facts: EngineFacts, wanted: string | undefined): Identity {
  const user = wanted === undefined ? NOBODY : parseUser(wanted);
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  if (facts.isRootless) {
    const description = `user ${text(user)} inside, your own (${uid}) outside, without capabilities`;
    return { user, keepsUser: true, owner: undefined, description };
  }
  if (uid === 0) {
    return { user, keepsUser: false, owner: user, description: `user ${text(user)} inside and outside, never root` };
  }
  // The daemon is root and the server is not: only its own user can use what it makes.
  if (wanted !== undefined && (user.uid !== uid || user.gid !== gid)) {
    throw refusal(`the server is user ${uid}:${gid}, and a rootful ${engine} cannot show its files as another one's`);
  }
  return {
    user: { uid, gid },
    keepsUser: false,
    owner: undefined,
    description: `user ${uid}:${gid} inside and outside, your own, without capabilities`,
  };
}

/** A folder that is writable for nobody inside would be a surprise in the middle of a run. */
export function refuseUnwritable(steps: readonly MountStep[], { owner }: Identity): void {
  if (!owner) return;
  for (const step of steps) {
    if (step.kind !== 'bind' || step.mode !== 'rw') continue;
    const { uid, gid, mode } = statSync(step.source);
    const bit = uid === owner.uid ? 0o200 : gid === owner.gid ? 0o020 : 0o002;
    if ((mode & bit) !== 0) continue;
    throw new AppError(
      'INVALID_CONFIG',
      `Cannot mount "${step.source}" writable: user ${text(owner)} may not write it`,
      {
        hint:
          uid === 0
            ? 'Give the folder to another user than root, mount it read-only, or use --sandbox bubblewrap'
            : `Start with --container-user ${uid}:${gid}, who owns it; or mount it read-only`,
      },
    );
  }
}

function parseUser(wanted: string): ContainerUser {
  const [, uid, gid] = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(wanted) ?? [];
  if (uid === undefined) throw refusal('it must be a number, or two with a colon, such as 65534:65534');
  const user = { uid: Number(uid), gid: Number(gid ?? uid) };
  if (user.uid === 0 || user.gid === 0) throw refusal('programs never run as root');
  return user;
}

function refusal(reason: string): AppError {
  return new AppError('INVALID_CONFIG', `--container-user cannot be that: ${reason}`, { hint: 'Leave it out' });
}

function text({ uid, gid }: ContainerUser): string {
  return `${uid}:${gid}`;
}
