/** The composition root: builds the parts from the settings and wires them. No logic of its own. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { App, MachineReport, RuntimeReport, WallReport } from '#cli/app-port';
import { readEnvironment } from '#config/env';
import { livePolicy } from '#config/live-policy';
import { parseMounts } from '#config/mount-text';
import { parsePackages } from '#config/package-text';
import type { Settings } from '#config/settings';
import { AppError } from '#contracts/errors';
import { DEFAULT_UPSTREAM_LIMITS } from '#contracts/limits';
import { Allowlist } from '#egress/allowlist';
import { EgressProxy } from '#egress/proxy';
import { CallGate } from '#engine/call-gate';
import { checkAside } from '#engine/check-code';
import { createHatch } from '#engine/hatch';
import { ownerOf } from '#engine/hatch-tools';
import { type KnownVersions, type LanguageReport, reportCommandLanguages } from '#engine/language-reports';
import { LearntTypes } from '#engine/learnt-types';
import { hasNetwork, openPackageStore } from '#engine/open-packages';
import type { EngineParts } from '#engine/parts';
import { upstreamPlaces } from '#engine/upstream-places';
import { Upstreams } from '#engine/upstreams';
import type { LiveLanguage } from '#languages/language';
import { COMMAND_LANGUAGES, LIVE_LANGUAGES } from '#languages/registry';
import { createLogger, type Logger } from '#observability/logger';
import { ApprovalDesk } from '#policy/approvals';
import { AuditLog } from '#policy/audit-log';
import { KeptApprovals } from '#policy/kept-approvals';
import { CallRates } from '#policy/rate';
import { SecretBook } from '#policy/secret-book';
import type { InterpreterId, SandboxBackend } from '#sandbox/backend';
import { createBubblewrapBackend } from '#sandbox/backends/bubblewrap/index';
import { createContainerBackend } from '#sandbox/backends/container/index';
import { createEmbeddedBackend } from '#sandbox/backends/embedded/index';
import { keepFact, readKeptFact } from '#sandbox/kept-facts';
import { createRuntimeFinder, type RuntimeFinder } from '#sandbox/runtimes';
import { SavingsLedger } from '#savings/ledger';
import { SessionHomes } from '#sessions/home';
import { SessionHouse } from '#sessions/house';

const INTERPRETERS: readonly InterpreterId[] = ['python', 'javascript', 'bash'];

export async function buildApp(settings: Settings, options: { warm: boolean }, version: string): Promise<App> {
  const { stateDir, limits } = settings;
  const secrets = new SecretBook();
  const logger = createLogger(settings.logLevel, (line) => void process.stderr.write(secrets.clean(line)));
  const env = readEnvironment();
  const runtimes = createRuntimeFinder({
    node: process.execPath,
    path: env.PATH ?? '',
    home: homedir(),
    tools: COMMAND_LANGUAGES.flatMap((language) => language.runtimes.flatMap((runtime) => runtime.tools)),
    overrides: settings.runtimes,
    cacheDir: join(stateDir, 'cache'),
    logger,
  });
  const backends: SandboxBackend[] = [
    createBubblewrapBackend({
      node: process.execPath,
      stateDir,
      home: homedir(),
      path: env.PATH ?? '',
      runtimes,
      logger,
    }),
    ...(['podman', 'docker'] as const).map((engine) =>
      createContainerBackend({
        engine,
        image: settings.image,
        user: settings.containerUser,
        node: process.execPath,
        stateDir,
        home: homedir(),
        path: env.PATH ?? '',
        environment: env,
        logger,
      }),
    ),
    createEmbeddedBackend({ cacheDir: join(stateDir, 'cache'), logger }),
  ];
  if (!['auto', ...backends.map((backend) => backend.name)].includes(settings.sandbox)) {
    throw new AppError('SANDBOX_UNAVAILABLE', `The ${settings.sandbox} wall is not part of this version`, {
      hint: `Use --sandbox ${backends.map((backend) => backend.name).join(' or --sandbox ')}`,
    });
  }

  const kept = new KeptApprovals(stateDir);
  const desk = new ApprovalDesk(limits.askMs, kept);
  const audit = new AuditLog(stateDir, logger, { clean: (text) => secrets.clean(text) });
  const savings = new SavingsLedger(stateDir, logger);
  const gate = new CallGate({
    rules: livePolicy(settings.configFile, settings.policy, (problem) =>
      logger.warn('The rules stay as they were', { problem }),
    ),
    desk,
    audit,
    rates: new CallRates(),
    secrets,
    savings,
    limits,
    auditsContent: settings.auditsContent,
  });
  const learnt = new LearntTypes(stateDir, logger);
  const upstreams = new Upstreams({
    ...upstreamPlaces(settings, env),
    stateDir,
    gate,
    learnt,
    secrets,
    limits: { ...DEFAULT_UPSTREAM_LIMITS, callsAtOnce: limits.callsAtOnce },
    version,
    logger,
  });
  const homes = new SessionHomes(stateDir);
  const allowed = new Allowlist(settings.network);
  const egress = allowed.isEmpty
    ? undefined
    : new EgressProxy({ allowed, onRecord: (record) => audit.write('egress', { ...record }) });
  const mounts = parseMounts(settings.mounts);
  const house: SessionHouse = new SessionHouse({
    homes,
    backends,
    wish: { sandbox: settings.sandbox, minIsolation: settings.minIsolation, needsMounts: mounts.length > 0 },
    limits,
    mounts,
    env: settings.timeZone === undefined ? {} : { TZ: settings.timeZone },
    onEgress: egress && ((connection) => egress.accept(connection)),
    warm: options.warm && settings.warm ? INTERPRETERS : [],
    hatch: createHatch(() => ({
      house,
      homes,
      upstreams,
      check: (code, language) => checkAside(engine, code, language),
    })),
    mask: () => secrets.mask,
    onEnd: (session) => upstreams.endSession(ownerOf(session)),
    logger,
  });
  const packages = {
    policy: settings.packages ?? (hasNetwork() ? parsePackages('ask') : parsePackages('off')),
    store: openPackageStore(settings, env, runtimes, logger),
  };
  const engine: EngineParts = {
    packages,
    house,
    homes,
    limits,
    upstreams,
    desk,
    audit,
    savings,
    hasMounts: mounts.length > 0,
    auditsContent: settings.auditsContent,
    logger,
  };
  return {
    settings,
    engine,
    logger,
    version,
    examine: () => examine(settings, version, backends, runtimes),
    languages: async () => [
      ...(await Promise.all(LIVE_LANGUAGES.map((language) => reportLanguage(runtimes, language)))),
      ...(await reportCommandLanguages(engine, knownVersions(join(stateDir, 'cache'), logger))),
    ],
    close: async () => {
      await savings.close();
      packages.store.close();
      await Promise.all([house.close(), upstreams.close()]);
      await Promise.all([audit.close(), learnt.close()]);
      egress?.close();
    },
  };
}

async function examine(
  settings: Settings,
  version: string,
  backends: readonly SandboxBackend[],
  runtimes: RuntimeFinder,
): Promise<MachineReport> {
  const walls = await Promise.all(backends.map(examineWall));
  return {
    version,
    node: { path: process.execPath, version: process.version },
    platform: `${process.platform} ${process.arch}`,
    stateDir: settings.stateDir,
    configFile: settings.configFile,
    walls,
    chosenWall:
      walls.find((wall) => wall.works && (settings.sandbox === 'auto' || settings.sandbox === wall.name))?.name ?? null,
    runtimes: await Promise.all(INTERPRETERS.map((id) => examineRuntime(runtimes, id))),
    limits: { ...settings.limits },
  };
}

async function examineWall(backend: SandboxBackend): Promise<WallReport> {
  const report = await backend.probe();
  const { isolation, exceptions } = backend.capabilities;
  const fixed = { name: backend.name, isolation, exceptions };
  return report.works
    ? { ...fixed, works: true, details: report.details, problem: null, fix: null }
    : { ...fixed, works: false, details: [], problem: report.problem, fix: report.fix };
}

async function examineRuntime(runtimes: RuntimeFinder, language: InterpreterId): Promise<RuntimeReport> {
  const answer = await runtimes.find(language);
  return answer.found
    ? { language, ready: true, version: answer.runtime.version, path: answer.runtime.binary, fix: null }
    : { language, ready: false, version: null, path: null, fix: answer.install };
}

/** Kept on disk: asking dozens of tools takes seconds. */
function knownVersions(cacheDir: string, logger: Logger): KnownVersions {
  const file = join(cacheDir, 'language-versions.json');
  const key = 'versions';
  return { read: () => readKeptFact(file, () => key) ?? {}, keep: (versions) => keepFact(file, key, versions, logger) };
}

async function reportLanguage(
  runtimes: RuntimeFinder,
  { id, name, aliases, interpreter }: LiveLanguage,
): Promise<LanguageReport> {
  const answer = await runtimes.find(interpreter);
  return answer.found
    ? { id, name, aliases, ready: true, version: answer.runtime.version, reason: null, install: null }
    : { id, name, aliases, ready: false, version: null, reason: answer.reason, install: answer.install };
}
