/**
 * `node scripts/with-node.mjs [--need node|dependencies|build|rebuild] [FILE ARGS…]` runs FILE under a Node that is new enough,
 * after setting up what it needs. Every npm script goes through here, so each works in a fresh clone.
 */
import { becomeNode } from './setup/command.mjs';
import { reportFailure } from './setup/failure.mjs';
import { ensureReady } from './setup/ready.mjs';

const args = process.argv.slice(2);
const need = args[0] === '--need' ? args.splice(0, 2)[1] : 'build';

ensureReady(need).then((node) => {
  if (args.length > 0) becomeNode(node, args);
}, reportFailure);
