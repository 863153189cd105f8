/**
 * The processes of a run. Each step is one process in a group of its own; an interrupt goes to that group, and what has
 * not ended shortly after it is killed with its descendants.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** From an interrupt to the kill: shorter than the host waits before it kills the whole sandbox. */
const GRACE_MS = 40;
/** Raised for programs: when memory is short they go before the process that tells of it. */
const OOM_SCORE = '1000';

/** @typedef {{ exitCode: number | null, signal: string | null, error?: string }} ChildEnd */

export class Children {
  #current;
  #timer;
  #isStopped = false;

  /** Whether an interrupt came since the run began. */
  get isStopped() {
    return this.#isStopped;
  }

  /** A new run: interrupts of the last one are over. */
  begin() {
    this.#isStopped = false;
  }

  /**
   * @param {string[]} command
   * @param {{ stdio: Array<number | 'pipe' | 'ignore'>, env: Record<string, string>, cwd?: string, onOutput?: (bytes: Buffer) => void }} options
   * @returns {Promise<ChildEnd>}
   */
  run([file, ...args], { stdio, env, cwd, onOutput }) {
    if (this.#isStopped) return Promise.resolve({ exitCode: null, signal: 'SIGINT' });
    return new Promise((resolve) => {
      const child = spawn(file, args, { stdio, env, cwd, detached: true });
      this.#current = child;
      const settle = (end) => {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.#current = undefined;
        resolve(end);
      };
      child.once('error', (error) => settle({ exitCode: null, signal: null, error: error.message }));
      // What is captured has ended only when its pipes have; a program's own output goes past this process.
      child.once(onOutput ? 'close' : 'exit', (exitCode, signal) => settle({ exitCode, signal }));
      child.stdout?.on('data', onOutput);
      child.stderr?.on('data', onOutput);
      if (child.pid !== undefined) preferAsVictim(child.pid);
    });
  }

  /** First politely, the second time and after a moment by force. */
  interrupt() {
    const isFirst = !this.#isStopped;
    this.#isStopped = true;
    const pid = this.#current?.pid;
    if (pid === undefined) return;
    if (!isFirst) return killTree(pid);
    signalGroup(pid, 'SIGINT');
    this.#timer = setTimeout(killTree, GRACE_MS, pid);
  }
}

function preferAsVictim(pid) {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, OOM_SCORE);
  } catch {
    // it has ended already
  }
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // it has ended already
  }
}

/** Also those that left the group. */
function killTree(pid) {
  const family = descendants(pid);
  signalGroup(pid, 'SIGKILL');
  for (const member of family) {
    try {
      process.kill(member, 'SIGKILL');
    } catch {
      // went with the group
    }
  }
}

function descendants(root) {
  const childrenOf = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(name);
    if (parent !== undefined) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const found = [];
  for (let pids = [root]; pids.length > 0; pids = pids.flatMap((pid) => childrenOf.get(pid) ?? [])) found.push(...pids);
  return found.slice(1);
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // ended this moment
  }
}
