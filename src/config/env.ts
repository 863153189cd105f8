/** The only reader of the process environment. Nothing from it reaches a sandbox unless a plan names it. */

export type Environment = Readonly<Record<string, string | undefined>>;

export function readEnvironment(): Environment {
  return process.env;
}
