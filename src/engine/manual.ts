/** What `mcp.help()` prints: the long manual that is not paid for until somebody asks. */
export const MANUAL = `Sallyport runs your program behind a wall and keeps its state for the next call.

Sessions
  Python, JavaScript, TypeScript and Bash keep variables, imports, functions and the working directory between calls.
  JavaScript and TypeScript share one realm. All languages share /workspace. A named session keeps its files on disk.
  sys.exit(n), process.exit(n) and exit n end the run with n and keep the state.

Output
  stdout comes back as it is, then the value of a last expression. stderr, exit code, stops and changed files follow.
  Long output is shown with its beginning and end; the whole is in /output/RUN/stdout for your next program.
  Figures (matplotlib, Pillow, display(x)) come back as images.

Long runs
  A run that takes longer than the answer time goes on. Send empty code to the same session to wait for it,
  empty code with timeout 0 to interrupt it.

Checking
  mcp.check(code, language) tells whether code in any language parses or compiles, and where not: ok, line, column, message.
  Nothing of it runs.

The hatch: other MCP servers
  Find    mcp.search("what you need", limit=5, server=…, detail="full")   mcp.servers()   mcp.docs("server.tool")
          They print signatures that are ready to be called.
  Call    Python  mcp.github.create_issue(title="…")          with or without await; asyncio.gather runs calls in parallel
          JS/TS   await mcp.github.create_issue({ title })    options behind it: { timeout: 5, signal }
          Bash    mcp call github create_issue title=…        KEY:=JSON for what is no text, KEY@=- for standard input,
                  one JSON object as a word, or in a pipe; --json, --raw, --timeout S. A command: works in pipes, jobs, xargs -P
                  and in programs of every other language. Exit 0, 1 failed, 2 usage, 124 time-out, 126 denied, 127 unknown
          Any name: mcp["my server"]["my tool"](…). Arguments also in the order of the signature.
  Values  Structured content, else JSON or text; pictures are bytes with a type; several blocks are a list.
          ….create_issue.raw(…) gives the whole result. timeout=SECONDS for one call.
  Errors  ToolError, with .code; its message has the nearest name or the right signature. POLICY_DENIED: a rule or a person
          said no, and only a person can change that. A call may wait for a person; the run's clock stands still meanwhile.
  Limits  mcp.only("github") keeps this run from all other servers.
  More    mcp.github.resources()  .read(uri)  .prompts()  .prompt(name, …)

The session
  Python  mcp.session.list()   mcp.session.reset()   mcp.session.close(name)   mcp.help()
  JS/TS   await mcp.session.list() …
  Bash    mcp session list | reset | close [NAME]; mcp help

The wall
  No network, no host files, no host environment. /workspace and /tmp are writable, the rest is read-only.
  Limits on memory, CPU, processes, disk, output and time are named in the answer when they stop a run.
`;
