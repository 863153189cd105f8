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
    assert.deepEqual(upstreamEnvironment(HOST, {}, { platform: 'linux', command: 'x' }), {
      PATH: '/usr/bin',
      HOME: '/home/ada',
      LC_TIME: 'C',
      TZ: 'Europe/Berlin',
      http_proxy: 'http://proxy:3128',
    });
  });

  it('knows names in any case on Windows', () => {
    assert.deepEqual(Object.keys(upstreamEnvironment(HOST, {}, { platform: 'win32', command: 'x' })), [
      'PATH',
      'Path',
      'SystemRoot',
      'http_proxy',
    ]);
  });

  it('lets the entry have the last word', () => {
    assert.equal(
      upstreamEnvironment(HOST, { PATH: '/own', TOKEN: 't' }, { platform: 'linux', command: 'x' }).PATH,
      '/own',
    );
    assert.equal(upstreamEnvironment(HOST, { TOKEN: 't' }, { platform: 'linux', command: 'x' }).TOKEN, 't');
  });

  it('tells container commands where their engine is, and nobody else', () => {
    const host = { ...HOST, DOCKER_HOST: 'tcp://elsewhere', DOCKER_AUTH_CONFIG: 'secret' };
    const namesFor = (command: string) => Object.keys(upstreamEnvironment(host, {}, { platform: 'linux', command }));
    const plain = namesFor('node');
    assert.ok(!plain.includes('DOCKER_HOST'));
    assert.deepEqual(namesFor('/usr/bin/docker'), [...plain, 'DOCKER_HOST']);
  });
});
