/**
 * The control channel on an inherited socket.
 *
 * It keeps the event loop alive only while somebody holds it: during a run nobody does, so that the loop can run dry and
 * tell the run's end.
 */
import { encodeFrame, FrameReader } from './frames.mjs';
import { guardedWhenIdle } from './intrinsics.mjs';
import { process } from './node.mjs';
import { openSocket } from './node-internals.mjs';

/** `EX_SOFTWARE`: what came over the channel were no frames. */
const CORRUPT_EXIT = 70;
const reallyExit = process.reallyExit.bind(process);

export class Control {
  #socket;
  #onFrame;
  #holders = new Set();

  /** @param {number} fd @param {(frame: import('./frames.mjs').Frame) => void} onFrame */
  constructor(fd, onFrame) {
    this.#onFrame = onFrame;
    this.#socket = openSocket(fd, { onData: this.#reading(), onEnd: () => reallyExit(0) });
  }

  #reading() {
    const reader = new FrameReader();
    return guardedWhenIdle((chunk) => {
      for (const frame of readFrames(reader, chunk)) this.#onFrame(frame);
    });
  }

  /** Takes a frame as if the host had sent it. */
  rehearse(verb, fields) {
    this.#reading()(encodeFrame(verb, fields));
  }

  get handle() {
    return this.#socket.handle;
  }

  send(verb, fields) {
    this.write(encodeFrame(verb, fields));
  }

  /** @param {Uint8Array} frame */
  write(frame) {
    this.#socket.write(frame);
  }

  hold(holder) {
    this.#holders.add(holder);
    this.#socket.handle.ref();
  }

  release(holder) {
    this.#holders.delete(holder);
    if (this.#holders.size === 0) this.#socket.handle.unref();
  }
}

function readFrames(reader, chunk) {
  try {
    return reader.push(chunk);
  } catch {
    return reallyExit(CORRUPT_EXIT); // there is nobody left to tell
  }
}
