/**
 * What a JavaScript or TypeScript program imports from the registry: `npm:name@range/path` specifiers, which become
 * `name/path` before the program runs, and bare names that are neither Node's own nor ours.
 */
import { isBuiltin } from 'node:module';
import { npmWish, type PackageWish } from './wish.ts';

export interface DeclaredJavaScript {
  readonly wishes: readonly PackageWish[];
  /** With the specifiers as Node understands them; the lines stay where they are. */
  readonly code: string;
}

/** `from '…'`, `import '…'`, `import('…')`, `require('…')`. */
const SPECIFIER =
  /(\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\brequire\.resolve\s*\(\s*)(['"])([^'"\n\\]{1,300})\2/g;
const SPLIT = /^((?:@[^/@]+\/)?[^/@]+)(?:@([^/]*))?(\/.*)?$/;
/** What programs can import without any package. */
const OWN = new Set(['mcp']);

export function declaredInJavaScript(code: string): DeclaredJavaScript {
  const wishes: PackageWish[] = [];
  const rewritten = code.replaceAll(SPECIFIER, (whole, before: string, quote: string, specifier: string) => {
    if (specifier.startsWith('npm:')) {
      const { name, version, path } = splitSpecifier(specifier.slice('npm:'.length).replace(/^\//, ''));
      wishes.push(npmWish(version === '' ? name : `${name}@${version}`));
      return `${before}${quote}${name}${path}${quote}`;
    }
    if (isBare(specifier)) {
      const { name } = splitSpecifier(specifier);
      if (isName(name)) wishes.push(npmWish(name));
    }
    return whole;
  });
  return { wishes, code: rewritten };
}

function splitSpecifier(text: string): { name: string; version: string; path: string } {
  const match = SPLIT.exec(text);
  return { name: match?.[1] ?? text, version: match?.[2] ?? '', path: match?.[3] ?? '' };
}

function isBare(specifier: string): boolean {
  return (
    !/^[./#]|^[a-z][a-z0-9+.-]*:/i.test(specifier) && !isBuiltin(specifier) && !OWN.has(specifier.split('/')[0] ?? '')
  );
}

/** A bare import may be a mistake of the program's; it is no reason to refuse the run. */
function isName(name: string): boolean {
  try {
    return npmWish(name).name === name;
  } catch {
    return false;
  }
}
