/**
 * The requests that we make of an upstream, in either era.
 *
 * Answers are not held to the SDK's schemas where that can be helped: a date in the wrong form in one block of a result
 * is no reason to lose the result, and checking twenty megabytes of base64 letter by letter is no use to anybody. The
 * newer era's tool requests do go the SDK's way, which mirrors arguments into headers as that protocol wants it.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import { AppError } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { ToolProgress, ToolResult } from '#contracts/tool';
import type { Connection } from './connect.ts';
import { type ListedTool, readTools, textOf } from './tool-list.ts';
import { isFields } from './values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The time is kept by `CallClock`; the SDK's own clock, which cannot stand still, must never be the first. */
const NO_SDK_TIMEOUT = 2 ** 31 - 1;

/** Takes what came. The protocol layer has made sure that it is an object. */
const ANY_RESULT: StandardSchemaV1<unknown, Fields> = {
  '~standard': { version: 1, vendor: 'sallyport', validate: (value) => ({ value: value as Fields }) },
};

function ask(connection: Connection, method: string, params: Fields, options: RequestOptions): Promise<Fields> {
  const timed = { timeout: NO_SDK_TIMEOUT, ...options };
  return connection.client.request({ method, params: { ...params } }, ANY_RESULT, timed);
}

export interface ToolRequest {
  readonly tool: string;
  readonly args: Fields;
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: ToolProgress) => void) | undefined;
}

export async function requestTool(connection: Connection, request: ToolRequest): Promise<ToolResult> {
  const { tool, args, signal, onProgress } = request;
  const options = { signal, timeout: NO_SDK_TIMEOUT, ...(onProgress && { onprogress: onProgress as () => void }) };
  const params = { name: tool, arguments: { ...args } };
  const isModern = connection.client.getProtocolEra() === 'modern';
  const result: Fields = isModern
    ? await connection.client.callTool(params, options)
    : await ask(connection, 'tools/call', params, options);
  const content = Array.isArray(result.content) ? result.content : [];
  if (!Array.isArray(result.content) && result.structuredContent === undefined) {
    throw new AppError('UPSTREAM_FAILED', `The answer of tool "${tool}" has no content`);
  }
  return { ...result, content, isError: result.isError === true };
}

export interface ListedServer {
  /** What the server says it is for. */
  readonly about: string | undefined;
  readonly tools: readonly ListedTool[];
}

export async function requestTools(connection: Connection, signal: AbortSignal): Promise<ListedServer> {
  const { client } = connection;
  const isModern = client.getProtocolEra() === 'modern';
  const values =
    isModern && client.getServerCapabilities()?.tools
      ? (await client.listTools(undefined, { signal, timeout: NO_SDK_TIMEOUT, cacheMode: 'refresh' })).tools
      : await requestAll(connection, 'tools/list', 'tools', signal);
  const info = client.getServerVersion();
  const about = textOf(info?.description) ?? textOf(client.getInstructions()) ?? textOf(info?.title);
  return { about, tools: readTools(values) };
}

/** All pages of a list; empty where the server has no such list. */
export async function requestAll(
  connection: Connection,
  method: string,
  key: string,
  signal: AbortSignal,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < BOUNDS.listPagesMax; page += 1) {
    const result = await askForPage(connection, method, cursor, signal);
    const entries = result?.[key];
    if (Array.isArray(entries)) found.push(...entries);
    const next = result?.nextCursor;
    // A server that gives the same page for ever, or one without an end, has given what it has.
    if (typeof next !== 'string' || next === cursor || found.length >= BOUNDS.listEntriesMax) break;
    cursor = next;
  }
  return found.slice(0, BOUNDS.listEntriesMax);
}

async function askForPage(
  connection: Connection,
  method: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Fields | undefined> {
  try {
    return await ask(connection, method, cursor === undefined ? {} : { cursor }, { signal });
  } catch (error) {
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return undefined;
    throw error;
  }
}

export async function requestResource(connection: Connection, uri: string, signal: AbortSignal): Promise<Fields[]> {
  const { contents } = await ask(connection, 'resources/read', { uri }, { signal });
  return Array.isArray(contents) ? contents.filter(isFields) : [];
}

export function requestPrompt(
  connection: Connection,
  name: string,
  args: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Fields> {
  return ask(connection, 'prompts/get', { name, arguments: { ...args } }, { signal });
}
