/** What can be read without running anything: kept output of runs, files of sessions. */
import { AppError, errnoOf } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import { type KeptStream, readKeptStream } from '#sessions/kept-output';
import { readWorkspaceFile } from '#sessions/workspace-files';
import type { EngineParts } from './parts.ts';

/** All that is still there of what a run printed. */
export async function readRunOutput(parts: EngineParts, runId: string, stream: KeptStream): Promise<Buffer> {
  const directory = await parts.homes.findKeptRun(runId);
  if (directory) {
    try {
      return await readKeptStream(directory, stream);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error; // only the other stream was long enough to be kept as a file
    }
  }
  const run = parts.house
    .all()
    .map((session) => session.findRun(runId))
    .find((found) => found !== undefined);
  if (run) return run[stream].snapshotSince(0).head;
  throw new AppError('NOT_FOUND', `The output of run "${runId.slice(0, 40)}" is not kept`, {
    hint: `The last ${BOUNDS.keptRunsPerSession} runs of a session are; run the program again`,
  });
}

/** A file in a session's workspace, open or only on disk. */
export async function readSessionFile(parts: EngineParts, sessionName: string, path: string): Promise<Buffer> {
  const open = parts.house.findByName(sessionName);
  if (!open && !(await parts.homes.exists(sessionName))) {
    throw new AppError('SESSION_UNKNOWN', `No session "${sessionName.slice(0, 80)}"`);
  }
  const home = open?.home ?? parts.homes.homeOf(sessionName);
  return parts.upstreams.cleanBytes(await readWorkspaceFile(home.workspace, path, BOUNDS.keptBytesMax));
}
