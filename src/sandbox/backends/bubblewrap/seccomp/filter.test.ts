import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '#contracts/errors';
import { OPCODES } from './assembler.ts';
import { buildFilter, filterArchitecture } from './filter.ts';
import { type Architecture, type SyscallName, syscallNumber } from './syscalls.ts';

interface Call {
  readonly architecture?: number;
  readonly number: number;
  readonly arguments?: readonly bigint[];
}

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

/** What the kernel would answer: it runs the bytes as they are. */
function decide(filter: Buffer, architecture: Architecture, call: Call): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.architecture ?? AUDIT[architecture], 4);
  for (const [index, argument] of (call.arguments ?? []).entries()) {
    data.writeBigUInt64LE(BigInt.asUintN(64, argument), 16 + 8 * index);
  }
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const [code, ifTrue, ifFalse, value] = [
      filter.readUInt16LE(at * 8),
      filter.readUInt8(at * 8 + 2),
      filter.readUInt8(at * 8 + 3),
      filter.readUInt32LE(at * 8 + 4),
    ];
    if (code === OPCODES.return) return nameOfReturn(value);
    if (code === OPCODES.load) accumulator = data.readUInt32LE(value);
    else if (code === OPCODES.jumpEqual) at += accumulator === value ? ifTrue : ifFalse;
    else if (code === OPCODES.jumpGreater) at += accumulator > value ? ifTrue : ifFalse;
    else if (code === OPCODES.jumpAnyBit) at += (accumulator & value) !== 0 ? ifTrue : ifFalse;
    else assert.fail(`unknown instruction ${code}`);
  }
  return assert.fail('the filter ends without a verdict');
}

function nameOfReturn(value: number): string {
  if (value === 0x7fff0000) return 'allow';
  if (value === 0x80000000) return 'kill';
  return (
    { 1: 'EPERM', 38: 'ENOSYS', 93: 'EPROTONOSUPPORT', 97: 'EAFNOSUPPORT' }[value & 0xffff] ?? `errno ${value & 0xffff}`
  );
}

describe('numbers between the known calls', () => {
  for (const [architecture, first] of [
    ['x64', 335],
    ['arm64', 295],
  ] as const) {
    it(`do not exist on ${architecture}`, () => {
      const filter = buildFilter({ architecture, mappedMemoryOnly: false });
      const verdicts = [first - 1, first, 400, 423, 424].map((number) => decide(filter, architecture, { number }));
      // The last of the architecture's own is rseq on x64, and kexec_file_load, which is denied, on arm64.
      assert.deepEqual(verdicts, [architecture === 'x64' ? 'allow' : 'EPERM', 'ENOSYS', 'ENOSYS', 'ENOSYS', 'allow']);
    });
  }
});

