import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Where a tool is behind the wall, or undefined. */
function findTool(name) {
  if (isAbsolute(name)) return isExecutable(name) ? name : undefined;
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** The first runtime whose tools and files are all there, with the place of its first tool. */
export function findRuntime(runtimes) {
  for (const runtime of runtimes) {
    const [tool, ...others] = runtime.tools.map(findTool);
    if (tool === undefined || others.includes(undefined)) continue;
    if ((runtime.files ?? []).every((file) => statSync(file, { throwIfNoEntry: false }) !== undefined))
      return { ...runtime, tool };
  }
  return undefined;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
