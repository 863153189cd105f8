/**
 * `node scripts/build.mjs SCRATCH` makes `dist` anew, in the folder SCRATCH first; called by the setup, which holds
 * the lock (`npm run build` is the way for people).
 *
 * TypeScript goes through tsc file by file, unchecked: types are looked at by `npm run check`. `src/inside` is not part of the program but its cargo, and is copied;
 * the entries below become one file each, because behind the wall there is no node_modules.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCodeCache } from './code-cache.mjs';
import { replaceDirectory } from './setup/replace-directory.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const INSIDE = join(ROOT, 'src', 'inside');

/** Below `src/inside`. The other JavaScript files of these folders are parts of them. */
const BUNDLES = ['javascript', 'command', 'embedded'].flatMap((folder) =>
  JSON.parse(readFileSync(join(INSIDE, folder, 'bundle.json'), 'utf8')).bundles.map((bundle) => ({
    folder,
    ...bundle,
  })),
);

const scratch = process.argv[2];
if (!scratch) throw new TypeError('Usage: node scripts/build.mjs SCRATCH');

const startedAt = new Date();
const dist = join(scratch, 'dist');
await mkdir(dist, { recursive: true });
const results = await Promise.all([compile(), bundleInside(), copyInside(), copyScripts()]);
if (results.includes(false)) process.exit(1);
await writeStamp();
await replaceDirectory(dist, join(ROOT, 'dist'), join(scratch, 'old-dist'));

function compile() {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', join(ROOT, 'tsconfig.json'), '--outDir', dist, '--noCheck', '--pretty', 'false'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code === 0));
  });
}

async function bundleInside() {
  const { build } = await import('esbuild');
  const results = await Promise.allSettled(
    BUNDLES.map(({ folder, entry, outfile, ...options }) =>
      build({
        absWorkingDir: ROOT, // paths in its comments must not depend on where the build was started
        entryPoints: [join(INSIDE, folder, entry)],
        outfile: join(dist, 'inside', folder, outfile),
        bundle: true,
        platform: 'node',
        target: 'node22',
        logLevel: 'warning',
        ...options,
      }),
    ),
  );
  // What is wrong has been said by then.
  return results.every(({ status }) => status === 'fulfilled') && writeCodeCache(join(dist, 'inside', 'javascript'));
}

async function copyInside() {
  const files = (await readdir(INSIDE, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(INSIDE.length + 1)
        .split(sep)
        .join('/'),
    );
  for (const file of files.filter(isCargo)) {
    const target = join(dist, 'inside', file);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(INSIDE, file), target);
  }
}

/** Scripts of other languages and data files that the host uses itself, beside the modules that read them. */
async function copyScripts() {
  const source = join(ROOT, 'src');
  for (const file of await readdir(source, { recursive: true })) {
    if (!/\.(?:sh|py|bin\.gz)$/.test(file) || file.startsWith(`inside${sep}`)) continue;
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await copyFile(join(source, file), join(dist, file));
  }
}

/** Neither tests nor papers, nor what a bundle has in it already. */
function isCargo(file) {
  if (/\.test\.[a-z]+$|_(?:test|harness)\.py$|\.md$|(?:^|\/)(?:__pycache__|tests)\//.test(file)) return false;
  if (file.endsWith('bundle.json')) return false;
  return !(/\.m?js$/.test(file) && BUNDLES.some(({ folder }) => file.startsWith(`${folder}/`)));
}

/** Names the Node to start with; its time says from which moment on a change makes the build stale. */
async function writeStamp() {
  const stamp = join(dist, '.ready');
  await writeFile(stamp, `${process.execPath}\n`);
  await utimes(stamp, startedAt, startedAt);
}
