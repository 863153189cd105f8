/**
 * `mcp`, the program's way to its host: every method is a request that crosses the wall and comes back as a promise.
 * Many may be on their way at once. `mcp.github.create_issue({ title })` calls a tool of a server; the host finds names.
 */

/** A request that the host refused or could not fulfil. */
export class ToolError extends Error {
  name = 'ToolError';

  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

/** The host takes no longer frame, and would end the interpreter over one. */
const PARAMS_LENGTH_MAX = 64 * 1024 * 1024;

/** Requests on their way. `send(id, method, params)` puts one on the wire. */
export class Calls {
  #pending = new Map();
  #lastId = 0;
  #send;
  #onCountChange;

  constructor(send, onCountChange) {
    this.#send = send;
    this.#onCountChange = onCountChange;
  }

  /** @param {string} method @param {object} params @returns {Promise<unknown>} */
  call(method, params = {}) {
    return new Promise((resolve, reject) => {
      const text = JSON.stringify(params);
      if (text.length > PARAMS_LENGTH_MAX) throw new RangeError('The arguments are longer than 64 MiB');
      const id = String(++this.#lastId);
      this.#pending.set(id, { resolve, reject });
      this.#onCountChange(this.#pending.size);
      this.#send(id, method, text);
    });
  }

  /** Answers to requests that nobody waits for are dropped. */
  settle(id, isOk, value) {
    const waiting = this.#pending.get(id);
    if (waiting === undefined) return;
    this.#pending.delete(id);
    this.#onCountChange(this.#pending.size);
    if (isOk) waiting.resolve(JSON.parse(value));
    else waiting.reject(new ToolError(JSON.parse(value)));
  }

  /** The run that asked is over. */
  forget() {
    this.#pending.clear();
    this.#onCountChange(0);
  }
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom');
const STYLE = 'typescript';
/** Asked of everything that may be a promise or a module; no server or tool is meant. */
const NEVER_NAMES = new Set(['then', 'catch', 'finally', 'toJSON', '__esModule', 'constructor', 'prototype']);

/**
 * @param {(method: string, params?: object) => Promise<unknown>} call
 * @param {(text: string) => void} print
 */
export function createHatch(call, print) {
  const helpers = createHelpers(call, print);
  const own = { ...helpers, session: createSession(call, { own: true }), ToolError, MCPError: ToolError };
  const sallyport = Object.freeze({ ...own });
  const known = { ...own, sallyport };
  for (const [name, helper] of Object.entries(known)) {
    if (typeof helper === 'function' && !(name in { ToolError, MCPError: 0 })) {
      known[name] = withTools(helper, (tool) => toolOf(call, name, tool));
    }
  }
  known.session = withTools(createSession(call, {}), (tool) => toolOf(call, 'session', tool));
  const hatch = new Proxy(known, {
    has: (target, name) => name in target || isName(name),
    get: (target, name) => (name in target || !isName(name) ? target[name] : serverOf(call, name)),
  });
  // `const { mcp } = require('mcp')` and `import mcp from 'mcp'` are both the same object.
  for (const name of ['mcp', 'default']) Object.defineProperty(known, name, { value: hatch, enumerable: false });
  Object.freeze(known);
  return hatch;
}

function createHelpers(call, print) {
  return {
    help: async () => {
      print(`${String(await call('help')).trimEnd()}\n`);
    },
    search: async (query, options = {}) => {
      const { hits, text } = await call('tools.search', { ...options, query: String(query), style: STYLE });
      return printedAs(hits, text);
    },
    servers: async () => {
      const found = await call('servers.list');
      return printedAs(found, found.map(serverLine).join('\n') || 'No servers are configured.');
    },
    docs: async (name) => new Page(await call('tools.docs', { name: String(name), style: STYLE })),
    check: (code, language) => call('check', { code: String(code), language }),
    only: (...servers) => call('only', { servers: servers.flat().map(String) }),
    call: (server, tool, args = {}, options = {}) => callTool(call, String(server), String(tool), [args, options]),
  };
}

/** Unless `extra` says that its own is meant, the host lets the tools of a server called `session` win. */
function createSession(call, extra) {
  const ask = async (method, params) => {
    const value = await call(method, { ...params, ...extra });
    if (value?.tool === undefined) return value;
    return decode(value.tool, (uri) => callTool(call, 'session', 'read', [{ uri }]));
  };
  return {
    reset: () => ask('session.reset'),
    close: (name) => ask('session.close', { name }),
    list: () => ask('session.list'),
  };
}

function serverLine({ name, tools, description, error }) {
  const about = error ?? description;
  return `${name}${tools === null ? '' : ` (${tools} tools)`}${about ? `  ${about}` : ''}`;
}

/** Text that is shown as it is. */
class Page extends String {
  [INSPECT]() {
    return String(this);
  }
}

function printedAs(list, text) {
  Object.defineProperty(list, INSPECT, { value: () => text });
  Object.defineProperty(list, 'toString', { value: () => text });
  return list;
}

function isName(name) {
  return typeof name === 'string' && !NEVER_NAMES.has(name) && !name.startsWith('__') && !name.startsWith('$$');
}

/** A helper that lets the tools of a server of the same name be reached all the same. */
function withTools(helper, tool) {
  return new Proxy(helper, {
    get: (target, name) => (name in target || !isName(name) ? target[name] : tool(name)),
  });
}

function serverOf(call, server) {
  return new Proxy(Object.create(null), {
    get: (_target, name) => {
      if (name === Symbol.toPrimitive || name === 'toString') return () => server;
      if (name === INSPECT) return () => `[mcp server ${server}]`;
      return isName(name) ? toolOf(call, server, name) : undefined;
    },
  });
}

/** Tools may have dots in their names: `mcp.github.issues.create` is the tool `issues.create`. */
function toolOf(call, server, tool) {
  const run = (...given) => callTool(call, server, tool, given);
  run.raw = (...given) => callTool(call, server, tool, given, { raw: true });
  Object.defineProperty(run, 'toString', { value: () => `${server}.${tool}` });
  Object.defineProperty(run, INSPECT, { value: () => `[tool ${tool} of mcp server ${server}]` });
  return new Proxy(run, {
    get: (target, name) =>
      isOfFunctions(target, name) || !isName(name) ? target[name] : toolOf(call, server, `${tool}.${name}`),
  });
}

/** What a function has, but for what says nothing about a tool and may be a part of its name. */
function isOfFunctions(target, name) {
  return name in target && name !== 'name' && name !== 'length';
}

let lastToken = 0;

async function callTool(call, server, tool, given, extra = {}) {
  const { args, positional, options } = readGiven(given);
  options.signal?.throwIfAborted();
  const token = `j${++lastToken}`;
  const params = { server, tool, args, positional, token, style: STYLE, ...extra };
  if (options.raw === true) params.raw = true;
  if (options.timeout !== undefined) params.timeoutMs = options.timeout * 1000;
  const abort = () => void call('tools.cancel', { token }).catch(() => {});
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    return decode(await call('tools.call', params), (uri) => callTool(call, server, 'read', [{ uri }]));
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}

/** One object: arguments by name, a second one: options. Everything else: in the order of the signature. */
function readGiven(given) {
  const [first, second] = given;
  if (given.length === 0) return { args: {}, positional: [], options: {} };
  if (isPlain(first) && given.length === 1) return { args: {}, positional: [first], options: {} };
  if (isPlain(first) && given.length === 2 && isOptions(second))
    return { args: first, positional: [], options: second };
  return { args: {}, positional: given, options: {} };
}

function isOptions(value) {
  return isPlain(value) && Object.keys(value).every((key) => ['timeout', 'signal', 'raw'].includes(key));
}

function isPlain(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The value of a result. */
function decode(value, read) {
  switch (value.kind) {
    case 'json':
      return value.text === undefined ? value.value : JSON.parse(value.text);
    case 'text':
      return value.text;
    case 'binary':
      return Object.assign(new Uint8Array(Buffer.from(value.base64, 'base64')), { mimeType: value.mimeType });
    case 'link':
      return Object.defineProperty({ ...value.link }, 'read', { value: () => read(value.link.uri) });
    case 'list':
      return value.items.map((item) => decode(item, read));
    default:
      return null;
  }
}
