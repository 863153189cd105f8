/** Programs that turn against the hatch: refused, named, and everybody else is served as before. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { availableWalls } from '../support/walls.ts';
import { openHouse, type ServedHouse, TOOLS_SERVER } from '../support/with-servers.ts';

const SECRET = 'hush-hush-0815-4711';
const config = {
  mcpServers: {
    tools: { ...TOOLS_SERVER, env: { API_TOKEN: SECRET } },
    vault: { ...TOOLS_SERVER, env: { VAULT_KEY: `${SECRET}-vault` }, headers: { Authorization: SECRET } },
  },
  policy: [{ tools: 'vault.*', do: 'deny' }],
};

/** Frames by hand, as Python: to the socket of the hatch, and to the interpreter's own channel. */
const BY_HAND = `
import json, os, re, socket, stat, sys
RUN = os.environ.get("SALLYPORT_RUN", "")
def frame(verb, fields):
    out = b"%s %d\\n" % (verb.encode(), len(fields))
    for name, value in fields:
        value = value.encode() if isinstance(value, str) else value
        out += b"%s %d\\n" % (name.encode(), len(value)) + value + b"\\n"
    return out
def connect():
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(20)
    link.connect("/run/sallyport/hatch/socket")
    return link
def ask(*fields, link=None):
    link = link or connect()
    link.sendall(frame("call", [("id", "x"), *fields]))
    answer = b""
    while b"\\nvalue " not in answer and b"\\nout " not in answer:
        piece = link.recv(65536)
        if not piece: break
        answer += piece
    found = re.search(rb'"code":"([A-Z_]+)"', answer)
    return found.group(1).decode() if found else answer.decode("latin-1")
def call(server, run=None):
    return ask(("run", RUN if run is None else run), ("method", "tools.call"), ("params", json.dumps({"server": server, "tool": "echo", "args": {"text": "got in"}})))
def control():
    for name in os.listdir("/proc/self/fd"):
        try:
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode): return int(name)
        except OSError: pass
`;

