/** What the launcher calls when something is missing or stale. Prints to stderr alone. */
import { reportFailure } from './setup/failure.mjs';
import { ensureReady } from './setup/ready.mjs';

process.stderr.on('error', () => {}); // a reader that went away must not break the setup

await ensureReady().catch(reportFailure);
