/** What can be read through MCP: what this server can do, files of sessions, kept output of runs. */
import { isUtf8 } from 'node:buffer';
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { AppError } from '#contracts/errors';
import { readRunOutput, readSessionFile } from '#engine/resources';
import { CAPABILITIES, LANGUAGES } from './resource-list.ts';
import type { DoorParts } from './server.ts';

const RUN_URI = /^sallyport:\/\/runs\/([A-Za-z0-9]{1,40})\/(stdout|stderr)$/;
const FILE_URI = /^sallyport:\/\/sessions\/([^/]{1,200})\/files\/(.{1,4096})$/;

export async function readResource(parts: DoorParts, uri: string): Promise<ReadResourceResult> {
  if (uri === CAPABILITIES) return jsonContents(uri, await parts.capabilities());
  if (uri === LANGUAGES) return jsonContents(uri, await parts.languages());
  try {
    return { contents: [contentsOf(uri, await readBytes(parts, uri))] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'NOT_FOUND' || error.code === 'SESSION_UNKNOWN')
      throw new ResourceNotFoundError(uri, error.message);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
}

function jsonContents(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(value) }] };
}

async function readBytes(parts: DoorParts, uri: string): Promise<Buffer> {
  const run = RUN_URI.exec(uri);
  if (run) return readRunOutput(await parts.engine(), run[1] as string, run[2] as 'stdout' | 'stderr');
  const file = FILE_URI.exec(uri);
  if (file)
    return readSessionFile(
      await parts.engine(),
      decode(uri, file[1] as string),
      plainPath(uri, decode(uri, file[2] as string)),
    );
  throw new ResourceNotFoundError(uri);
}

function plainPath(uri: string, path: string): string {
  const isPlain = path.split('/').every((step) => step !== '' && step !== '.' && step !== '..') && !path.includes('\0');
  if (!isPlain) throw new ResourceNotFoundError(uri, 'The path must stay inside the workspace, without ".."');
  return path;
}

function decode(uri: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ResourceNotFoundError(uri, 'The address is not well-formed'); // a stray % sign
  }
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  json: 'application/json',
  csv: 'text/csv',
  html: 'text/html',
  md: 'text/markdown',
};

function contentsOf(uri: string, bytes: Buffer): ReadResourceResult['contents'][number] {
  const known = MIME_TYPES[uri.split('.').pop()?.toLowerCase() ?? ''];
  if (isUtf8(bytes)) return { uri, mimeType: known ?? 'text/plain', text: bytes.toString('utf8') };
  return { uri, mimeType: known ?? 'application/octet-stream', blob: bytes.toString('base64') };
}
