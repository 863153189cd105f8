import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServerEntry } from '#clients/entry';
import { distinctSecrets, entrySecrets } from './secrets.ts';

const ENTRY: ServerEntry = {
  name: 'x',
  transport: 'stdio',
  isTransportGuessed: false,
  args: [],
  env: {},
  envNames: [],
  headers: {},
  disabled: false,
  inputs: [],
  share: 'all',
  trusted: false,
};

const secretsIn = (entry: Partial<ServerEntry>, listed: readonly string[] = []) =>
  entrySecrets({ ...ENTRY, ...entry }, listed).map(({ name, value }) => `${name}=${value}`);

describe('entrySecrets()', () => {
  it('are values of variables whose names tell, from 8 characters on, and of those that a person listed', () => {
    const env = {
      GITHUB_TOKEN: 'ghp_1234',
      API_KEY: '1234567',
      apiSecret: '12345678',
      DB_PASSWORD: 'p4ssw0rd',
      REGION: 'eu-central-1',
      GIT_AUTHOR_NAME: 'Somebody Else',
      PWD: '/home/me/x',
      DSN: 'postgres://x',
    };
    assert.deepEqual(secretsIn({ env }), ['GITHUB_TOKEN=ghp_1234', 'apiSecret=12345678', 'DB_PASSWORD=p4ssw0rd']);
    assert.deepEqual(secretsIn({ env: { DSN: 'postgres://x' } }, ['DSN']), ['DSN=postgres://x']);
  });

  it('are values of headers, also without the word before them, but not what everybody sends', () => {
    const headers = {
      Authorization: 'Bearer abc123',
      'X-Api-Key': 'k-12',
      'X-Team': 'team-of-mine',
      'X-Flag': 'true',
      Accept: 'application/json',
      'User-Agent': 'something',
    };
    assert.deepEqual(secretsIn({ headers }), [
      'Authorization=Bearer abc123',
      'Authorization=abc123',
      'X-Api-Key=k-12',
      'X-Team=team-of-mine',
    ]);
  });

  it('are what flags that tell are given', () => {
    const args = [
      '--api-key=abcdefgh',
      '--access-token',
      'ijklmnop',
      '--token',
      '--verbose',
      '--author',
      'somebody',
      '--key',
      'short',
      '-y',
      'token-server-mcp',
    ];
    assert.deepEqual(secretsIn({ args }), ['api-key=abcdefgh', 'access-token=ijklmnop']);
  });

  it('are passwords and telling parameters of URLs', () => {
    assert.deepEqual(secretsIn({ url: 'https://me:p%40ss@host/mcp?api_key=abcdefgh&page=12345678' }), [
      'URL password=p@ss',
      'api_key=abcdefgh',
    ]);
    assert.deepEqual(secretsIn({ url: 'not a url' }), []);
  });

  it('are the secrets of OAuth clients', () => {
    assert.deepEqual(secretsIn({ oauth: { clientId: 'me', clientSecret: 'abcdefgh', scopes: [] } }), [
      'OAuth client secret=abcdefgh',
    ]);
  });
});

describe('distinctSecrets()', () => {
  it('keeps the first name of each value, the longest value first', () => {
    const secrets = [
      { name: 'a', value: 'abc' },
      { name: 'b', value: 'abcdef' },
      { name: 'c', value: 'abc' },
    ];
    assert.deepEqual(distinctSecrets(secrets), [
      { name: 'b', value: 'abcdef' },
      { name: 'a', value: 'abc' },
    ]);
  });
});
