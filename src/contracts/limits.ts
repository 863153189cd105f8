/**
 * Every number that bounds something, with its unit and its default.
 *
 * Those a person may set (`Limits`) start from `DEFAULT_LIMITS`; the others (`BOUNDS`) are part of the design.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** What one session and one run may use. Set by flag, environment or config file. */
export interface Limits {
  /** Wall clock of a run that names no timeout. */
  readonly timeoutMs: number;
  /** Wall clock of compiling, which is not part of a run's. */
  readonly compileTimeoutMs: number;
  /** The longest timeout that a caller may ask for. */
  readonly timeoutMsMax: number;
  /** CPU time of all processes of a run together. */
  readonly cpuMsMax: number;
  /** Cores that a session may keep busy. */
  readonly cpus: number;
  /** Memory of a session, without what it writes to `/tmp`. */
  readonly memoryBytes: number;
  /** Memory of all sessions together; the longest-idle unnamed session goes when it is passed. */
  readonly totalMemoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  readonly workspaceBytes: number;
  readonly workspaceFiles: number;
  readonly tmpBytes: number;
  /** Bytes of each output stream shown in an answer; the rest is kept and named. About 6k tokens of text. */
  readonly outputBytesShown: number;
  readonly sessions: number;
  readonly idleMs: number;
  /** A run that is still going after this long answers with what it printed so far. Most callers give up after 60 s. */
  readonly answerMs: number;
  /** Calls of other servers that one run may make. */
  readonly callsPerRun: number;
  /** Calls that one upstream works on at a time, unless its entry says otherwise. */
  readonly callsAtOnce: number;
  /** Calls that one upstream gets in a minute, unless its entry says otherwise. */
  readonly callsPerMinute: number;
  /** A question to a person that nobody answered for this long is answered with no. */
  readonly askMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  timeoutMs: 30_000,
  compileTimeoutMs: 60_000,
  timeoutMsMax: 600_000,
  cpuMsMax: 300_000,
  cpus: 2,
  memoryBytes: 512 * MIB,
  totalMemoryBytes: 16 * GIB,
  processes: 128,
  openFiles: 1024,
  workspaceBytes: 1 * GIB,
  workspaceFiles: 200_000,
  tmpBytes: 256 * MIB,
  outputBytesShown: 24_000,
  sessions: 64,
  idleMs: 30 * 60_000,
  answerMs: 45_000,
  callsPerRun: 10_000,
  callsAtOnce: 128,
  callsPerMinute: Number.POSITIVE_INFINITY,
  askMs: 5 * 60_000,
};

/** What the connections to upstream servers may take; an entry of the configuration may say otherwise for its own. */
export interface UpstreamLimits {
  /** From the start of a process, or the first request, to the end of the handshake. */
  readonly startMs: number;
  /** One call that names no timeout, with its wait for a place and for the start. */
  readonly callMs: number;
  /** An upstream that nobody used for this long is stopped. */
  readonly idleMs: number;
  /** Calls that one upstream works on at a time. */
  readonly callsAtOnce: number;
}

export const DEFAULT_UPSTREAM_LIMITS: UpstreamLimits = {
  startMs: 30_000,
  callMs: 120_000,
  idleMs: 10 * 60_000,
  callsAtOnce: 128,
};

export const BOUNDS = {
  /** Longest program accepted. A longer one belongs into `files`. */
  codeBytesMax: 1 * MIB,
  stdinBytesMax: 16 * MIB,
  filesMax: 256,
  /** All of `files` together, decoded. */
  filesBytesMax: 64 * MIB,
  argsMax: 1024,
  argsBytesMax: 128 * KIB,
  /** Bytes kept of one output stream; past this the program runs on and bytes are only counted. */
  keptBytesMax: 64 * MIB,
  /** A stream that passes this is a flood without an end: the run is stopped. */
  outputBytesStop: 1 * GIB,
  keptRunsPerSession: 50,
  keptBytesPerSession: 1 * GIB,
  /** Images of one answer together, before base64 makes them a third longer. */
  imageBytesMax: 750_000,
  imagesMax: 20,
  /** Memory that `/dev/shm` may take. */
  shmBytes: 64 * MIB,
  /** Runs that may wait in one session; the next one is told to come back. */
  queueMax: 64,
  /** From the deadline to the kill: time to unwind after an interrupt. */
  graceMs: 150,
  /** The same after a cancellation, which is answered to nobody. */
  cancelGraceMs: 60,
  /** How long an interpreter may take to prove that it is alive, beyond what is left of the grace. */
  probeMs: 100,
  /** How long parsing a program may take. */
  checkMs: 5_000,
  /** Packages that a session may ask for in one ecosystem, and what one set of them may take to fetch and to keep. */
  packagesMax: 50,
  packagesInstallMs: 300_000,
  packagesBytesMax: 1 * GIB,
  /** Sets of packages kept for the next session that wants them. */
  packageSetsMax: 50,
  /** Fields of one control frame, and its bytes without the payload of images. */
  frameFieldsMax: 2048,
  frameBytesMax: 96 * MIB,
  /** Processes behind one wall that may be at the hatch at once; the next one finds it closed. */
  visitorsMax: 512,
  /** What they may have sent and not yet been answered for, all together: the host holds it in memory. */
  visitorBytesMax: 128 * MIB,
  /** Answers that a program has not read: past the first, long ones become errors; past the second, its interpreter ends. */
  repliesHeldBytesMax: 128 * MIB,
  repliesHeldBytesEnd: 256 * MIB,
  /** Requests of one session that may be on their way at once. */
  requestsOpenMax: 10_000,
  /** How many new or changed files an answer names. */
  filesNamedMax: 10,
  /** Entries of a workspace that are looked at for changed files after a run. */
  scanEntriesMax: 2_000,
  /** Calls of one run that may be on their way at once. */
  callsOpenMax: 4096,
  /** Calls that may wait for a place at one upstream; the next one is told to come back. */
  upstreamQueueMax: 1024,
  /** One message from or to an upstream. */
  upstreamMessageBytesMax: 64 * MIB,
  /** The end of an upstream's standard error that is kept to explain its failures. */
  upstreamStderrBytes: 64 * KIB,
  /** Servers that are started at a time only to read their lists. */
  upstreamListersMax: 2,
  /** Pages and entries of one list of an upstream. */
  listPagesMax: 256,
  listEntriesMax: 10_000,
  /** A tool with a longer name is left out; a longer text is cut; a longer schema becomes one that allows everything. */
  toolNameCharsMax: 256,
  toolTextCharsMax: 32_000,
  toolSchemaCharsMax: 256_000,
  /** Tools whose schemas are kept in memory; those of the others are read from disk when asked for. */
  toolsInMemory: 1_000,
} as const;
