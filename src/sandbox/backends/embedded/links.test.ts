import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { refuseLinks } from './links.ts';

describe('refuseLinks()', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-links-'));
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    writeFileSync(join(folder, 'a/b/file'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lets a link pass that only leads further down', async () => {
    symlinkSync('b/file', join(folder, 'a/link'));
    await refuseLinks(folder);
  });

  for (const target of ['/etc', '../file', 'b/../../..']) {
    it(`refuses a link to ${target}, wherever it is`, async () => {
      const link = join(folder, 'a/b/link');
      symlinkSync(target, link);
      await assert.rejects(refuseLinks(folder), {
        code: 'SANDBOX_FAILED',
        message: `The workspace has a link that may lead out of it: "${link}"`,
      });
    });
  }
});
