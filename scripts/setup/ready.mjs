/**
 * Makes a fresh checkout ready to run: a Node that is new enough, the dependencies, the build. Each step looks first
 * whether its work is there already. Plain JavaScript for Node 18 and newer, because it runs before anything else is
 * installed; the launcher, the npm scripts and the npm package all come through here.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capture } from './command.mjs';
import { dependenciesAreCurrent } from './dependencies.mjs';
import { explainFileError, SetupFailure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { installLocked } from './npm.mjs';
import { showProgress } from './progress.mjs';
import { replaceDirectory } from './replace-directory.mjs';
import { ensureNode, findNode } from './toolchain.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** What `dist` is made from, and how; the launcher looks at the same list. */
const BUILD_INPUTS = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];

/**
 * Resolves to the path of the Node to use, when all that `need` names is there: `build` is everything (`rebuild` even
 * when it is up to date), `dependencies` leaves out the build, `node` is the Node alone. An installed npm package has no
 * `src` and needs no more than that.
 */
export async function ensureReady(need = 'build') {
  const goal = existsSync(join(ROOT, 'src')) ? need : 'node';
  const ready = await readyNode(goal);
  if (ready) return ready;
  try {
    return await setUp(goal);
  } catch (error) {
    throw explainFileError(error, ROOT);
  }
}

async function setUp(goal) {
  const toolchain = join(ROOT, '.toolchain');
  await mkdir(toolchain, { recursive: true });
  const wait = (waiting) => showProgress('waiting for another process that is setting up', waiting);
  return await withLock(join(toolchain, 'lock'), wait, async () => {
    const ready = await readyNode(goal); // the process we waited for may have done it all
    if (ready) return ready;
    await removeLeftovers(toolchain);
    const scratch = join(toolchain, `tmp-${process.pid}`);
    try {
      const node = await ensureNode(ROOT, scratch);
      if (goal !== 'node') await ensureDependencies(scratch);
      if (goal === 'build' || goal === 'rebuild') await build(node, scratch);
      return node;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
}

async function readyNode(goal) {
  if (goal === 'rebuild') return undefined;
  const node = await findNode(ROOT);
  if (!node || goal === 'node') return node;
  if (!(await dependenciesAreCurrent(ROOT))) return undefined;
  return goal === 'dependencies' || (await buildIsCurrent()) ? node : undefined;
}

async function ensureDependencies(scratch) {
  if (await dependenciesAreCurrent(ROOT)) return;
  await showProgress('installing dependencies', async () => {
    const into = join(scratch, 'dependencies');
    await installLocked(ROOT, into, 'the dependencies');
    await replaceDirectory(join(into, 'node_modules'), join(ROOT, 'node_modules'), join(scratch, 'old-dependencies'));
  });
}

async function build(node, scratch) {
  await showProgress('building', async () => {
    const { code, output } = await capture(node, [join(ROOT, 'scripts', 'build.mjs'), scratch]);
    if (code !== 0) {
      throw new SetupFailure('the build failed', 'mend the source, or get back to a released state with git', {
        details: output,
      });
    }
  });
}

/** The build leaves a stamp whose time is that of its start; any input that is newer makes it stale. */
async function buildIsCurrent() {
  const stamp = join(ROOT, 'dist', '.ready');
  try {
    // The launcher starts the Node that is named in the stamp.
    if (!existsSync((await readFile(stamp, 'utf8')).trimEnd())) return false;
    const { mtimeMs } = await stat(stamp);
    return !(await Promise.all(BUILD_INPUTS.map((input) => isNewer(join(ROOT, input), mtimeMs)))).includes(true);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

async function isNewer(path, thanMs) {
  const name = basename(path);
  if (name === '__pycache__') return false;
  const entry = await stat(path);
  // A folder's own time also changes with what Python caches in it.
  if (!entry.isDirectory()) return entry.mtimeMs > thanMs && !name.includes('.test.');
  for (const child of await readdir(path)) if (await isNewer(join(path, child), thanMs)) return true;
  return false;
}

/** Whoever holds the lock may delete what a process that was killed left behind. */
async function removeLeftovers(toolchain) {
  const leftovers = (await readdir(toolchain)).filter((name) => name.startsWith('tmp-'));
  await Promise.all(
    leftovers.map((name) => rm(join(toolchain, name), { recursive: true, force: true, maxRetries: 3 })),
  );
}
