/**
 * The start-up image of Python: the memory of a Pyodide that has started and imported its kernel, made once and kept.
 *
 * An image belongs to one Pyodide and one state of our Python files; both are in its name. It is written under another
 * name and renamed, so that two servers may make it at once, and carries its own hash at the end, so that a torn file
 * is made anew. It holds nothing of any session: it is made by a process of its own that never saw a program.
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, errnoOf } from '#contracts/errors';
import { denoArguments, denoEnvironment } from './arguments.ts';
import type { EmbeddedRuntime } from './runtime.ts';

const HASH_BYTES = 32;
const IMAGES_KEPT = 3;
/** Several times what it takes on a slow machine. */
const MAKE_MS_MAX = 120_000;
const IMAGE_BYTES_MAX = 512 * 1024 * 1024;
const HEAP_BYTES_MAX = 1024 * 1024 * 1024;

/** Host path where the image is, or will be. */
export async function pythonImagePath(runtime: EmbeddedRuntime, cacheDir: string): Promise<string> {
  await mkdir(cacheDir, { recursive: true });
  return join(await realpath(cacheDir), `python-${await imageKey(runtime)}.image`);
}

/** Makes the image when there is none. Throws AppError SANDBOX_FAILED. */
export async function providePythonImage(runtime: EmbeddedRuntime, file: string): Promise<void> {
  if (await isWhole(file)) return;
  const image = await makeImage(runtime);
  await writeWhole(file, Buffer.concat([image, hashOf(image)]));
  await forgetOldImages(dirname(file));
}

/** Of other versions; a few stay, since several may be in use side by side. */
async function forgetOldImages(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^python-.*\.image$/.test(name));
  const images = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), madeAt: (await stat(join(folder, name))).mtimeMs })),
  );
  const old = images.sort((a, b) => b.madeAt - a.madeAt).slice(IMAGES_KEPT);
  await Promise.all(old.map(({ path }) => rm(path, { force: true })));
}

async function imageKey(runtime: EmbeddedRuntime): Promise<string> {
  const hash = createHash('sha256').update(`${runtime.denoVersion} ${runtime.pyodideVersion}`);
  for (const folder of runtime.library) {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.py'));
    for (const name of names.sort()) hash.update(`\0${name}\0`).update(await readFile(join(folder, name)));
  }
  return `${runtime.pyodideVersion}-${hash.digest('hex').slice(0, 16)}`;
}

async function isWhole(file: string): Promise<boolean> {
  try {
    const bytes = await readFile(file);
    return bytes.length > HASH_BYTES && hashOf(bytes.subarray(0, -HASH_BYTES)).equals(bytes.subarray(-HASH_BYTES));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Behind the same wall as programs, and with less: it has nothing to write to but its standard output. */
async function makeImage(runtime: EmbeddedRuntime): Promise<Buffer> {
  const main = join(runtime.inside, 'make-image.mjs');
  const args = denoArguments({
    main,
    reads: [runtime.inside, runtime.pyodide, ...runtime.library],
    writes: [],
    heapBytesMax: HEAP_BYTES_MAX,
  });
  const child = spawn(runtime.deno, [...args, runtime.pyodide, ...runtime.library], {
    cwd: runtime.inside,
    env: denoEnvironment(main, 'UTC'),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAKE_MS_MAX,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const image: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => image.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(0, 2_000);
  });
  const exitCode = await ended;
  const bytes = Buffer.concat(image);
  if (exitCode !== 0 || bytes.length === 0 || bytes.length > IMAGE_BYTES_MAX) {
    throw new AppError(
      'SANDBOX_FAILED',
      `Python's start-up image could not be made: ${said.trim() || `exit ${exitCode}`}`,
      {
        hint: 'Run sallyport doctor',
      },
    );
  }
  return bytes;
}
