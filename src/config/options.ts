/**
 * Every setting once: its flag, what it does, how it is read, and the variable of the older bridge that means the same.
 * Flags, `SALLYPORT_…` variables, the config file's `limits`, `--help` and the reference page all come from this table.
 */
import { DEFAULT_LIMITS, type Limits } from '#contracts/limits';
import { parsePackages } from './package-text.ts';
import {
  parseBytes,
  parseCount,
  parseCpus,
  parseDurationMs,
  parseHttps,
  parseOneOf,
  parseSwitch,
  parseText,
  type ValueParser,
} from './values.ts';

export interface OptionDefinition {
  /** Without the dashes; the variable is SALLYPORT_ and the same word in capitals. */
  readonly flag: string;
  readonly placeholder: string;
  readonly help: string;
  readonly parse: ValueParser<unknown>;
  /** Behind MCP_BRIDGE_. */
  readonly bridgeName?: string;
  /** The limit that it sets; such options may stand in the config file under `limits`. */
  readonly limit?: keyof Limits;
  /** May be given more than once. */
  readonly repeatable?: true;
}

export const OUTPUT_MODES = ['compact', 'toon', 'json'] as const;
export const SANDBOX_NAMES = ['auto', 'bubblewrap', 'podman', 'docker', 'embedded'] as const;
export const ISOLATION_NAMES = ['process', 'container'] as const;
export const LOG_LEVEL_NAMES = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const seconds = (ms: number) => `${ms / 1000} s`;
const mebibytes = (bytes: number) => `${bytes / 1024 ** 2} MiB`;

