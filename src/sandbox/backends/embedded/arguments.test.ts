import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { denoArguments, denoEnvironment } from './arguments.ts';

describe('denoArguments()', () => {
  it('denies everything but the paths of the plan', () => {
    const plan = {
      main: '/inside/main.mjs',
      reads: ['/inside', '/ws'],
      writes: ['/ws'],
      heapBytesMax: 512 * 1024 * 1024,
    };
    assert.deepEqual(denoArguments(plan), [
      'run',
      '--no-prompt',
      '--no-remote',
      '--no-npm',
      '--no-config',
      '--no-lock',
      '--no-check',
      '--cached-only',
      '--quiet',
      '--ignore-env',
      '--deny-net',
      '--deny-run',
      '--deny-ffi',
      '--deny-sys',
      '--deny-import',
      '--allow-read=/inside,/ws',
      '--allow-write=/ws',
      '--v8-flags=--max-old-space-size=512',
      '/inside/main.mjs',
    ]);
  });

  it('denies writing altogether when there is nothing to write to', () => {
    const words = denoArguments({ main: '/main.mjs', reads: ['/inside'], writes: [], heapBytesMax: 0 });
    assert.deepEqual(
      words.filter((word) => word.includes('write')),
      ['--deny-write'],
    );
  });

  it('refuses a path that Deno would take for two', () => {
    assert.throws(() => denoArguments({ main: '/main.mjs', reads: ['/state,old/ws'], writes: [], heapBytesMax: 0 }), {
      code: 'SANDBOX_FAILED',
      message: 'The embedded wall cannot use a path with a comma: "/state,old/ws"',
    });
  });
});

describe('denoEnvironment()', () => {
  it('has nothing of the host', () => {
    assert.deepEqual(denoEnvironment('/inside/main.mjs', 'Asia/Tokyo'), {
      NO_COLOR: '1',
      DENO_NO_UPDATE_CHECK: '1',
      DENO_DIR: '/inside/main.mjs/none',
      DENO_WEBGPU_BACKEND: 'none',
      TZ: 'Asia/Tokyo',
    });
  });
});
