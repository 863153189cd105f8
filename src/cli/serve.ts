/** `sallyport serve`: MCP over stdio until the caller goes away or somebody stops us. */

import { readEnvironment } from '#config/env';
import type { Settings } from '#config/settings';
import { namesPlaceOf, readKnownNames } from '#engine/known-names';
import { createLogger } from '#observability/logger';
import { serveOverStdio } from '#protocol/transports/stdio';
import type { ControlSocket } from '#sessions/control-socket';
import type { App, CommandContext } from './app-port.ts';
import { openControl } from './control.ts';

/** A look at the usual places takes a fifth of this; a slow disk must not keep a caller waiting. */
const NAMES_MS_MAX = 500;
/** Long enough that the first answers do not share the processor with what comes before the first call. */
const READY_AFTER_MS = 150;
/** A server that cannot end its sessions ends anyway; the walls die with it. */
const CLOSE_MS_MAX = 5_000;

export async function serve(context: CommandContext): Promise<number> {
  const settings = await context.settings();
  let built: Promise<App> | undefined;
  const app = () => {
    built ??= context.build(settings, { warm: true }).then(expectAnswers);
    return built;
  };
  const door = serveOverStdio({
    engine: async () => (await app()).engine,
    serverNames: () => namesInTime(settings),
    limits: settings.limits,
    outputMode: settings.outputMode,
    version: context.version,
    logger: createLogger(settings.logLevel, (line) => void process.stderr.write(line)),
    capabilities: async () => (await app()).examine(),
    languages: async () => (await app()).languages(),
  });
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const { promise: ready, resolve: settleReady } = Promise.withResolvers<ControlSocket | undefined>();
  const starting = setTimeout(() => settleReady(getReady(app)), READY_AFTER_MS);

  await Promise.race([door.closed, signalled]);
  clearTimeout(starting);
  settleReady(undefined);
  setTimeout(() => process.exit(1), CLOSE_MS_MAX).unref();
  const control = await ready;
  await (await built)?.close();
  await control?.close();
  await door.close();
  return 0;
}

/** The names that are known, else those that can be found while nobody notices; a caller does not wait for a look. */
async function namesInTime(settings: Settings): Promise<readonly string[]> {
  const env = readEnvironment();
  const known = await readKnownNames(namesPlaceOf(settings, env));
  if (known) return known;
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(resolve, NAMES_MS_MAX, []);
  const found = lookForNames(settings, env).catch(() => []); // the first call meets the same trouble and tells it
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function lookForNames(settings: Settings, env: ReturnType<typeof readEnvironment>): Promise<readonly string[]> {
  const { findServerNames } = await import('#engine/upstream-places');
  return await findServerNames(settings, env);
}

/** What the first call would otherwise wait for: the application, warm sandboxes; and the door for the command line. */
async function getReady(build: () => Promise<App>): Promise<ControlSocket | undefined> {
  const app = await build();
  void warmUp(app).then(() => prepareUpstreams(app));
  return await openControl(app);
}

/** Questions may wait for the door that the command line comes through, which opens a little later. */
function expectAnswers(app: App): App {
  app.engine.upstreams.gate.isDeskOpen = true;
  return app;
}

async function warmUp(app: App): Promise<void> {
  try {
    await app.engine.house.warm();
  } catch (error) {
    // The first run meets the same trouble and tells it to the caller.
    app.logger.debug('Nothing is kept warm', { cause: error });
  }
}

async function prepareUpstreams({ engine, logger }: App): Promise<void> {
  try {
    await engine.upstreams.prepare();
  } catch (error) {
    // The first call meets the same trouble and tells it to the program.
    logger.debug('The servers of the user were not looked for', { cause: error });
  }
}
