/** What the engine needs to do its work; built in `app.ts`. */
import type { Limits } from '#contracts/limits';
import type { Person } from '#contracts/person';
import type { Logger } from '#observability/logger';
import type { ApprovalDesk } from '#policy/approvals';
import type { AuditLog } from '#policy/audit-log';
import type { SavingsLedger } from '#savings/ledger';
import type { SessionHomes } from '#sessions/home';
import type { SessionHouse } from '#sessions/house';
import type { PackageParts } from './prepare-packages.ts';
import type { Upstreams } from './upstreams.ts';

export interface EngineParts {
  readonly house: SessionHouse;
  readonly homes: SessionHomes;
  readonly limits: Limits;
  readonly upstreams: Upstreams;
  /** Questions that wait for a person. */
  readonly desk: ApprovalDesk;
  readonly packages: PackageParts;
  readonly audit: AuditLog;
  readonly savings: SavingsLedger;
  /** Programs see folders of the host, and what may be secret in them. */
  readonly hasMounts: boolean;
  /** Programs go into the audit log too. */
  readonly auditsContent: boolean;
  readonly logger: Logger;
}

/** How a door follows one run. */
export interface Watcher {
  /** The caller has gone or has cancelled: the run stops. */
  readonly signal: AbortSignal;
  /** Live output, when the door can show it. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', bytes: Buffer) => void;
  /** After this long the door is answered even when the run goes on; undefined waits for the end. */
  readonly answerMs: number | undefined;
  /** Who can be asked what servers want to know. */
  readonly person?: Person;
  /** The door leaves without an answer: the run goes on, and what it prints waits for whoever comes back. */
  readonly left?: AbortSignal;
}
