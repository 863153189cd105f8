/** All settings of one process. Precedence: flag, SALLYPORT_…, MCP_BRIDGE_…, config file, default. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import { DEFAULT_LIMITS, type Limits } from '#contracts/limits';
import type { PackagePolicy } from '#contracts/packages';
import type { Environment } from './env.ts';
import { type ConfigFile, readConfigFile } from './file.ts';
import {
  environmentName,
  type ISOLATION_NAMES,
  type LOG_LEVEL_NAMES,
  OPTIONS,
  type OptionDefinition,
  type OUTPUT_MODES,
  type SANDBOX_NAMES,
} from './options.ts';

export interface Settings {
  readonly stateDir: string;
  readonly configFile: string;
  /** The folder that the user works in. */
  readonly project: string;
  /** Who Sallyport is to authorization servers that read that from an address. */
  readonly clientMetadataUrl: string | undefined;
  /** Entries that start Sallyport itself are left in. */
  readonly allowSelfServer: boolean;
  readonly sandbox: (typeof SANDBOX_NAMES)[number];
  readonly minIsolation: (typeof ISOLATION_NAMES)[number] | undefined;
  readonly image: string | undefined;
  readonly containerUser: string | undefined;
  /** `DIR[:ro|rw]`, as written. */
  readonly mounts: readonly string[];
  /** Undefined when a person said nothing. */
  readonly packages: PackagePolicy | undefined;
  readonly limits: Limits;
  /** Whether sandboxes are started before they are asked for. */
  readonly warm: boolean;
  /** Whether arguments and results go into the audit log. */
  readonly auditsContent: boolean;
  readonly outputMode: (typeof OUTPUT_MODES)[number];
  readonly logLevel: (typeof LOG_LEVEL_NAMES)[number];
  /** Language or interpreter → binary or prefix that a person named. */
  readonly runtimes: Readonly<Record<string, string>>;
  /** Hosts that programs may reach: `host`, `*.host`, `host:port`. */
  readonly network: readonly string[];
  /** Which tools programs may call, first match wins. */
  readonly policy: NonNullable<ConfigFile['policy']>;
  /** The host's time zone, which programs see. */
  readonly timeZone: string | undefined;
}

/** Values of flags as the command line had them. */
export type Flags = Readonly<Record<string, string | readonly string[] | undefined>>;

export async function loadSettings(flags: Flags, env: Environment): Promise<Settings> {
  const given = (flag: string) => firstGiven(flag, flags, env);
  const configFile = resolve(
    text(given('config')) ?? join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'sallyport', 'config.json'),
  );
  const file = await readConfigFile(configFile, { required: given('config') !== undefined });

  const limits: Record<string, unknown> = { ...DEFAULT_LIMITS };
  for (const option of OPTIONS) {
    if (option.limit === undefined) continue;
    const fromFile = file.limits?.[option.flag];
    const value =
      given(option.flag) ??
      (fromFile === undefined
        ? undefined
        : parsed(option, String(fromFile), `limits.${option.flag} in "${configFile}"`));
    if (value !== undefined) limits[option.limit] = value;
  }
  const image = text(given('image'));
  return {
    stateDir: resolve(
      text(given('state')) ?? join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'sallyport'),
    ),
    configFile,
    project: resolve(text(given('project')) ?? '.'),
    clientMetadataUrl: text(given('client-metadata-url')),
    allowSelfServer: given('allow-self-server') === true,
    // An image only means something to a container engine; podman is preferred.
    sandbox: (given('sandbox') as Settings['sandbox'] | undefined) ?? (image === undefined ? 'auto' : 'podman'),
    minIsolation: given('min-isolation') as Settings['minIsolation'],
    image,
    containerUser: text(given('container-user')),
    mounts: [...list(flags.mount ?? env.SALLYPORT_MOUNT?.split(',')), ...(file.mounts ?? [])],
    packages: given('packages') as PackagePolicy | undefined,
    limits: coherent(limits as unknown as Limits),
    warm: given('warm') !== 'off',
    auditsContent: given('audit') === 'full',
    outputMode: (given('output-mode') as Settings['outputMode'] | undefined) ?? 'compact',
    logLevel: (given('log-level') as Settings['logLevel'] | undefined) ?? 'warn',
    runtimes: file.runtimes ?? {},
    network: file.network ?? [],
    policy: file.policy ?? [],
    timeZone: env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** The strongest source that has the option, already parsed. */
function firstGiven(flag: string, flags: Flags, env: Environment): unknown {
  const option = OPTIONS.find((known) => known.flag === flag) as OptionDefinition;
  const fromFlag = flags[flag];
  if (typeof fromFlag === 'string') return parsed(option, fromFlag, `--${flag}`);
  for (const name of [environmentName(option), ...(option.bridgeName ? [`MCP_BRIDGE_${option.bridgeName}`] : [])]) {
    const value = env[name];
    if (value !== undefined && value !== '') return parsed(option, value, name);
  }
  return undefined;
}

function parsed(option: OptionDefinition, value: string, source: string): unknown {
  try {
    return option.parse(value);
  } catch (cause) {
    throw new AppError('INVALID_CONFIG', `${source} ${messageOf(cause)}, and not "${value}"`, { cause });
  }
}

/** A ceiling below the default timeout lowers the default with it. */
function coherent(limits: Limits): Limits {
  return { ...limits, timeoutMs: Math.min(limits.timeoutMs, limits.timeoutMsMax) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function list(value: string | readonly string[] | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : (value ?? []);
}
