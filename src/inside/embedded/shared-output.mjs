/**
 * What an interpreter prints, on its way out: collected in memory that its thread shares with the main thread.
 *
 * A system call for each line would cost more than the line. The thread writes out when the buffer is full and at the
 * end of a run; when a program prints and then computes for long, the main thread does it, a few milliseconds later. So
 * nothing that was printed is lost when the process is killed, but what came in that last moment.
 */
import { printBytes } from './records.mjs';

const LOCK = 0;
const LENGTH = 1;
const HEADER_BYTES = 8;
const BUFFER_BYTES = 64 * 1024;
const STREAMS = /** @type {const} */ (['stdout', 'stderr']);

/** @returns {SharedArrayBuffer[]} one for each stream */
export function createOutputMemory() {
  return STREAMS.map(() => new SharedArrayBuffer(HEADER_BYTES + BUFFER_BYTES));
}

/** One thread's end of it. */
export class SharedOutput {
  #buffers;
  #onFirst;

  /** @param {SharedArrayBuffer[]} memory @param {() => void} onFirst called when there is something again to write out */
  constructor(memory, onFirst = () => {}) {
    this.#buffers = Object.fromEntries(
      STREAMS.map((stream, index) => [stream, new SharedBuffer(stream, memory[index])]),
    );
    this.#onFirst = onFirst;
  }

  /** @param {'stdout' | 'stderr'} stream @param {Uint8Array} bytes */
  print(stream, bytes) {
    if (bytes.length > 0 && this.#buffers[stream].append(bytes)) this.#onFirst();
  }

  flush() {
    for (const stream of STREAMS) this.#buffers[stream].flush();
  }
}

class SharedBuffer {
  #stream;
  #header;
  #data;

  constructor(stream, memory) {
    this.#stream = stream;
    this.#header = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#data = new Uint8Array(memory, HEADER_BYTES);
  }

  /** @returns {boolean} whether the buffer was empty before and is not any more */
  append(bytes) {
    this.#lock();
    try {
      if (this.#header[LENGTH] + bytes.length > BUFFER_BYTES) this.#writeOut();
      if (bytes.length > BUFFER_BYTES) {
        printBytes(this.#stream, bytes);
        return false;
      }
      const length = this.#header[LENGTH];
      this.#data.set(bytes, length);
      this.#header[LENGTH] = length + bytes.length;
      return length === 0;
    } finally {
      this.#unlock();
    }
  }

  flush() {
    this.#lock();
    try {
      this.#writeOut();
    } finally {
      this.#unlock();
    }
  }

  #writeOut() {
    const length = this.#header[LENGTH];
    // A copy: system calls do not take shared memory.
    if (length > 0) printBytes(this.#stream, this.#data.slice(0, length));
    this.#header[LENGTH] = 0;
  }

  #lock() {
    while (Atomics.compareExchange(this.#header, LOCK, 0, 1) !== 0) Atomics.wait(this.#header, LOCK, 1, 1);
  }

  #unlock() {
    Atomics.store(this.#header, LOCK, 0);
    Atomics.notify(this.#header, LOCK, 1);
  }
}
