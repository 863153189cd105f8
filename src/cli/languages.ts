/** `sallyport languages`: what can be run here, in which version, and what to do about the rest. */
import type { CommandContext } from './app-port.ts';
import { paint, table, writeAll } from './print.ts';

export async function languages(context: CommandContext, flags: { json: boolean }): Promise<number> {
  const app = await context.build(await context.settings(), { warm: false });
  try {
    const reports = await app.languages();
    const rows = reports.map((report) => [
      `${report.ready ? paint('green', '✓') : paint('red', '✗')} ${report.id}`,
      report.version ?? report.reason ?? '',
      report.install ?? report.aliases.join(', '),
    ]);
    await writeAll(process.stdout, flags.json ? `${JSON.stringify(reports, null, 2)}\n` : `${table(rows)}\n`);
    return 0;
  } finally {
    await app.close();
  }
}
