/** What no single process may pass, as the supervisor sets it. */
import type { SandboxLimits } from '../backend.ts';

export interface ProcessLimits {
  readonly dataBytes: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Undefined where a group counts them. */
  readonly processes: number | undefined;
}

/**
 * V8 and the JVM reserve address space that they never fill, and the kernel counts it as data. With this much on top
 * they start, and an allocation without measure still fails at once instead of being killed; the group holds the real
 * limit.
 */
const RESERVED_BYTES = 1024 ** 3;

export function processLimits(limits: SandboxLimits, processes: number | undefined): ProcessLimits {
  return {
    dataBytes: limits.memoryBytes + RESERVED_BYTES,
    fileBytes: limits.workspaceBytes,
    openFiles: limits.openFiles,
    processes,
  };
}

/** For `SALLYPORT_LIMITS`, in the units of `ulimit`. */
export function limitText({ dataBytes, fileBytes, openFiles, processes }: ProcessLimits): string {
  return [Math.ceil(dataBytes / 1024), Math.ceil(fileBytes / 512), openFiles, processes ?? 0].join(' ');
}
