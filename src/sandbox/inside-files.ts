import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where the files that run behind the wall are on the host.
 *
 * Always the built ones: some of them are bundles that exist in `dist` alone, and a test that starts from `src` must
 * meet the same bytes as a user does.
 */
const INSIDE = fileURLToPath(new URL('../../dist/inside', import.meta.url));

/** Host path of the folder itself, or of one file in it: `insidePath('python/kernel.py')`. */
export function insidePath(file = ''): string {
  return join(INSIDE, file);
}
