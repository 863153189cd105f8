import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capture } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { installLocked } from './npm.mjs';
import { showProgress } from './progress.mjs';
import { replaceDirectory } from './replace-directory.mjs';

/** Names the Node binaries that npm delivers, each pinned by version and hash. */
const MANIFEST = fileURLToPath(new URL('./toolchain/', import.meta.url));

/** Path of a Node that is new enough: the one that runs this, else the one delivered by npm. */
export async function ensureNode(root, scratch) {
  const minimum = await minimumNode(root);
  if (isAtLeast(process.versions.node, minimum)) return process.execPath;

  const delivered = await deliveredNode(root, minimum);
  if (await isThere(delivered.binary)) return delivered.binary;

  await showProgress(
    `installing Node ${delivered.version}, because this machine's own is v${process.versions.node}`,
    async () => {
      const into = join(scratch, 'node');
      await installLocked(MANIFEST, into, `Node ${delivered.version}`);
      await replaceDirectory(into, delivered.folder, join(scratch, 'old-node'));
    },
  );
  await mustRun(delivered.binary, minimum);
  return delivered.binary;
}

/** The Node for this start without installing any; undefined when there is none yet. */
export async function findNode(root) {
  const minimum = await minimumNode(root);
  if (isAtLeast(process.versions.node, minimum)) return process.execPath;
  const { binary } = await deliveredNode(root, minimum);
  return (await isThere(binary)) ? binary : undefined;
}

async function deliveredNode(root, minimum) {
  const { packages } = JSON.parse(await readFile(join(MANIFEST, 'package-lock.json'), 'utf8'));
  const found = Object.entries(packages).find(([, { os, cpu }]) => os === process.platform && cpu === process.arch);
  if (!found) {
    throw new SetupFailure(
      `Node ${minimum} or newer is needed; this is v${process.versions.node}, and npm delivers none for ${process.platform} on ${process.arch}`,
      'install a newer Node.js from nodejs.org or your package manager, and start again',
    );
  }
  const [path, { version, bin }] = found;
  const folder = join(root, '.toolchain', `${path.replace('node_modules/', '')}-${version}`);
  return { version, folder, binary: join(folder, path, bin.node) };
}

async function mustRun(binary, minimum) {
  const { code, output } = await capture(binary, ['--version']).catch((error) => ({ code: 1, output: error.message }));
  if (code === 0 && isAtLeast(output.trim().slice(1), minimum)) return;
  throw new SetupFailure(
    'the Node that npm delivers does not run on this machine (a system without glibc, such as Alpine?)',
    `install Node ${minimum} or newer with the system's package manager (\`apk add nodejs npm\`), and start again`,
    { details: output },
  );
}

async function minimumNode(root) {
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return engines.node.replace('>=', '');
}

function isAtLeast(version, minimum) {
  const [major, minor = 0] = version.split('.').map(Number);
  const [minimumMajor, minimumMinor = 0] = minimum.split('.').map(Number);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}

async function isThere(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
