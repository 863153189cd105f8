import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { upstreamEnvironment } from './environment.ts';

const HOST = {
  PATH: '/usr/bin',
  Path: 'C:\\Windows',
  HOME: '/home/ada',
  SystemRoot: 'C:\\Windows',
  LC_TIME: 'C',
  TZ: 'Europe/Berlin',
  http_proxy: 'http://proxy:3128',
  NODE_OPTIONS: '--inspect',
  OPENAI_API_KEY: 'sk-1',
  BASH_FUNC_x: '() { :; }',
  TERM: '() { :; }',
  USER: undefined,
};

describe('upstreamEnvironment()', () => {
  it('passes on what programs need, and nothing else of the host', () => {
    assert.deepEqual(upstreamEnvironment(HOST, {}, 'linux'), {
      PATH: '/usr/bin',
      HOME: '/home/ada',
      LC_TIME: 'C',
      TZ: 'Europe/Berlin',
      http_proxy: 'http://proxy:3128',
    });
  });

  it('knows names in any case on Windows', () => {
    assert.deepEqual(Object.keys(upstreamEnvironment(HOST, {}, 'win32')), ['PATH', 'Path', 'SystemRoot', 'http_proxy']);
  });

  it('lets the entry have the last word', () => {
    assert.equal(upstreamEnvironment(HOST, { PATH: '/own', TOKEN: 't' }, 'linux').PATH, '/own');
    assert.equal(upstreamEnvironment(HOST, { TOKEN: 't' }, 'linux').TOKEN, 't');
  });
});
