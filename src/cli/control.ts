/** What other terminals of the same user may ask of this process: its sessions, and questions that wait for a person. */
import { type ControlRequest, type ControlSocket, openControlSocket } from '#sessions/control-socket';
import type { App } from './app-port.ts';

/** Undefined when it cannot be opened; then nobody is waited for there. */
export async function openControl(app: App): Promise<ControlSocket | undefined> {
  const { gate } = app.engine.upstreams;
  try {
    const control = await openControlSocket(app.settings.stateDir, (request) => answerControl(app, request));
    gate.isDeskOpen = true;
    return control;
  } catch (error) {
    gate.isDeskOpen = false;
    app.logger.warn('Other processes cannot reach the sessions of this server', { cause: error });
    return undefined;
  }
}

async function answerControl({ engine: { house, desk } }: App, request: ControlRequest): Promise<unknown> {
  if (request.op === 'list') return house.list();
  if (request.op === 'approvals') return desk.list();
  if (request.op === 'answer') return await desk.answer(request.id, request.approval);
  const session = house.findByName(request.name);
  if (!session) return undefined;
  if (request.op === 'reset') await session.reset();
  else await house.end(session);
  return true;
}
