/** A program that lacks a module learns how to declare it. */
import type { LiveRun } from '#sessions/live-run';
import type { EngineParts } from './parts.ts';
import { PERSON_CAN } from './prepare-packages.ts';

const PYTHON = /ModuleNotFoundError: No module named '([A-Za-z_]\w*)(?:\.[\w.]+)?'/;
const NODE = /Cannot find (?:package|module) '((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)/;
/** Where PyPI has another name than the import. */
const PYPI_NAMES: Readonly<Record<string, string>> = {
  bs4: 'beautifulsoup4',
  Crypto: 'pycryptodome',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  fitz: 'pymupdf',
  jwt: 'pyjwt',
  PIL: 'pillow',
  pptx: 'python-pptx',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
};

export function hintMissingPackage({ packages }: EngineParts, run: LiveRun): void {
  void run.ended.then(() => {
    if (run.refusal !== undefined || run.summary().exitCode === 0) return;
    const { head, tail } = run.stderr.snapshotSince(0);
    const hint = missingPackageHint(`${head.toString('utf8')}${tail.toString('utf8')}`, run.spec.code);
    if (hint !== undefined) run.hints.push(packages.policy.mode === 'off' ? `${hint}; ${PERSON_CAN}` : hint);
  });
}

/** Undefined when nothing is missing, or it was asked for already. */
export function missingPackageHint(text: string, code: string): string | undefined {
  const module = PYTHON.exec(text)?.[1];
  if (module !== undefined) {
    const name = PYPI_NAMES[module] ?? module.replaceAll('_', '-');
    const isAsked = /^# \/\/\/ script|^#\s*requirements\s*:/im.test(code) && code.includes(name);
    return isAsked
      ? `${name} is not installed`
      : `${module} is not installed; to ask for it, put this at the top:\n# /// script\n# dependencies = ["${name}"]\n# ///`;
  }
  const packageName = NODE.exec(text)?.[1];
  return packageName === undefined
    ? undefined
    : `${packageName} is not installed; import it as "npm:${packageName}" to ask for it`;
}
