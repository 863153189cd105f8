import { prepareContainers } from './containers.mjs';
import { ensureLaterPackages } from './system-packages.mjs';
import { installToolchains } from './toolchains.mjs';

/** What takes a minute to set up is set up while the first groups run. `wanted` is the command line. */
export function startBackground(wanted) {
  const isWanted = (group) => wanted.length === 0 || wanted.some((word) => word.includes(group));
  let containers;
  const prepared = isWanted('containers') ? prepare() : Promise.resolve();
  // One after the other: there is one package manager.
  const waits = { containers: prepared, languages: isWanted('languages') ? prepared.then(install) : Promise.resolve() };

  async function prepare() {
    try {
      await ensureLaterPackages();
      containers = await prepareContainers();
    } catch (error) {
      process.stdout.write(`the set-up for containers failed; their tests are left out:\n${error.message}\n`);
    }
  }

  async function install() {
    try {
      await installToolchains();
    } catch (error) {
      process.stdout.write(`the set-up of languages failed; their tests are left out:\n${error.message}\n`);
    }
  }

  return {
    /** Groups that need something wait for it; all others run meanwhile. */
    readyFor: (group) => waits[group] ?? Promise.resolve(),
    async close() {
      await Promise.all(Object.values(waits));
      await containers?.close();
    },
  };
}
