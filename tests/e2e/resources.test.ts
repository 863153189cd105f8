import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect, metaOf } from '../support/client.ts';

describe('resources', () => {
  let connection: Connection;
  before(async () => {
    connection = await connect();
  });
  after(() => connection[Symbol.asyncDispose]());

  const read = async (uri: string) => (await connection.client.readResource({ uri })).contents[0];

  it('give the whole output of a run whose answer showed a part, as resource and as file', async () => {
    const result = await callRunCode(connection.client, {
      session: 'long',
      language: 'python',
      code: 'for i in range(20000): print("line", i)',
    });
    const { runId } = metaOf(result);
    const whole = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
    assert.ok(answerOf(result).out.length < 25_000);
    const resource = await read(`sallyport://runs/${runId}/stdout`);
    assert.equal(resource && 'text' in resource ? resource.text : '', whole);
    const inside = await callRunCode(connection.client, {
      session: 'long',
      language: 'python',
      code: `open("/output/${runId}/stdout").read() == "".join(f"line {i}\\n" for i in range(20000))`,
    });
    assert.equal(answerOf(inside).out, 'True');
  });

  it('give the output of a short run too', async () => {
    const result = await callRunCode(connection.client, {
      session: 'short',
      language: 'bash',
      code: 'echo out; echo err >&2',
    });
    const stderr = await read(`sallyport://runs/${metaOf(result).runId}/stderr`);
    assert.equal(stderr && 'text' in stderr ? stderr.text : '', 'err\n');
  });

  it('give files of a session, text and binary', async () => {
    await callRunCode(connection.client, {
      session: 'files',
      language: 'python',
      code: 'import os\nos.mkdir("d")\nopen("d/a b.csv", "w").write("1,2")\nopen("x.bin", "wb").write(bytes([0, 255]))',
    });
    assert.deepEqual(await read('sallyport://sessions/files/files/d/a%20b.csv'), {
      uri: 'sallyport://sessions/files/files/d/a%20b.csv',
      mimeType: 'text/csv',
      text: '1,2',
    });
    assert.deepEqual(await read('sallyport://sessions/files/files/x.bin'), {
      uri: 'sallyport://sessions/files/files/x.bin',
      mimeType: 'application/octet-stream',
      blob: 'AP8=',
    });
  });

  it('tell what this server can do', async () => {
    const resource = await read('sallyport://capabilities');
    const report = JSON.parse(resource && 'text' in resource ? resource.text : '{}') as { walls: unknown[] };
    assert.ok(report.walls.length >= 2);
  });

  it('tell which languages there are', async () => {
    const resource = await read('sallyport://languages');
    const languages = JSON.parse(resource && 'text' in resource ? resource.text : '[]') as Array<{ id: string }>;
    assert.deepEqual(
      languages.slice(0, 4).map(({ id }) => id),
      ['python', 'javascript', 'typescript', 'bash'],
    );
    assert.ok(languages.length >= 60);
  });

  it('do not follow links out of the workspace', async () => {
    await callRunCode(connection.client, {
      session: 'links',
      language: 'bash',
      code: 'ln -s /etc/passwd p; ln -s / root; ln -s ../../.. up',
    });
    for (const path of ['p', 'root/etc/passwd', 'up/sessions']) {
      await assert.rejects(read(`sallyport://sessions/links/files/${path}`), { code: -32602 });
    }
  });

  const missing = [
    'sallyport://runs/none/stdout',
    'sallyport://runs/../stdout',
    'sallyport://sessions/none/files/x',
    'sallyport://sessions/files/files/none',
    'sallyport://sessions/files/files/../../x',
    'sallyport://sessions/files/files/%2e%2e/%2e%2e/x',
    'sallyport://sessions/..%2f..%2fx/files/y',
    'sallyport://sessions/files/files/%zz',
    'file:///etc/passwd',
    'sallyport://nothing',
  ];
  for (const uri of missing) {
    it(`answer ${uri} with "not found"`, () => assert.rejects(read(uri), { code: -32602 }));
  }
});
