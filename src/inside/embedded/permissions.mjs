/** The last look at the wall, from inside: a process with more than it should have ends before it runs anything. */

const NEVER = ['net', 'run', 'ffi', 'sys', 'import', 'env'];
/** Given for some paths alone; asked for all paths, the answer is then that a person would have to be asked. */
const IN_PART = ['read', 'write'];

/** @returns {string[]} the permissions that the process has and must not have */
export function excessivePermissions() {
  const state = (name) => Deno.permissions.querySync({ name }).state;
  return [...NEVER.filter((name) => state(name) !== 'denied'), ...IN_PART.filter((name) => state(name) === 'granted')];
}
