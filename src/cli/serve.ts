/** `sallyport serve`: MCP over stdio until the caller goes away or somebody stops us. */

import { serveOverStdio } from '#protocol/transports/stdio';
import type { ControlRequest } from '#sessions/control-socket';
import { openControlSocket } from '#sessions/control-socket';
import type { App, CommandContext } from './app-port.ts';

/** Long enough that the first answers do not share the processor with the warm-up. */
const WARM_AFTER_MS = 150;
/** A server that cannot end its sessions ends anyway; the walls die with it. */
const CLOSE_MS_MAX = 5_000;

export async function serve(context: CommandContext): Promise<number> {
  const settings = await context.settings();
  const app = await context.build(settings, { warm: true });
  const door = serveOverStdio({
    engine: app.engine,
    limits: settings.limits,
    outputMode: settings.outputMode,
    version: app.version,
    logger: app.logger,
    capabilities: () => app.examine(),
  });
  const warming = setTimeout(() => void warmUp(app), WARM_AFTER_MS);
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const control = await openControlSocket(settings.stateDir, (request) => answerControl(app, request)).catch(
    (error: unknown) => {
      app.logger.warn('Other processes cannot reach the sessions of this server', { cause: error });
      return undefined;
    },
  );

  await Promise.race([door.closed, signalled]);
  clearTimeout(warming);
  setTimeout(() => process.exit(1), CLOSE_MS_MAX).unref();
  await app.close();
  await control?.close();
  await door.close();
  return 0;
}

async function warmUp(app: App): Promise<void> {
  try {
    await app.engine.house.warm();
  } catch (error) {
    // The first run meets the same trouble and tells it to the caller.
    app.logger.debug('Nothing is kept warm', { cause: error });
  }
}

async function answerControl({ engine: { house } }: App, request: ControlRequest): Promise<unknown> {
  if (request.op === 'list') return house.list();
  const session = house.findByName(request.name);
  if (!session) return undefined;
  if (request.op === 'reset') await session.reset();
  else await house.end(session);
  return true;
}
