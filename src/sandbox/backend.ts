/**
 * The port of the wall. A backend turns a plan into a sandbox; a sandbox starts interpreters and is killed as a whole.
 *
 * Everything that comes out of a sandbox (bytes of output, control frames, exit codes it reports about itself) was
 * possibly written by the program behind the wall. Nothing here trusts it.
 */
import type { Duplex } from 'node:stream';

/**
 * A live interpreter that can be started behind the wall. One may serve several languages; `command` serves all those
 * that have none of their own, by starting a process for each run.
 */
export type InterpreterId = 'python' | 'javascript' | 'bash' | 'command';

/** From weakest to strongest; `--min-isolation` names one of these. */
export const ISOLATION_LEVELS = ['process', 'container'] as const;
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];

export interface SandboxCapabilities {
  /** `process`: the permissions of one runtime process; `container`: kernel namespaces, seccomp and limits. */
  readonly isolation: IsolationLevel;
  readonly interpreters: readonly InterpreterId[];
  /** Whether programs may start child processes. */
  readonly childProcesses: boolean;
  /** Whether the host may rename the folders above a workspace while the sandbox is up. */
  readonly followsRenames: boolean;
  /** Whether host folders can be mounted (`--mount`). */
  readonly mounts: boolean;
  /** Whether programs can be given a way out (`SandboxPlan.onEgress`). */
  readonly egress: boolean;
  /** Whether packages of the host can be shown (`plan.packages`). */
  readonly packages?: boolean;
  /** What this backend cannot do, for `doctor`, THREAT_MODEL and refusals: one sentence each. */
  readonly exceptions: readonly string[];
}

/** Whether a backend works on this machine. `problem` and `fix` are written for a person at a terminal. */
export type BackendReport =
  | { readonly works: true; readonly details: readonly string[] }
  | { readonly works: false; readonly problem: string; readonly fix: string };

export interface SandboxBackend {
  readonly name: string;
  readonly capabilities: SandboxCapabilities;
  /** Tries the wall for real. Cheap when asked again. */
  probe(): Promise<BackendReport>;
  /** Builds the wall, or throws AppError SANDBOX_FAILED / SANDBOX_UNAVAILABLE. Never a weaker wall. */
  create(plan: SandboxPlan): Promise<Sandbox>;
  /** Frees what the backend itself holds (caches, helper processes). Sandboxes are disposed by their owners. */
  close(): Promise<void>;
}

/** A host folder that the program may see at `/workspace/NAME`. */
export interface MountRequest {
  readonly source: string;
  readonly name: string;
  readonly mode: 'ro' | 'rw';
}

/** The wall as data. Paths are host paths. */
export interface SandboxPlan {
  /** Becomes `/workspace`, writable. Its owner on disk is the backend's business. */
  readonly workspace: string;
  /** Becomes `/output`, read-only inside: what earlier runs printed. */
  readonly output: string;
  /** Becomes `/run/sallyport/hatch`, read-only inside: the socket by which child processes reach the host. */
  readonly hatch?: string | undefined;
  /** Takes connections of programs that want out, each an HTTP proxy's. Without it there is no way out at all. */
  readonly onEgress?: ((connection: Duplex) => void) | undefined;
  /** Becomes `/run/sallyport/packages`, read-only inside: what was installed for this session. */
  readonly packages?: string | undefined;
  readonly mounts: readonly MountRequest[];
  /** Variables that the program sees besides the backend's own fixed ones. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
}

export interface SandboxLimits {
  readonly memoryBytes: number;
  readonly tmpBytes: number;
  readonly shmBytes: number;
  readonly workspaceBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  readonly cpus: number;
}

/** A process behind the wall that has come to the hatch by itself; speaks `src/inside/PROTOCOL.md`. */
export interface Visitor {
  send(bytes: Buffer): void;
  /** Sent, and not yet read by it. */
  readonly unreadBytes: number;
  /** Says no more; what was sent before arrives. */
  end(): void;
  onData(listener: (bytes: Buffer) => void): void;
  /** Called once, when the process has gone. */
  onGone(listener: () => void): void;
}

/** How an interpreter ended, as far as anyone inside could tell. */
export interface InterpreterExit {
  readonly exitCode: number | null;
  /** `SIGSEGV` and so on. */
  readonly signal: string | null;
}

/** One started interpreter: a duplex control channel that speaks `src/inside/PROTOCOL.md`. */
export interface InterpreterChannel {
  send(bytes: Buffer): void;
  /** Sent, and not yet read by the interpreter. */
  readonly unreadBytes: number;
  onData(listener: (bytes: Buffer) => void): void;
  /** Called once, when the interpreter ended or its channel closed. */
  onExit(listener: (exit: InterpreterExit) => void): void;
  /** Asks the running program to stop: SIGINT to its process group, or the like. May have no effect. */
  interrupt(): void;
}

/** Figures of a sandbox. Each may be read from the system when it is looked at, and not before. */
export interface Usage {
  /** Highest memory since `resetPeak`, where the backend can tell. */
  readonly peakMemoryBytes: number | null;
  readonly cpuMs: number | null;
  /** What its processes use now, without what lies in `/tmp`. */
  readonly memoryBytes: number | null;
  /** How many processes the kernel killed for memory since the sandbox started. */
  readonly oomKills: number;
  /** `/tmp` or `/dev/shm` has no room left. */
  readonly tmpFull: boolean;
}

export interface Sandbox {
  /** Bytes of standard output and error of everything inside, shared by all interpreters; set once, before the first run. */
  onOutput(listener: (stream: 'stdout' | 'stderr', bytes: Buffer) => void): void;
  /** Stops reading output until `resumeOutput`: the program then blocks on its next write. */
  pauseOutput(): void;
  resumeOutput(): void;
  /** Resolves when the interpreter said `ready`; throws AppError RUNTIME_MISSING or SANDBOX_FAILED. */
  start(interpreter: InterpreterId): Promise<InterpreterChannel>;
  /** Set once. Never called where programs have no child processes. */
  onVisit(listener: (visitor: Visitor) => void): void;
  usage(): Usage;
  resetPeak(): void;
  /** Called once when the whole sandbox is gone, for whatever reason. */
  onEnd(listener: () => void): void;
  /** SIGKILL to everything inside; resolves when nothing of it is left. Idempotent. */
  kill(): Promise<void>;
}
