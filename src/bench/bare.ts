/** The same interpreters without Sallyport: alone, and behind the plainest bwrap. */
import { spawn } from 'node:child_process';

export type BareInterpreter = 'python' | 'javascript' | 'bash';

const COMMANDS: Readonly<Record<BareInterpreter, readonly string[]>> = {
  python: ['python3', '-I', '-c', 'print(1)'],
  javascript: [process.execPath, '-e', 'console.log(1)'],
  bash: ['bash', '--norc', '-c', 'echo 1'],
};

export function runBare(interpreter: BareInterpreter, python: string): Promise<void> {
  return run(commandOf(interpreter, python));
}

/** Namespaces and a read-only system, and none of our limits, filters and channels. */
export function runInBareBubblewrap(interpreter: BareInterpreter, python: string): Promise<void> {
  const everything = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
  return run([
    'bwrap',
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    ...everything,
    '--',
    ...commandOf(interpreter, python),
  ]);
}

function commandOf(interpreter: BareInterpreter, python: string): string[] {
  const [program, ...args] = COMMANDS[interpreter];
  return [interpreter === 'python' ? python : (program as string), ...args];
}

async function run([program, ...args]: readonly string[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program as string, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 && output === '1\n' ? resolve() : reject(new Error(`${program} ended with ${code}`)),
    );
  });
}
