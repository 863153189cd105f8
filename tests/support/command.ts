/** The command line as a person has it, without the launcher. */
import { type ChildProcess, spawn } from 'node:child_process';
import { MAIN } from './client.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly stateDir: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly whileRunning?: (child: ChildProcess) => void;
}

export async function sallyport(
  args: readonly string[],
  { stateDir, stdin, env = {}, whileRunning }: CommandOptions,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', SALLYPORT_STATE_DIR: stateDir, ...env },
  });
  child.stdin?.end(stdin);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  whileRunning?.(child);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}