async function waitFor(isThere: () => boolean): Promise<void> {
  for (let look = 0; look < 200 && !isThere(); look += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(isThere());
}

for (const wall of await availableWalls()) {
  describe(`attacks on the hatch behind ${wall}`, () => {
    let house: ServedHouse;
    before(async () => {
      house = await openHouse(wall, config);
    });
    after(() => house[Symbol.asyncDispose]());

    /** Another session calls a tool, and the one that attacked goes on. */
    const servesOn = async (session: string) => {
      assert.equal((await house.run('python', 'mcp.tools.echo("served")', 'bystander')).out, "'served'");
      const after = await house.run('python', 'mcp.tools.echo("again")', session);
      assert.equal(after.out, "'again'", after.notes);
    };

    it('a denied server stays denied in every way to name it', async () => {
      const code = `
told = []
for attempt in (lambda: mcp.vault.echo("x"), lambda: mcp.call("vault", "echo", {"text": "x"}), lambda: mcp["vault"]["echo"].raw("x"), lambda: mcp_vault.echo("x"), lambda: runtime.call_tool("vault", "echo", {"text": "x"})):
    try:
        told.append(attempt())
    except mcp.ToolError as e:
        told.append(e.code)
set(told)`;
      assert.equal((await house.run('python', code)).out, "{'POLICY_DENIED'}");
    });

    it('long arguments, and arguments without a bottom, are refused by name', async () => {
      const long = `
try:
    mcp.tools.echo(text="x" * (70 * 1024 * 1024))
except ValueError as e:
    print(e)`;
      assert.equal((await house.run('python', long, 'big')).out, 'the arguments are longer than 64 MiB\n');
      const deep = `
thing = []
for _ in range(100_000):
    thing = [thing]
try:
    mcp.tools.echo(text=thing)
except Exception as e:
    print(type(e).__name__)`;
      const { out, notes } = await house.run('python', deep, 'big');
      // WebAssembly has one stack for Python and its host; its end is told as such.
      assert.match(wall === 'embedded' ? out + notes : out, /^(RecursionError|ToolError)\n$|Maximum call stack/);
      const script = `
const attempt = async (make) => { try { await mcp.tools.echo({ text: make() }); } catch (e) { console.log(e.name); } };
await attempt(() => 'x'.repeat(70 * 1024 * 1024));
await attempt(() => { let thing = []; for (let n = 0; n < 100_000; n++) thing = [thing]; return thing; });`;
      assert.match(
        (await house.run('javascript', script, 'big')).out,
        /^(RangeError|ToolError)\n(RangeError|ToolError)\n$/,
      );
      await servesOn('big');
    });

    it('an argument of 1 GB ends in a refusal or at the memory limit, and says which', async () => {
      const answer = await house.run('python', 'mcp.tools.echo(text="x" * 10**9)', 'huge');
      assert.ok(answer.failed);
      assert.match(answer.notes, /stopped: memory|longer than 64 MiB|MemoryError/);
      await servesOn('huge');
    });

    it('no token is anywhere that a program can look', async () => {
      const code = `
import glob, os
seen = [str(dict(os.environ)), str(mcp.servers()), str(mcp.docs("tools")), str(mcp.search("token key", limit=20, detail="full"))]
for attempt in (lambda: mcp.tools.nothing(), lambda: mcp.vault.echo("x"), lambda: mcp.tools.echo(1, 2, 3)):
    try:
        attempt()
    except mcp.ToolError as e:
        seen.append(str(e) + repr(vars(e)))
for name in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline") + glob.glob("/run/**", recursive=True) + glob.glob("/output/**", recursive=True):
    try:
        seen.append(open(name, "rb").read(1_000_000).decode("latin-1"))
    except OSError:
        pass
any("${SECRET}" in text for text in seen)`;
      assert.equal((await house.run('python', code)).out, 'False');
    });

    if (wall === 'embedded') return; // no sockets, no descriptors

    it('a forged call gets what the run may have, and no more', async () => {
      const code = `${BY_HAND}
print(call("tools").count("got in"), call("vault"), call("tools", ""), call("tools", "0123456789ab"))
print(ask(("method", "tools.call"), ("params", "{}")), ask(("run", RUN), ("method", "files.delete"), ("params", "{}")))
mcp.only("tools")
print(call("vault"), call("tools").count("got in"))`;
      const { out, notes } = await house.run('python', code, 'forger');
      const expected =
        '1 POLICY_DENIED SESSION_CLOSED SESSION_CLOSED\nSESSION_CLOSED INVALID_INPUT\nUPSTREAM_UNKNOWN 1\n';
      assert.equal(out, expected, notes);
    });

    it('frames on the socket end no run and write no output', async () => {
      const code = `${BY_HAND}
link = connect()
link.sendall(frame("done", [("id", RUN), ("exit", "0"), ("status", "ok")]) + frame("image", [("id", RUN), ("mime", "image/png"), ("data", b"x")]) + frame("ready", []))
print(ask(("run", RUN), ("method", "help"), ("params", "{}"), link=link).count("Sallyport runs"))
sys.exit(3)`;
      const { out, meta } = await house.run('python', code, 'forger');
      assert.deepEqual([out, meta.exitCode], ['1\n', 3]);
    });

    it('the hatch of a session is reached from that session alone', async () => {
      const look = `
import os, stat
found = []
for folder, folders, names in os.walk("/"):
    if folder == "/": folders[:] = [name for name in folders if name not in ("proc", "sys", "usr")]
    for name in names:
        path = os.path.join(folder, name)
        try:
            if stat.S_ISSOCK(os.lstat(path).st_mode): found.append(path)
        except OSError:
            pass
print(found)`;
      assert.equal((await house.run('python', look, 'one')).out, "['/run/sallyport/hatch/socket']\n");
      // A run of another session is going on, and its id is known.
      const waiting = house.run(
        'python',
        'import os, time\nopen("new", "w").write(os.environ["SALLYPORT_RUN"])\nos.rename("new", "id")\ntime.sleep(60)',
        'two',
      );
      const file = join(house.connection.stateDir, 'sessions', 'two', 'workspace', 'id');
      await waitFor(() => existsSync(file));
      const id = readFileSync(file, 'utf8');
      const code = `${BY_HAND}\nprint(call("tools", "${id}"), os.access("/run/sallyport/hatch", os.W_OK))`;
      assert.equal((await house.run('python', code, 'one')).out, 'SESSION_CLOSED False\n');
      await house.run('python', 'mcp.session.close("two")', 'one');
      await waiting;
    });

    it('a flood of frames costs the one that floods', async () => {
      const onChannel = `${BY_HAND}
import signal, threading
flood = frame("call", [("id", "f"), ("run", RUN), ("method", "help"), ("params", "{}")]) * 1000
fd = control()
os.set_blocking(fd, False)
sent = 0
import time
end = time.time() + 1.5
while time.time() < end:
    try:
        sent += os.write(fd, flood)
    except BlockingIOError:
        time.sleep(0.001)
    except OSError:
        break`;
      const [, served] = await Promise.all([
        house.run('python', onChannel, 'flood'),
        house.run(
          'python',
          'import time\nslowest = 0\nfor _ in range(20):\n    start = time.time()\n    mcp.tools.echo("x")\n    slowest = max(slowest, time.time() - start)\n    time.sleep(0.1)\nslowest < 5',
          'calm',
        ),
      ]);
      assert.equal(served.out, 'True', served.notes);
      assert.equal((await house.run('python', '1 + 1', 'flood')).out, '2');

      const onSocket = `${BY_HAND}
links = []
try:
    for _ in range(700):
        link = connect()
        link.send(b"call 2\\nmethod 5\\n")
        links.append(link)
except OSError:
    pass
refused = 0
for link in links:
    link.settimeout(0.01)
    try:
        refused += link.recv(1) == b""
    except OSError as e:
        refused += not isinstance(e, TimeoutError)
print(len(links) - refused <= 512)
for link in links: link.close()
rubbish = connect()
rubbish.sendall(b"\\x00" * 100_000)
print(b"header line" in rubbish.recv(1000))
endless = connect()
endless.sendall(b"call 1\\nparams 999999999\\n")
print(b"longer than" in endless.recv(1000))`;
      const { out, notes } = await house.run('python', onSocket, 'flood');
      assert.equal(out, 'True\nTrue\nTrue\n', notes);
      await servesOn('flood');
    });

    it('a frame of 1 GB, and params without a bottom, by hand', async () => {
      const code = `${BY_HAND}
deep = '{"server": "tools", "tool": "echo", "args": {"text": ' + "[" * 500_000 + "]" * 500_000 + "}}"
print(ask(("run", RUN), ("method", "tools.call"), ("params", deep)))
os.write(control(), b"call 1\\nparams 999999999\\n")
import time
time.sleep(5)`;
      const { out, notes } = await house.run('python', code, 'endless');
      assert.match(out, /^(INTERNAL|INVALID_INPUT)\n$/);
      assert.match(notes, /longer than \d+ bytes[\s\S]*restarted, variables lost/);
      await servesOn('endless');
    });
  });
}
