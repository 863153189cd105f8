import { prepareContainers } from './containers.mjs';
import { ensureLaterPackages } from './system-packages.mjs';

/** Groups that wait for the set-up in the background; all others run meanwhile. */
const GROUPS = ['containers'];

/** What takes a minute to set up is set up while the first groups run. `wanted` is the command line. */
export function startBackground(wanted) {
  const isNeeded = wanted.length === 0 || wanted.some((word) => GROUPS.some((group) => word.includes(group)));
  let containers;
  const prepared = isNeeded ? prepare() : Promise.resolve();

  async function prepare() {
    try {
      await ensureLaterPackages();
      containers = await prepareContainers();
    } catch (error) {
      process.stdout.write(`the set-up for containers failed; their tests are left out:\n${error.message}\n`);
    }
  }

  return {
    readyFor: (group) => (GROUPS.includes(group) ? prepared : Promise.resolve()),
    async close() {
      await prepared;
      await containers?.close();
    },
  };
}
