/**
 * Where the thread of an interpreter begins: its name is the file to load.
 *
 * As CommonJS, because Deno takes an ES module apart before it runs it: for the shell that would be a quarter of a second
 * and 90 MB.
 */
import { createRequire } from 'node:module';

createRequire(import.meta.url)(`./${globalThis.name}.cjs`);
