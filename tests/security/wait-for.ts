import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something is so; fails when it never is. */
export async function waitFor(
  isSo: () => boolean | Promise<boolean>,
  message = 'it never came',
  ms = 10_000,
): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(25)) if (await isSo()) return;
  assert.fail(message);
}
