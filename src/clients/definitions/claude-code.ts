/**
 * Claude Code keeps two scopes in one file of the user: servers for everywhere, and under `projects` those that were
 * added for one folder. The latter come first, as in Claude Code, and need no trust: the user added them, not the project.
 */
import type { ClientDefinition, Fields, ProjectPlace, Section } from '../client.ts';
import { folderFrom, inHome, pathOf } from '../place.ts';
import { isFields } from '../shape/fields.ts';

export const claudeCode: ClientDefinition = {
  id: 'claude-code',
  name: 'Claude Code',
  userFiles: (place) => {
    const folder = folderFrom(place, 'CLAUDE_CONFIG_DIR');
    return [folder === undefined ? inHome(place, '.claude.json') : pathOf(place).join(folder, '.claude.json')];
  },
  // Visual Studio and Copilot CLI read the same file, and Visual Studio calls the servers so.
  projectFiles: ['.mcp.json'],
  shape: { serversAt: [['servers']], sections },
  // It also holds what was asked in every project.
  bytesMax: 16 * 1024 * 1024,
};

function sections(root: Fields, project: ProjectPlace | undefined): Section[] {
  const projects = isFields(root.projects) ? root.projects : {};
  const key = project && nearestProject(Object.keys(projects), project);
  const settings = key === undefined ? undefined : projects[key];
  const off = isFields(settings) ? settings.disabledMcpServers : undefined;
  const isOff = (name: string) => Array.isArray(off) && off.includes(name);
  const user: Section = { at: ['mcpServers'], scope: 'user', isOff };
  return key === undefined ? [user] : [{ at: ['projects', key, 'mcpServers'], scope: 'local', isOff }, user];
}

/** The project's folder or the nearest one above it that the file knows; the home and what holds it are no projects. */
function nearestProject(keys: readonly string[], { folders, home, os }: ProjectPlace): string | undefined {
  const comparable = (path: string) => {
    const slashed = path.replaceAll('\\', '/').replace(/\/+$/, '');
    return os === 'win' ? slashed.toLowerCase() : slashed;
  };
  const holds = (key: string, folder: string) => `${comparable(folder)}/`.startsWith(`${comparable(key)}/`);
  const isExact = (key: string) => folders.some((folder) => comparable(folder) === comparable(key));
  const fitting = keys.filter(
    (key) => isExact(key) || (folders.some((folder) => holds(key, folder)) && !holds(key, home)),
  );
  return fitting.sort((a, b) => b.length - a.length)[0];
}
