/** A thread of its own for counting: the tokenizer takes half a second to load, and runs shall not feel it. */
import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { piecesOf } from './pieces.ts';

parentPort?.on('message', ({ id, texts }: { id: number; texts: readonly string[] }) => {
  const tokens = texts.flatMap(piecesOf).reduce((sum, piece) => sum + countTokens(piece), 0);
  parentPort?.postMessage({ id, tokens });
});
