/** In the newer protocol an upstream asks in its answer to one call; then nobody has to guess whose question it is. */
import { AsyncLocalStorage } from 'node:async_hooks';

export const callerOfAnswer = new AsyncLocalStorage<unknown>();
