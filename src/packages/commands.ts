/** The command lines that install packages: wheels only, no install scripts, nothing of the program runs. Pure. */
import type { Ecosystem } from '#contracts/packages';
import type { PackageWish } from './wish.ts';

export interface InstallTools {
  /** The interpreter whose packages they shall be. */
  readonly python: string | undefined;
  readonly uv: string | undefined;
  readonly npm: string | undefined;
}

export interface InstallCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Written into the folder before the command starts there. */
  readonly input: { readonly name: string; readonly text: string };
  /** What the command leaves in the folder: the packages. */
  readonly result: string;
}

/** Undefined when the tool for it is missing. */
export function installCommand(
  ecosystem: Ecosystem,
  wishes: readonly PackageWish[],
  tools: InstallTools,
  registry: string | undefined,
): InstallCommand | undefined {
  return ecosystem === 'pypi' ? pythonCommand(wishes, tools, registry) : npmCommand(wishes, tools, registry);
}

function pythonCommand(
  wishes: readonly PackageWish[],
  { python, uv }: InstallTools,
  registry: string | undefined,
): InstallCommand | undefined {
  if (python === undefined) return undefined;
  const input = {
    name: 'requirements.txt',
    text: `${wishes.map(({ name, version }) => `${name}${version}`).join('\n')}\n`,
  };
  const index = registry === undefined ? [] : ['--index-url', registry];
  const common = ['install', '--only-binary=:all:', '--target', 'site', '--requirement', input.name, ...index];
  if (uv !== undefined) {
    const args = ['pip', ...common, '--python', python, '--no-python-downloads', '--link-mode=copy', '--no-progress'];
    return { file: uv, args, input, result: 'site' };
  }
  const quiet = ['--no-input', '--no-compile', '--disable-pip-version-check', '--no-warn-script-location', '--quiet'];
  return { file: python, args: ['-I', '-m', 'pip', ...common, ...quiet], input, result: 'site' };
}

function npmCommand(
  wishes: readonly PackageWish[],
  { npm }: InstallTools,
  registry: string | undefined,
): InstallCommand | undefined {
  if (npm === undefined) return undefined;
  const dependencies = Object.fromEntries(wishes.map(({ name, version }) => [name, version === '' ? '*' : version]));
  const args = ['install', '--ignore-scripts', '--no-bin-links', '--omit=dev', '--no-audit', '--no-fund'];
  return {
    file: npm,
    args: [
      ...args,
      '--no-package-lock',
      '--no-update-notifier',
      '--loglevel=error',
      ...(registry === undefined ? [] : ['--registry', registry]),
    ],
    input: { name: 'package.json', text: JSON.stringify({ private: true, dependencies }) },
    result: 'node_modules',
  };
}
