/** Runs the commands of a terminal transcript and gives back what it should have said. */
import { spawnSync } from 'node:child_process';

/** Commands begin with `$ ` and go on over lines while a quote is open. */
export async function runTranscript(
  transcript: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  let text = '';
  for (const command of commandsOf(transcript)) {
    const result = spawnSync('bash', ['-c', `${command} 2>&1`], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    text += `$ ${command}\n${result.stdout}`;
  }
  return text;
}

function commandsOf(transcript: string): string[] {
  const commands: string[] = [];
  let open = false;
  for (const line of transcript.split('\n')) {
    if (open) commands[commands.length - 1] += `\n${line}`;
    else if (line.startsWith('$ ')) commands.push(line.slice(2));
    else continue;
    open = (commands.at(-1)?.match(/'/g)?.length ?? 0) % 2 === 1;
  }
  return commands;
}
