/** `sallyport doctor`: what works on this machine, why not otherwise, and the command that fixes it. */
import type { CommandContext, MachineReport, RuntimeReport, WallReport } from './app-port.ts';
import { askForInputs, examineServers, type ServersReport, serverLines } from './doctor-servers.ts';
import { paint, table, writeAll } from './print.ts';

export async function doctor(context: CommandContext, flags: { json: boolean }): Promise<number> {
  const app = await context.build(await context.settings(), { warm: false });
  try {
    const report = await app.examine();
    let servers = await examineServers(app);
    if (!flags.json && (await askForInputs(app, servers))) servers = await examineServers(app);
    await writeAll(
      process.stdout,
      flags.json ? `${JSON.stringify({ ...report, servers }, null, 2)}\n` : formatReport(report, servers),
    );
    return report.chosenWall === null ? 1 : 0;
  } finally {
    await app.close();
  }
}

export function formatReport(report: MachineReport, servers: ServersReport): string {
  return [
    `${paint('bold', 'sallyport')} ${report.version} on ${report.platform}, Node ${report.node.version}`,
    '',
    paint('bold', 'Walls'),
    ...report.walls.flatMap((wall) => wallLines(wall, report.chosenWall)),
    '',
    paint('bold', 'Runtimes'),
    table(report.runtimes.map(runtimeRow)),
    '',
    paint('bold', 'Servers'),
    ...serverLines(servers),
    '',
    paint('bold', 'Limits of a session'),
    table(Object.entries(report.limits).map(([name, value]) => [`  ${name}`, String(value)])),
    '',
    table([
      ['State', report.stateDir],
      ['Config', report.configFile],
    ]),
    '',
  ].join('\n');
}

function mark(works: boolean): string {
  return works ? paint('green', '✓') : paint('red', '✗');
}

function wallLines(wall: WallReport, chosen: string | null): string[] {
  const use = wall.name === chosen ? paint('green', ' (used)') : '';
  const lines = [`  ${mark(wall.works)} ${wall.name}${use}, isolation: ${wall.isolation}`];
  for (const detail of wall.details) lines.push(`      ${detail}`);
  if (wall.problem !== null) lines.push(`      ${wall.problem}`, `      fix: ${wall.fix}`);
  for (const exception of wall.works ? wall.exceptions : []) lines.push(paint('dim', `      cannot: ${exception}`));
  return lines;
}

function runtimeRow(runtime: RuntimeReport): string[] {
  const state = `  ${mark(runtime.ready)} ${runtime.language}`;
  return runtime.ready
    ? [state, runtime.version ?? '', runtime.path ?? '']
    : [state, 'missing', `fix: ${runtime.fix ?? ''}`];
}
