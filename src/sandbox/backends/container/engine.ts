/** A container engine by its command line: what it is, and how it is asked. The same words work for both engines. */
import { spawn } from 'node:child_process';
import { AppError, messageOf } from '#contracts/errors';
import { type CommandResult, runCommand } from '../../process.ts';
import { explainEngine } from './explain.ts';

export type EngineName = 'podman' | 'docker';

export interface EngineFacts {
  readonly version: string;
  readonly isRootless: boolean;
  /** In a virtual machine or on another host: none of its processes and files are this machine's. */
  readonly isRemote: boolean;
}

/** Variables by which the command lines find their service, their settings and a way to a registry. */
const PASSED_VARIABLES = [
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_CERT_PATH',
  'DOCKER_TLS_VERIFY',
  'CONTAINER_HOST',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
  'REGISTRY_AUTH_FILE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

const ASK_TIMEOUT_MS = 30_000;

export class Engine {
  readonly name: EngineName;
  readonly binary: string;
  readonly #env: Record<string, string>;

  constructor(name: EngineName, binary: string, environment: Readonly<Record<string, string | undefined>>) {
    this.name = name;
    this.binary = binary;
    this.#env = Object.fromEntries(
      PASSED_VARIABLES.flatMap((variable) => {
        const value = environment[variable];
        return value === undefined ? [] : [[variable, value]];
      }),
    );
  }

  /** To its end, whatever that is. */
  async ask(args: readonly string[], timeoutMs = ASK_TIMEOUT_MS): Promise<CommandResult> {
    try {
      return await runCommand(this.binary, args, { timeoutMs, env: this.#env });
    } catch (cause) {
      throw new AppError('SANDBOX_UNAVAILABLE', `${this.name} cannot be started: ${messageOf(cause)}`, { cause });
    }
  }

  /** What it printed; its failure becomes a sentence with a way out. */
  async must(args: readonly string[], timeoutMs = ASK_TIMEOUT_MS): Promise<string> {
    const { exitCode, stdout, stderr } = await this.ask(args, timeoutMs);
    if (exitCode === 0) return stdout;
    throw this.failure(exitCode === null ? `no answer in ${timeoutMs / 1000} s` : stderr);
  }

  failure(complaint: string): AppError {
    const { problem, fix } = explainEngine(this.name, complaint);
    return new AppError('SANDBOX_FAILED', `${this.name}: ${problem}`, { hint: fix });
  }

  /** Runs a command that takes its time, and tells what it says meanwhile, line by line. */
  follow(args: readonly string[], onLine: (line: string) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const child = spawn(this.binary, args, { env: this.#env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        const text = chunk.toString('utf8');
        said = (said + text).slice(-4096);
        for (const line of text.split(/[\r\n]+/)) if (line.trim() !== '') onLine(line.trim());
      });
    }
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(this.failure(said))));
    return promise;
  }

  /** Throws when the engine does not answer. */
  async facts(): Promise<EngineFacts> {
    const info = JSON.parse(await this.must(['info', '--format', '{{json .}}'])) as PodmanInfo & DockerInfo;
    if (info.host) {
      return {
        version: info.version?.Version ?? '?',
        isRootless: info.host.security?.rootless ?? false,
        isRemote: info.host.serviceIsRemote ?? false,
      };
    }
    const [complaint] = info.ServerErrors ?? [];
    if (complaint !== undefined) throw this.failure(complaint);
    return {
      version: info.ServerVersion ?? '?',
      isRootless: (info.SecurityOptions ?? []).some((option) => option.includes('rootless')),
      isRemote: /Docker Desktop/.test(info.OperatingSystem ?? ''),
    };
  }
}

interface PodmanInfo {
  readonly host?: { readonly security?: { readonly rootless?: boolean }; readonly serviceIsRemote?: boolean };
  readonly version?: { readonly Version?: string };
}

interface DockerInfo {
  readonly ServerVersion?: string;
  readonly SecurityOptions?: readonly string[];
  readonly OperatingSystem?: string;
  readonly ServerErrors?: readonly string[];
}