const cases: ReadonlyArray<readonly [verdict: string, call: SyscallName, ...args: bigint[]]> = [
  ['EPERM', 'mount'],
  ['EPERM', 'umount2'],
  ['EPERM', 'unshare', 0x10000000n],
  ['EPERM', 'setns'],
  ['EPERM', 'ptrace'],
  ['EPERM', 'process_vm_writev'],
  ['EPERM', 'pidfd_getfd'],
  ['EPERM', 'keyctl'],
  ['EPERM', 'bpf'],
  ['EPERM', 'perf_event_open'],
  ['EPERM', 'open_by_handle_at'],
  ['EPERM', 'kexec_load'],
  ['EPERM', 'finit_module'],
  ['ENOSYS', 'clone3'],
  ['ENOSYS', 'io_uring_setup'],
  ['ENOSYS', 'io_uring_enter'],
  ['ENOSYS', 'io_uring_register'],
  ['ENOSYS', 'userfaultfd'],
  ['ENOSYS', 'fsopen'],
  ['ENOSYS', 'mount_setattr'],
  ['ENOSYS', 'openat2'],
  ['allow', 'clone', 0x003d0f00n],
  ['EPERM', 'clone', 0x10000011n],
  ['EPERM', 'clone', 0x00020011n],
  ['EPERM', 'clone', 0x40000011n],
  ['allow', 'personality', 0n],
  ['allow', 'personality', 0xffffffffn],
  ['allow', 'personality', 0xffffffff_ffffffffn],
  ['EPERM', 'personality', 0x0040000n],
  ['allow', 'ioctl', 0n, 0x5401n],
  ['EPERM', 'ioctl', 0n, 0x5412n],
  ['EPERM', 'ioctl', 0n, 0x1_0000_5412n],
  ['EPERM', 'ioctl', 0n, 0xffff_ffff_0000_541cn],
  ['allow', 'socket', 1n, 1n, 0n],
  ['allow', 'socket', 2n, 1n, 0n],
  ['allow', 'socket', 2n, 1n, 6n],
  ['allow', 'socket', 10n, 2n, 17n],
  ['EPROTONOSUPPORT', 'socket', 2n, 1n, 132n],
  ['EPROTONOSUPPORT', 'socket', 10n, 1n, 262n],
  ['allow', 'socket', 16n, 3n, 0n],
  ['EPROTONOSUPPORT', 'socket', 16n, 3n, 12n],
  ['EAFNOSUPPORT', 'socket', 17n, 3n, 0n],
  ['EAFNOSUPPORT', 'socket', 38n, 5n, 0n],
  ['EAFNOSUPPORT', 'socket', 40n, 1n, 0n],
  ['allow', 'socketpair', 1n, 1n, 0n],
  ['EAFNOSUPPORT', 'socketpair', 30n, 1n, 0n],
  ['allow', 'fchmod', 3n, 0o755n],
  ['EPERM', 'fchmod', 3n, 0o4755n],
  ['EPERM', 'fchmodat', 3n, 0n, 0o2755n],
  ['EPERM', 'fchmodat2', 3n, 0n, 0o6755n],
  ['EPERM', 'mknodat', 3n, 0n, 0o104755n],
  ['allow', 'openat', 3n, 0n, 0o0n, 0o7777n],
  ['allow', 'openat', 3n, 0n, 0o101n, 0o644n],
  ['EPERM', 'openat', 3n, 0n, 0o101n, 0o4755n],
  ['EPERM', 'openat', 3n, 0n, 0o20200002n, 0o4755n],
  ['allow', 'memfd_create'],
  ['allow', 'shmget'],
];

for (const architecture of ['x64', 'arm64'] as const) {
  describe(`buildFilter() for ${architecture}`, () => {
    const filter = buildFilter({ architecture, mappedMemoryOnly: false });

    for (const [verdict, name, ...args] of cases) {
      const shown = args.map((argument) => `0x${argument.toString(16)}`).join(', ');
      it(`answers ${name}(${shown}) with ${verdict}`, () => {
        const number = syscallNumber(name, architecture);
        assert.notEqual(number, null);
        assert.equal(decide(filter, architecture, { number: number!, arguments: args }), verdict);
      });
    }

    it('knows nothing of calls that are younger than its list', () => {
      assert.equal(decide(filter, architecture, { number: 457 }), 'ENOSYS');
      assert.equal(decide(filter, architecture, { number: 0xffffffff }), 'ENOSYS');
    });

    it('kills a call of another architecture', () => {
      assert.equal(decide(filter, architecture, { number: 1, architecture: 0x40000003 }), 'kill');
    });

    it('refuses memory outside of address spaces where nothing would count it', () => {
      const strict = buildFilter({ architecture, mappedMemoryOnly: true });
      for (const name of ['memfd_create', 'shmget'] as const) {
        assert.equal(decide(strict, architecture, { number: syscallNumber(name, architecture)! }), 'ENOSYS');
      }
    });
  });
}

it('buildFilter() refuses calls of the x32 ABI', () => {
  const filter = buildFilter({ architecture: 'x64', mappedMemoryOnly: false });
  assert.equal(decide(filter, 'x64', { number: 0x40000000 + 1 }), 'ENOSYS');
});

it('filterArchitecture() refuses a processor without a filter', () => {
  assert.throws(
    () => filterArchitecture('riscv64'),
    (error) => error instanceof AppError && error.code === 'SANDBOX_UNAVAILABLE',
  );
});
