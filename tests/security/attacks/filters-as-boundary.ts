// If this worked: a program that hides what it does from a search for bad words would get what an open one does not.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: (field) => `
path = '${field.secretFile}'
attempt('split names', lambda: getattr(__import__('o' + 's'), 'po' + 'pen')('c' + 'at ' + path).read())
attempt('subclasses', lambda: [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'FileLoader'][0]('x', path).get_data(path))
attempt('format', lambda: open('{0.__class__.__name__}'.format('').replace('str', path)).read())
def by_exception():
    try: raise ValueError
    except ValueError as error: return error.__traceback__.tb_frame.f_builtins['open'](path).read()
attempt('exception frame', by_exception)
attempt('codec', lambda: eval(bytes.fromhex('6f70656e').decode())(path).read())
attempt('compile', lambda: eval(compile('o' 'pen(path)', '', 'eval')).read())
attempt('marshal', lambda: (__import__('marshal').loads(__import__('marshal').dumps((lambda p: open(p).read()).__code__))) and __import__('types').FunctionType((lambda p: open(p).read()).__code__, globals())(path))
class Bomb:
    def __reduce__(self): return (eval, (f'open({path!r}).read()',))
import pickle
attempt('pickle', lambda: pickle.loads(pickle.dumps(Bomb())))
attempt('ctypes', lambda: ctypes.CDLL(None).open(path.encode(), 0) >= 0)
`,
    },
    {
      language: 'bash',
      control: true,
      code: (field) => `
p=${field.secretFile}
attempt 'eval of pieces' 'x=ca; y=t; $x$y '"$p"
attempt 'base64' '$(echo Y2F0 | base64 -d) '"$p"
attempt 'redirect' 'test -n "$(<'"$p"')"'
attempt 'source' 'IFS= read -r line <'"$p"' && test -n "$line"'
`,
    },
  ],
};
