/** Thirty calls of three real servers in one run, in each language; what comes of them is looked at outside. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sampledWalls } from '../support/walls.ts';
import { openHouse, type ServedHouse } from '../support/with-servers.ts';

function packaged(name: string, ...args: string[]): { command: string; args: string[] } {
  const entry = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
  return { command: process.execPath, args: [entry, ...args] };
}

/** Ten echoes into ten files, nine of which are read back and remembered in one go. */
const WORKFLOWS: Readonly<Record<string, (folder: string) => string>> = {
  python: (folder) => `
import asyncio
names = [f"py {n}" for n in range(10)]
path = lambda name: "${folder}/" + name + ".txt"
said = await asyncio.gather(*[mcp.everything.echo(message=name) for name in names])
await asyncio.gather(*[mcp.files.write_file(path=path(name), content=text) for name, text in zip(names, said)])
read = await asyncio.gather(*[mcp.files.read_text_file(path=path(name)) for name in names[1:]])
content = [text["content"] if isinstance(text, dict) else text for text in read]
made = mcp.memory.create_entities(entities=[{"name": name, "entityType": "file", "observations": [text]} for name, text in zip(names[1:], content)])
print(len(made["entities"] if isinstance(made, dict) else made))`,
  typescript: (folder) => `
const names: string[] = Array.from({ length: 10 }, (_, n) => \`ts \${n}\`);
const path = (name: string): string => \`${folder}/\${name}.txt\`;
const said = await Promise.all(names.map((name) => mcp.everything.echo({ message: name })));
await Promise.all(names.map((name, n) => mcp.files.write_file({ path: path(name), content: said[n] })));
const read = await Promise.all(names.slice(1).map((name) => mcp.files.read_text_file({ path: path(name) })));
const entities = read.map((text: any, n: number) => ({ name: names[n + 1], entityType: 'file', observations: [text.content ?? text] }));
const made: any = await mcp.memory.create_entities({ entities });
console.log((made.entities ?? made).length);`,
  bash: (folder) => `
set -eu
entities=
for n in 0 1 2 3 4 5 6 7 8 9; do
  text=$(mcp call everything echo message="sh $n")
  mcp call files write_file path="${folder}/sh $n.txt" content="$text" >/dev/null
  [ "$n" = 0 ] && continue
  back=$(mcp call files read_text_file path="${folder}/sh $n.txt" --raw | grep -c "Echo: sh $n")
  [ "$back" -ge 1 ] && entities="$entities\${entities:+,}{\\"name\\":\\"sh $n\\",\\"entityType\\":\\"file\\",\\"observations\\":[\\"$text\\"]}"
done
echo "{\\"entities\\":[$entities]}" | mcp call memory create_entities - --json | grep -c entityType`,
};

for (const wall of await sampledWalls()) {
  describe(`a workflow of thirty calls behind ${wall}`, () => {
    let house: ServedHouse;
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sallyport-workflow-'));
      house = await openHouse(wall, {
        mcpServers: {
          everything: packaged('server-everything'),
          files: packaged('server-filesystem', folder),
          memory: { ...packaged('server-memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } },
        },
        policy: [{ tools: 'files.write_file', do: 'allow' }],
      });
    });
    after(async () => {
      await house[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });

    for (const [language, program] of Object.entries(WORKFLOWS)) {
      it(language, async () => {
        const { out, notes, meta } = await house.run(language, program(folder));
        const mark = language === 'python' ? 'py' : language === 'bash' ? 'sh' : 'ts';
        assert.equal(out, '9\n', notes);
        assert.equal(meta.toolCalls, 30);
        assert.ok(meta.tokensSaved > 0, `saved ${meta.tokensSaved}`);
        assert.equal(await readFile(join(folder, `${mark} 7.txt`), 'utf8'), `Echo: ${mark} 7`);
        const graph = await readFile(join(folder, 'memory.json'), 'utf8');
        assert.equal(graph.split('\n').filter((line) => line.includes(`"name":"${mark} `)).length, 9);
      });
    }
  });
}
