/**
 * References in the texts of an entry: `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:ID}`, `${workspaceFolder}`, …
 *
 * What a reference stands for is put in as it is and never looked at again, so a value cannot refer to anything.
 * A reference that nothing resolves stays as it was written, and is reported.
 */
import { posix, win32 } from 'node:path';
import type { ServerInput } from '#clients/entry';
import type { Place } from '#clients/place';
import type { Need, Secret } from './discovery.ts';
import { nextSign, type Reference, type ReferenceStyle, referenceAt } from './reference-syntax.ts';
import { isSecretName, variableSecret } from './secrets.ts';

export interface ReferenceContext {
  readonly place: Place;
  readonly style: ReferenceStyle;
  /** The folder that the user works in. */
  readonly workspace: string | undefined;
  readonly inputs: readonly ServerInput[];
  /** What a person answered. */
  readonly answer: (id: string) => string | undefined;
  /** The text of a small file, by its path as written. */
  readonly fileText: (path: string) => string | undefined;
  /** Names of variables that a person called secret. */
  readonly secretNames: readonly string[];
}

/** Collects over all texts of an entry. */
export interface Findings {
  readonly needs: Need[];
  readonly secrets: Secret[];
}

export function resolveReferences(text: string, context: ReferenceContext, findings: Findings): string {
  let resolved = '';
  let at = 0;
  while (at < text.length) {
    const reference = referenceAt(text, at, context.style);
    if (reference === undefined) {
      const next = nextSign(text, at + 1);
      resolved += text.slice(at, next);
      at = next;
    } else {
      const written = text.slice(at, reference.end);
      resolved += valueOfReference(reference, context, findings) ?? written;
      at = reference.end;
    }
  }
  return resolved;
}

function valueOfReference(reference: Reference, context: ReferenceContext, findings: Findings): string | undefined {
  switch (reference.kind) {
    case 'known':
      return knownValue(reference.id, context, findings);
    case 'variable':
      return variableValue(reference, context, findings);
    case 'input':
      return inputValue(reference.id, context, findings);
    case 'file':
      return fileValue(reference.id, context, findings);
    case 'unknown':
      return missing({ kind: 'unknown', id: reference.id, isSecret: false, options: [] }, findings);
    default:
      return reference satisfies never;
  }
}

function knownValue(id: string, { place, workspace }: ReferenceContext, findings: Findings): string | undefined {
  const path = place.os === 'win' ? win32 : posix;
  if (id === 'userHome') return place.home;
  if (id === 'pathSeparator' || id === '/') return path.sep;
  if (workspace === undefined) return missing({ kind: 'variable', id, isSecret: false, options: [] }, findings);
  return id === 'workspaceFolderBasename' ? path.basename(workspace) : workspace;
}

function variableValue(
  { id, preset, isOptional }: { id: string; preset?: string; isOptional?: boolean },
  context: ReferenceContext,
  findings: Findings,
): string | undefined {
  const value = variable(context.place, id);
  if (preset !== undefined && (value === undefined || value === '')) {
    return resolveReferences(preset, context, findings);
  }
  if (value === undefined && isOptional) return undefined;
  if (value === undefined) {
    const isSecret = isSecretName(id, context.secretNames);
    return missing({ kind: 'variable', id, isSecret, options: [] }, findings);
  }
  findings.secrets.push(...variableSecret(id, value, context.secretNames));
  return value;
}

/** Windows does not mind the case of names, but a copy of its environment does. */
export function variable({ env, os }: Place, name: string): string | undefined {
  const exact = env[name];
  if (exact !== undefined || os !== 'win') return exact;
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : env[key];
}

function inputValue(id: string, context: ReferenceContext, findings: Findings): string | undefined {
  const input = context.inputs.find((candidate) => candidate.id === id);
  const answer = context.answer(id);
  const isSecret = input?.isPassword ?? true;
  // A password is never guessed, not even by its file.
  const value = answer ?? (isSecret ? undefined : input?.default);
  if (value === undefined) {
    const description = input?.description === undefined ? {} : { description: input.description };
    return missing({ kind: 'input', id, ...description, isSecret, options: input?.options ?? [] }, findings);
  }
  if (isSecret && value !== '') findings.secrets.push({ name: id, value });
  return value;
}

function fileValue(path: string, context: ReferenceContext, findings: Findings): string | undefined {
  const value = context.fileText(path)?.trim();
  if (value === undefined) return missing({ kind: 'file', id: path, isSecret: true, options: [] }, findings);
  if (value !== '') findings.secrets.push({ name: path.replace(/^.*[\\/]/, ''), value });
  return value;
}

function missing(need: Need, { needs }: Findings): undefined {
  if (!needs.some(({ kind, id }) => kind === need.kind && id === need.id)) needs.push(need);
}
