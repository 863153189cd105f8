/**
 * Programs speak of `/workspace`, `/output` and `/tmp`; the process sees folders of the host. Names are translated on
 * the way in, and in everything that comes back.
 */
import { fileURLToPath } from 'node:url';

export class Places {
  /** Longest first: one folder may lie in another. */
  #folders;

  /** @param {{ workspace: string, output: string, tmp: string }} places host paths */
  constructor({ workspace, output, tmp }) {
    this.#folders = [
      ['/workspace', workspace],
      ['/output', output],
      ['/tmp', tmp],
    ].sort(([, a], [, b]) => b.length - a.length);
  }

  /** @template T @param {T} path what a program gives as a path: text, a URL, a buffer @returns {T | string} */
  toHost(path) {
    const text = textOf(path);
    // The host's own `/tmp` may be where the folders are.
    if (text === undefined || this.#folders.some(([, folder]) => isIn(text, folder))) return path;
    const found = this.#folders.find(([name]) => isIn(text, name));
    return found ? found[1] + text.slice(found[0].length) : path;
  }

  /** @param {string} text anything that may have host paths in it */
  toInside(text) {
    return this.#folders.reduce((result, [name, folder]) => result.replaceAll(folder, name), text);
  }
}

function textOf(path) {
  if (typeof path === 'string') return path;
  if (path instanceof Uint8Array) return new TextDecoder().decode(path);
  return path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : undefined;
}

function isIn(path, folder) {
  return path === folder || path.startsWith(`${folder}/`);
}
