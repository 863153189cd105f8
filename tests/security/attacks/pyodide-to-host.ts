// If this worked: a program in Python would use the JavaScript below it to reach the host or take over the server.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control:
        'There is no Pyodide outside; the check below shows that the way to JavaScript is open and leads to files',
      code: (field) => `
def js(): import js as module; return module
attempt('js.Deno', lambda: js().Deno.readTextFileSync('${field.secretFile}'))
attempt('js.eval', lambda: js().eval("Deno.readTextFileSync('${field.secretFile}')"))
attempt('js.Function', lambda: js().Function.new("return Deno.readTextFileSync('${field.secretFile}')")())
attempt('js.process', lambda: 'canary' in js().JSON.stringify(js().process.env))
attempt('js.fetch', lambda: js().eval("new Promise((y, n) => { n('no') })") and None)
attempt('js.Deno.Command', lambda: js().eval("new Deno.Command('true').outputSync()"))
attempt('js.Deno.connect', lambda: js().eval("Deno.connect({ port: ${field.port} })") and None)
def run_js():
    from pyodide.code import run_js
    return run_js("Deno.readTextFileSync('${field.secretFile}')")
attempt('run_js', run_js)
def node():
    return js().process.getBuiltinModule('fs').readFileSync('${field.secretFile}', 'utf8')
attempt('getBuiltinModule', node)
def mounts():
    import pyodide_js
    pyodide_js.FS.mkdir('/host'); pyodide_js.FS.mount(pyodide_js.FS.filesystems.NODEFS, {'root': '/'}, '/host')
    return os.listdir('/host/etc')
attempt('mount of the host', mounts)
def install():
    import micropip
attempt('micropip', install)
`,
    },
  ],
};
