/** Exit code of everything that is refused or our own fault, as for `sallyport run`. */
const EXIT_OURS = 125;

/** A failure that the person at the terminal can do something about: what failed, and the next step. */
export class SetupFailure extends Error {
  constructor(message, nextStep, { details = '', cause } = {}) {
    super(message, { cause });
    this.nextStep = nextStep;
    this.details = details;
  }
}

/** Ends this process with the failure in words; anything unforeseen keeps its stack. */
export function reportFailure(error) {
  if (error instanceof SetupFailure) {
    const details = error.details.trim() === '' ? '' : `\n${error.details.trim().replace(/^/gm, '    ')}\n`;
    process.stderr.write(`sallyport: ${error.message}\n${details}  → ${error.nextStep}\n`);
  } else {
    process.stderr.write(`sallyport: setup failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  process.exit(EXIT_OURS);
}

/** Turns "you may not write here" and "the disk is full" into words; gives every other error back as it is. */
export function explainFileError(error, root) {
  switch (error?.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new SetupFailure(
        `cannot write to ${root} (${error.code})`,
        'run ./sallyport once as the owner of that folder, or copy the folder to a place where you may write',
        { cause: error },
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new SetupFailure(`no space left for ${root}`, 'free about 1 GB and start again', { cause: error });
    default:
      return error;
  }
}
