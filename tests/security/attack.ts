/**
 * What a file in `attacks` holds: one class of attack, as programs and as checks.
 *
 * A program calls `attempt(name, action)` for every way that it tries; a way that yields something has broken the wall.
 * The same program run outside, where that is harmless, must break something: a test that cannot fail shows nothing.
 * Outside it touches only what the field made for it, or what is in its own folder; `place` tells it where it is.
 */
import type { Field } from './field.ts';

export type Language = 'python' | 'javascript' | 'bash';

/** `true`: the same program works outside. A text: why that is not tried. `root`: it works there for root alone. */
export type Control = true | 'root' | string;

export interface AttackProgram {
  readonly language: Language;
  readonly code: (field: Field, place: 'inside' | 'outside') => string;
  readonly control: Control;
  /** Walls that it says nothing about, with the reason. */
  readonly not?: Readonly<Record<string, string>>;
  /** In a session of its own, because it may bring its session down. */
  readonly alone?: true;
  /** On a wall that makes up its own files, writes succeed there and mean nothing: only the host is looked at. */
  readonly byEffect?: true;
  /** Seconds. */
  readonly timeout?: number;
  /** Words before the interpreter outside, to keep the control harmless: `unshare --mount`. */
  readonly wrapOutside?: readonly string[];
}

export interface AttackCheck {
  readonly name: string;
  readonly holds: (field: Field) => Promise<void>;
  /** Proves that the check can fail, or says why that is not tried. */
  readonly control: string | ((field: Field) => Promise<void>);
  readonly not?: Readonly<Record<string, string>>;
}

export interface Attack {
  readonly programs?: readonly AttackProgram[];
  readonly checks?: readonly AttackCheck[];
}

/** What the default filter of an engine lets through, as THREAT_MODEL.md says under the gaps. */
export const ENGINE_GAP = {
  podman: 'a gap of containers: their default filter allows it',
  docker: 'a gap of containers: their default filter allows it',
};

/** Printed in two halves, so that a traceback that quotes the program does not look like a success. */
export const BREACH = 'BREACH';
export const FINISHED = 'FINISHED';

const PRELUDES: Readonly<Record<Language, string>> = {
  python: `
import ctypes, errno, os, socket, stat, struct, sys
def attempt(name, action):
    try:
        got, why = action(), 'nothing'
    except BaseException as error:
        got, why = None, errno.errorcode.get(getattr(error, 'errno', None), type(error).__name__)
    print('BR' + 'EACH' if got else 'held', name, repr(got)[:300] if got else why, flush=True)
def syscall(number, *args):
    libc = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    value = libc.syscall(ctypes.c_long(number), *words)
    if value < 0:
        raise OSError(ctypes.get_errno(), 'syscall')
    return ('ok', value)
def in_child(action):
    """What the action returns in a process of its own, as text."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, repr(action()).encode())
        except BaseException as error:
            os.write(write, b'')
        finally:
            os._exit(0)
    os.close(write)
    text = os.read(read, 65536).decode()
    os.close(read)
    os.waitpid(pid, 0)
    return text if text not in ('', 'None', 'False') else None
def read_text(path):
    with open(path, 'rb') as file:
        return file.read(100000).decode('latin1')
def write_text(path, text='x', mode='w'):
    with open(path, mode) as file:
        file.write(text)
    return 'written'
`,
  javascript: `
var attempt = async (name, action) => {
  try {
    const got = await action();
    console.log(got ? 'BR' + 'EACH' : 'held', name, got ? String(got).slice(0, 300) : 'nothing');
  } catch (error) {
    console.log('held', name, error?.code ?? error?.name ?? typeof error);
  }
};
`,
  bash: `
attempt() { if (eval "$2") >/dev/null 2>&1; then echo "BR""EACH $1"; else echo "held $1"; fi; }
`,
};

const ENDINGS: Readonly<Record<Language, string>> = {
  python: "\nprint('FIN' + 'ISHED', flush=True)\n",
  javascript: "\nconsole.log('FIN' + 'ISHED');\n",
  bash: '\necho "FIN""ISHED"\n',
};

export function wholeProgram(language: Language, code: string): string {
  return `${PRELUDES[language]}\n${code}\n${ENDINGS[language]}`;
}
