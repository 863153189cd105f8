/**
 * Classic BPF as the kernel's seccomp takes it: eight bytes an instruction, jumps forward only.
 *
 * Blocks are arrays of instructions that either return or fall through to what follows them; every jump stays inside
 * the block that made it, so blocks can be put together in any order.
 */

export interface Instruction {
  readonly code: number;
  /** How many instructions to skip when the test holds, and when it does not. */
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

export type Block = readonly Instruction[];

/** Opcodes: load a word at an absolute offset; jump if equal, greater, or any bit is set; return a constant. */
export const OPCODES = { load: 0x20, jumpEqual: 0x15, jumpGreater: 0x25, jumpAnyBit: 0x45, return: 0x06 } as const;

/** Offsets in `struct seccomp_data`. */
const OFFSET_NUMBER = 0;
const OFFSET_ARCHITECTURE = 4;
const OFFSET_ARGUMENTS = 16;

const RETURN_KILL_PROCESS = 0x80000000;
const RETURN_ERRNO = 0x00050000;
const RETURN_ALLOW = 0x7fff0000;

export const allow: Block = [ret(RETURN_ALLOW)];
export const kill: Block = [ret(RETURN_KILL_PROCESS)];
export const loadNumber: Block = [load(OFFSET_NUMBER)];
export const loadArchitecture: Block = [load(OFFSET_ARCHITECTURE)];

export function fail(errno: number): Block {
  return [ret(RETURN_ERRNO | errno)];
}

/** The low 32 bits: the kernel takes the arguments that are looked at here as `int`, whatever the high bits hold. */
export function loadArgument(index: number): Block {
  return [load(OFFSET_ARGUMENTS + 8 * index)];
}

export function ifEqual(value: number, then: Block): Block {
  return [jump(OPCODES.jumpEqual, value, 0, then.length), ...then];
}

export function ifNotEqual(value: number, then: Block): Block {
  return [jump(OPCODES.jumpEqual, value, then.length, 0), ...then];
}

export function ifGreater(value: number, then: Block): Block {
  return [jump(OPCODES.jumpGreater, value, 0, then.length), ...then];
}

/** Both bounds belong to it. */
export function ifBetween(first: number, last: number, then: Block): Block {
  return [
    jump(OPCODES.jumpGreater, last, then.length + 1, 0),
    jump(OPCODES.jumpGreater, first - 1, 0, then.length),
    ...then,
  ];
}

export function ifAnyBit(mask: number, then: Block): Block {
  return [jump(OPCODES.jumpAnyBit, mask, 0, then.length), ...then];
}

/** The bytes of a `struct sock_filter` array; both architectures that have a filter are little-endian. */
export function encode(program: Block): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}

function load(offset: number): Instruction {
  return { code: OPCODES.load, ifTrue: 0, ifFalse: 0, value: offset };
}

function ret(value: number): Instruction {
  return { code: OPCODES.return, ifTrue: 0, ifFalse: 0, value };
}

function jump(code: number, value: number, ifTrue: number, ifFalse: number): Instruction {
  if (ifTrue > 255 || ifFalse > 255) throw new RangeError('A jump of the filter is longer than 255 instructions');
  return { code, ifTrue, ifFalse, value };
}