export const OPTIONS: readonly OptionDefinition[] = [
  {
    flag: 'config',
    placeholder: 'FILE',
    help: 'config file (default ~/.config/sallyport/config.json)',
    parse: parseText,
  },
  {
    flag: 'state',
    placeholder: 'DIR',
    help: 'workspaces, kept output, caches (default ~/.local/state/sallyport)',
    parse: parseText,
    bridgeName: 'STATE_DIR',
  },
  {
    flag: 'project',
    placeholder: 'DIR',
    help: 'folder that you work in (default: the current one); its servers count once it is trusted',
    parse: parseText,
  },
  {
    flag: 'client-metadata-url',
    placeholder: 'URL',
    help: 'https address of a client-id document, for logins at servers that register nobody',
    parse: parseHttps,
  },
  {
    flag: 'allow-self-server',
    placeholder: 'on|off',
    help: 'let entries be that start Sallyport itself (default off)',
    parse: parseSwitch,
    bridgeName: 'ALLOW_SELF_SERVER',
  },
  {
    flag: 'sandbox',
    placeholder: 'WALL',
    help: `which wall: ${SANDBOX_NAMES.join(', ')}`,
    parse: parseOneOf(SANDBOX_NAMES),
    bridgeName: 'RUNTIME',
  },
  {
    flag: 'min-isolation',
    placeholder: 'LEVEL',
    help: `refuse weaker walls: ${ISOLATION_NAMES.join(' or ')}`,
    parse: parseOneOf(ISOLATION_NAMES),
  },
  {
    flag: 'image',
    placeholder: 'IMAGE',
    help: 'container image (implies a container wall)',
    parse: parseText,
    bridgeName: 'IMAGE',
  },
  {
    flag: 'container-user',
    placeholder: 'UID[:GID]',
    help: 'user of programs in containers (default 65534:65534; never root)',
    parse: parseText,
    bridgeName: 'CONTAINER_USER',
  },
  {
    flag: 'mount',
    placeholder: 'DIR[:ro|rw]',
    help: 'show a host folder at /workspace/NAME, read-only unless :rw',
    parse: parseText,
    repeatable: true,
  },
  {
    flag: 'packages',
    placeholder: 'MODE',
    help: 'install what programs declare: off, ask, allow or allow:pypi,npm=ADDRESS (default ask; off without a network)',
    parse: parsePackages,
  },
  {
    flag: 'timeout',
    placeholder: 'TIME',
    help: `time for a run that names none (default ${seconds(DEFAULT_LIMITS.timeoutMs)})`,
    parse: parseDurationMs,
    limit: 'timeoutMs',
    bridgeName: 'TIMEOUT',
  },
  {
    flag: 'compile-timeout',
    placeholder: 'TIME',
    help: `time for compiling, besides that of the run (default ${seconds(DEFAULT_LIMITS.compileTimeoutMs)})`,
    parse: parseDurationMs,
    limit: 'compileTimeoutMs',
  },
  {
    flag: 'max-timeout',
    placeholder: 'TIME',
    help: `longest time a caller may ask for (default ${seconds(DEFAULT_LIMITS.timeoutMsMax)})`,
    parse: parseDurationMs,
    limit: 'timeoutMsMax',
    bridgeName: 'MAX_TIMEOUT',
  },
  {
    flag: 'answer-after',
    placeholder: 'TIME',
    help: `answer early when a run takes longer (default ${seconds(DEFAULT_LIMITS.answerMs)})`,
    parse: parseDurationMs,
    limit: 'answerMs',
  },
  {
    flag: 'cpu-time',
    placeholder: 'TIME',
    help: `CPU time of one run (default ${seconds(DEFAULT_LIMITS.cpuMsMax)})`,
    parse: parseDurationMs,
    limit: 'cpuMsMax',
  },
  {
    flag: 'memory',
    placeholder: 'SIZE',
    help: `memory of a session (default ${mebibytes(DEFAULT_LIMITS.memoryBytes)})`,
    parse: parseBytes,
    limit: 'memoryBytes',
    bridgeName: 'MEMORY',
  },
  {
    flag: 'total-memory',
    placeholder: 'SIZE',
    help: `memory of all sessions together (default ${mebibytes(DEFAULT_LIMITS.totalMemoryBytes)})`,
    parse: parseBytes,
    limit: 'totalMemoryBytes',
  },
  {
    flag: 'cpus',
    placeholder: 'N',
    help: `cores of a session (default ${DEFAULT_LIMITS.cpus})`,
    parse: parseCpus,
    limit: 'cpus',
    bridgeName: 'CPUS',
  },
  {
    flag: 'pids',
    placeholder: 'N',
    help: `processes of a session (default ${DEFAULT_LIMITS.processes})`,
    parse: parseCount,
    limit: 'processes',
    bridgeName: 'PIDS',
  },
  {
    flag: 'open-files',
    placeholder: 'N',
    help: `open files of a process (default ${DEFAULT_LIMITS.openFiles})`,
    parse: parseCount,
    limit: 'openFiles',
  },
  {
    flag: 'workspace-size',
    placeholder: 'SIZE',
    help: `disk quota of a workspace (default ${mebibytes(DEFAULT_LIMITS.workspaceBytes)})`,
    parse: parseBytes,
    limit: 'workspaceBytes',
  },
  {
    flag: 'workspace-files',
    placeholder: 'N',
    help: `files in a workspace (default ${DEFAULT_LIMITS.workspaceFiles})`,
    parse: parseCount,
    limit: 'workspaceFiles',
  },
  {
    flag: 'tmp-size',
    placeholder: 'SIZE',
    help: `size of /tmp (default ${mebibytes(DEFAULT_LIMITS.tmpBytes)})`,
    parse: parseBytes,
    limit: 'tmpBytes',
  },
  {
    flag: 'output-shown',
    placeholder: 'SIZE',
    help: `bytes of each stream shown in an answer (default ${DEFAULT_LIMITS.outputBytesShown})`,
    parse: parseBytes,
    limit: 'outputBytesShown',
  },
  {
    flag: 'max-sessions',
    placeholder: 'N',
    help: `sessions at once (default ${DEFAULT_LIMITS.sessions})`,
    parse: parseCount,
    limit: 'sessions',
  },
  {
    flag: 'idle-timeout',
    placeholder: 'TIME',
    help: `end a session after this long without a run (default ${DEFAULT_LIMITS.idleMs / 60_000} min)`,
    parse: parseDurationMs,
    limit: 'idleMs',
    bridgeName: 'RUNTIME_IDLE_TIMEOUT',
  },
  {
    flag: 'max-calls',
    placeholder: 'N',
    help: `calls of other servers in one run (default ${DEFAULT_LIMITS.callsPerRun})`,
    parse: parseCount,
    limit: 'callsPerRun',
  },
  {
    flag: 'server-concurrency',
    placeholder: 'N',
    help: `calls that a server works on at once (default ${DEFAULT_LIMITS.callsAtOnce})`,
    parse: parseCount,
    limit: 'callsAtOnce',
  },
  {
    flag: 'server-rate',
    placeholder: 'N',
    help: 'calls that a server gets in a minute (default: any number)',
    parse: parseCount,
    limit: 'callsPerMinute',
  },
  {
    flag: 'ask-timeout',
    placeholder: 'TIME',
    help: `a question to a person that nobody answers is a no after this long (default ${DEFAULT_LIMITS.askMs / 60_000} min)`,
    parse: parseDurationMs,
    limit: 'askMs',
  },
  {
    flag: 'audit',
    placeholder: 'basic|full',
    help: 'full: arguments and results go into the audit log too (default basic)',
    parse: parseOneOf(['basic', 'full']),
  },
  {
    flag: 'warm',
    placeholder: 'on|off',
    help: 'keep interpreters started for the next session (default on)',
    parse: parseOneOf(['on', 'off']),
  },
  {
    flag: 'output-mode',
    placeholder: 'MODE',
    help: `how answers look: ${OUTPUT_MODES.join(', ')}`,
    parse: parseOneOf(OUTPUT_MODES),
    bridgeName: 'OUTPUT_MODE',
  },
  {
    flag: 'log-level',
    placeholder: 'LEVEL',
    help: `what is logged on stderr: ${LOG_LEVEL_NAMES.join(', ')} (default warn)`,
    parse: parseOneOf(LOG_LEVEL_NAMES),
    bridgeName: 'LOG_LEVEL',
  },
];

/** `idle-timeout` → `SALLYPORT_IDLE_TIMEOUT`. The state directory has the name that the contract gives it. */
export function environmentName(option: OptionDefinition): string {
  const word = option.flag === 'state' ? 'STATE_DIR' : option.flag.replaceAll('-', '_').toUpperCase();
  return `SALLYPORT_${word}`;
}
