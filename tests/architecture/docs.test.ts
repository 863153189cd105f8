import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ERROR_CODES } from '#contracts/errors';
import { ROOT } from './rooms.ts';

const read = (path: string) => readFile(join(ROOT, path), 'utf8');

describe('docs/reference/errors.md', () => {
  it('has every code with its meaning, and no other', async () => {
    const rows = [...(await read('docs/reference/errors.md')).matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
    assert.deepEqual(Object.fromEntries(rows.map(([, code, meaning]) => [code, meaning])), { ...ERROR_CODES });
  });
});

describe('ARCHITECTURE.md', { skip: existsSync(join(ROOT, 'ARCHITECTURE.md')) ? false : 'not written yet' }, () => {
  it('names every room of src', async () => {
    const text = await read('ARCHITECTURE.md');
    const rooms = (await readdir(join(ROOT, 'src'), { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const missing = rooms.map(({ name }) => name).filter((name) => !new RegExp(`\`(?:src/)?${name}/?\``).test(text));
    assert.deepEqual(missing, []);
  });
});

describe('documents', () => {
  it('name only files that exist', async () => {
    const documents = ['README', 'ARCHITECTURE', 'THREAT_MODEL', 'SECURITY', 'CONTRIBUTING'].map(
      (name) => `${name}.md`,
    );
    const missing: string[] = [];
    for (const document of documents.filter((name) => existsSync(join(ROOT, name)))) {
      const text = await read(document);
      const code = [...text.matchAll(/`((?:src|tests|docs|scripts|examples)\/[\w./-]+)`/g)].map(([, path]) => path);
      const links = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, path]) => path);
      for (const path of [...code, ...links]) {
        // NAME stands for what a reader puts there
        if (path && !path.includes('NAME') && !existsSync(join(ROOT, path))) missing.push(`${document}: ${path}`);
      }
    }
    assert.deepEqual(missing, []);
  });
});
