/**
 * The realm that all runs share: its global object holds what they declare.
 *
 * How code is evaluated and modules are loaded differs between hosts, so both come as functions.
 */

/**
 * @typedef {object} Tools
 * @property {(code: string, name: string) => unknown} evaluate runs a script in the realm
 * @property {(specifier: string, attributes: Record<string, string>) => Promise<object>} load
 */

/**
 * Makes every name a plain writable global. `crypto` and the like are getters without a setter: an assignment to them
 * would be lost.
 */
export function declareGlobals(names) {
  for (const name of names) {
    const known = Object.getOwnPropertyDescriptor(globalThis, name);
    if (known?.writable || known?.configurable === false) continue;
    Object.defineProperty(globalThis, name, { value: undefined, writable: true, enumerable: true, configurable: true });
  }
}

/** For what the interpreter itself puts there: programs may use and replace it, `Object.keys` does not show it. */
export function defineGlobal(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
}

/**
 * Loads what the program imports and binds it.
 *
 * @param {import('./transform.mjs').ImportRequest[]} imports
 * @param {{ isTypeScript: boolean, load: Tools['load'] }} options
 */
export async function bindImports(imports, { isTypeScript, load }) {
  for (const { specifier, attributes, bindings, line, column } of imports) {
    try {
      const namespace = await load(specifier, attributes);
      for (const { name, imported } of bindings) {
        globalThis[name] = imported === null ? namespace : exportOf(namespace, imported, specifier, isTypeScript);
      }
    } catch (error) {
      throw new ProgramFailure(error, { line, column });
    }
  }
}

/**
 * What a program threw, which may be anything: a proxy must not even be asked for its class. `place` tells where it
 * happened, when no frame does.
 */
export class ProgramFailure {
  constructor(thrown, place = undefined) {
    this.thrown = thrown;
    this.place = place;
  }
}

function exportOf(namespace, name, specifier, isTypeScript) {
  if (name in namespace) return namespace[name];
  // CommonJS modules do not always tell their names.
  const whole = namespace.default;
  if (whole !== null && whole !== undefined && name in Object(whole)) return whole[name];
  // In TypeScript it may be the name of a type, which is nothing at run time.
  if (isTypeScript) return undefined;
  throw new SyntaxError(`The requested module '${specifier}' does not provide an export named '${name}'`);
}

/**
 * Starts a program whose imports are bound.
 *
 * @param {import('./transform.mjs').Program} program
 * @returns {unknown} its value, or the promise of it
 */
export function startProgram(program, name, evaluate) {
  if (program.hoisted) evaluate(program.hoisted, name);
  const result = evaluate(program.body, name);
  return program.isAsync ? result() : result;
}
