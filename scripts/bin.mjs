#!/usr/bin/env node
/** The command of the npm package, and of Windows: like the launcher `sallyport`, but where there may be no shell. */
import { fileURLToPath } from 'node:url';
import { becomeNode } from './setup/command.mjs';
import { reportFailure } from './setup/failure.mjs';
import { ensureReady } from './setup/ready.mjs';

const main = new URL('../dist/main.js', import.meta.url);

const node = await ensureReady().catch(reportFailure);
if (node === process.execPath) {
  process.argv[1] = fileURLToPath(main);
  await import(main.href);
} else {
  becomeNode(node, [fileURLToPath(main), ...process.argv.slice(2)]);
}
