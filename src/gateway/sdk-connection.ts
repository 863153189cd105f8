/**
 * The requests that we make of an upstream, in either era.
 *
 * Answers are not held to the SDK's schemas where that can be helped: a date in the wrong form in one block of a result
 * is no reason to lose the result, and checking twenty megabytes of base64 letter by letter is no use to anybody. The
 * newer era's tool requests do go the SDK's way, which mirrors arguments into headers as that protocol wants it.
 */
import {
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  type StandardSchemaV1,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import { AppError } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { ToolResult } from '#contracts/tool';
import type { OpenPages } from './asks.ts';
import type { Connection, Fields, ListedServer, ToolRequest } from './connection.ts';
import { requestFailure } from './failures.ts';
import { readTools, textOf } from './tool-list.ts';
import { StdioTransport } from './transports/stdio.ts';
import { isFields } from './values.ts';

/** The time is kept by `CallClock`; the SDK's own clock, which cannot stand still, must never be the first. */
const NO_SDK_TIMEOUT = 2 ** 31 - 1;

/** Takes what came. The protocol layer has made sure that it is an object. */
const ANY_RESULT: StandardSchemaV1<unknown, Fields> = {
  '~standard': { version: 1, vendor: 'sallyport', validate: (value) => ({ value: value as Fields }) },
};

export class SdkConnection implements Connection {
  readonly pid: number | undefined;
  readonly #server: string;
  readonly #client: Client;
  readonly #process: StdioTransport | undefined;

  readonly #openPages: OpenPages | undefined;

  constructor(server: string, client: Client, openPages: OpenPages | undefined) {
    const { transport } = client;
    this.#server = server;
    this.#openPages = openPages;
    this.#client = client;
    this.#process = transport instanceof StdioTransport ? transport : undefined;
    this.pid = this.#process?.pid;
  }

  get isGone(): boolean {
    return this.#client.transport === undefined;
  }

  get ending(): string | undefined {
    return this.#process?.ending;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** A call that needs a page to be opened first (2025) is made again when a person has done so. */
  async callTool(request: ToolRequest): Promise<ToolResult> {
    try {
      return await this.#callTool(request);
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof UrlElicitationRequiredError) || !this.#openPages) throw error;
      if (!(await this.#openPages(cause.elicitations, request.signal))) throw error;
      return await this.#callTool(request);
    }
  }

  async #callTool({ tool, args, signal, onProgress }: ToolRequest): Promise<ToolResult> {
    const options = { signal, timeout: NO_SDK_TIMEOUT, ...(onProgress && { onprogress: onProgress as () => void }) };
    const params = { name: tool, arguments: { ...args } };
    const what = `tool "${tool}"`;
    const result: Fields = this.#isModern
      ? await this.#explained(what, this.#client.callTool(params, options))
      : await this.#ask('tools/call', params, options, what);
    const content = Array.isArray(result.content) ? result.content : [];
    if (!Array.isArray(result.content) && result.structuredContent === undefined) {
      throw new AppError('UPSTREAM_FAILED', `The answer of ${what} has no content`);
    }
    return { ...result, content, isError: result.isError === true };
  }

  async listTools(signal: AbortSignal): Promise<ListedServer> {
    const client = this.#client;
    const values =
      this.#isModern && client.getServerCapabilities()?.tools
        ? await this.#explained('its list of tools', this.#listModern(signal))
        : await this.listAll('tools/list', 'tools', signal);
    const info = client.getServerVersion();
    const about = textOf(info?.description) ?? textOf(client.getInstructions()) ?? textOf(info?.title);
    return { about, tools: readTools(values) };
  }

  async listAll(method: string, key: string, signal: AbortSignal): Promise<unknown[]> {
    const found: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < BOUNDS.listPagesMax; page += 1) {
      const result = await this.#askForPage(method, cursor, signal);
      const entries = result?.[key];
      if (Array.isArray(entries)) found.push(...entries);
      const next = result?.nextCursor;
      // A server that gives the same page for ever, or one without an end, has given what it has.
      if (typeof next !== 'string' || next === cursor || found.length >= BOUNDS.listEntriesMax) break;
      cursor = next;
    }
    return found.slice(0, BOUNDS.listEntriesMax);
  }

  async readResource(uri: string, signal: AbortSignal): Promise<Fields[]> {
    const { contents } = await this.#ask('resources/read', { uri }, { signal }, `resource "${uri}"`);
    return Array.isArray(contents) ? contents.filter(isFields) : [];
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Fields> {
    return await this.#ask('prompts/get', { name, arguments: { ...args } }, { signal }, `prompt "${name}"`);
  }

  get #isModern(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  async #listModern(signal: AbortSignal): Promise<unknown[]> {
    const options = { signal, timeout: NO_SDK_TIMEOUT, cacheMode: 'refresh' } as const;
    return (await this.#client.listTools(undefined, options)).tools;
  }

  /** Undefined when the server knows no such list. */
  async #askForPage(method: string, cursor: string | undefined, signal: AbortSignal): Promise<Fields | undefined> {
    try {
      return await this.#ask(method, cursor === undefined ? {} : { cursor }, { signal }, method);
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof ProtocolError && cause.code === ProtocolErrorCode.MethodNotFound) return undefined;
      throw error;
    }
  }

  #ask(method: string, params: Fields, options: RequestOptions, what: string): Promise<Fields> {
    const timed = { timeout: NO_SDK_TIMEOUT, ...options };
    return this.#explained(what, this.#client.request({ method, params: { ...params } }, ANY_RESULT, timed));
  }

  async #explained<Result>(what: string, answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      throw requestFailure(error, `${what} of upstream "${this.#server}"`, this.#server);
    }
  }
}
