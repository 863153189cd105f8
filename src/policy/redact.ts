/** Takes known secrets out of what is seen by others: texts, values, and streams whose pieces may cut one in two. */
import { type Needle, Needles } from './needles.ts';
import { formsOf } from './secret-forms.ts';

export interface KnownSecret {
  /** Shown instead. */
  readonly name: string;
  readonly value: string;
}

/** Shorter ones would turn up by accident, and everywhere. */
const SECRET_CHARS_MIN = 4;

export interface StreamMask {
  /** What can be shown by now. The end of the bytes stays here while it may be the beginning of a secret. */
  push(bytes: Buffer): Buffer;
  /** What stayed here, when nothing follows. */
  flush(): Buffer;
}

/** What stands for a secret may stand within JSON, or anything else that quotes would end. */
function plainName(name: string): string {
  return name.replaceAll(/[^\w .:-]/g, '_').slice(0, 60);
}

export class Mask {
  readonly #needles: Needles;

  private constructor(needles: readonly Needle[]) {
    this.#needles = new Needles(needles);
  }

  /** Undefined when there is nothing to take out. */
  static of(secrets: Iterable<KnownSecret>): Mask | undefined {
    const byForm = new Map<string, Needle>();
    for (const { name, value } of secrets) {
      if (value.length < SECRET_CHARS_MIN) continue;
      for (const form of formsOf(value)) {
        if (!byForm.has(form)) byForm.set(form, { bytes: Buffer.from(form), name: plainName(name) });
      }
    }
    return byForm.size === 0 ? undefined : new Mask([...byForm.values()]);
  }

  /** The same buffer when there is no secret in it. */
  bytes(bytes: Buffer): Buffer {
    const { shown } = this.#mask(bytes, true);
    return shown;
  }

  text(text: string): string {
    const bytes = Buffer.from(text);
    const { shown } = this.#mask(bytes, true);
    return shown === bytes ? text : shown.toString('utf8');
  }

  /** All texts of a JSON value, names included. The same value when there is no secret in it. */
  value<Value>(value: Value): Value {
    return this.#value(value) as Value;
  }

  stream(): StreamMask {
    let held: Buffer = Buffer.alloc(0);
    return {
      push: (bytes) => {
        const { shown, rest } = this.#mask(held.length === 0 ? bytes : Buffer.concat([held, bytes]), false);
        // A copy: a few bytes must not keep a whole chunk alive.
        held = Buffer.from(rest);
        return shown;
      },
      flush: () => {
        const { shown } = this.#mask(held, true);
        held = Buffer.alloc(0);
        return shown;
      },
    };
  }

  #mask(bytes: Buffer, isWhole: boolean): { shown: Buffer; rest: Buffer } {
    const parts: Buffer[] = [];
    let from = 0;
    for (let found = this.#needles.find(bytes, 0); found; found = this.#needles.find(bytes, from)) {
      // A longer one may have begun before it, or at the same place, and go on in bytes that are still to come.
      if (!isWhole && this.#needles.findBegun(bytes, from) <= found.at) break;
      parts.push(bytes.subarray(from, found.at), Buffer.from(`[secret ${found.needle.name}]`));
      from = found.at + found.needle.bytes.length;
    }
    const end = isWhole ? bytes.length : this.#needles.findBegun(bytes, from);
    const last = bytes.subarray(from, end);
    const isUntouched = parts.length === 0 && end === bytes.length;
    return { shown: isUntouched ? bytes : Buffer.concat([...parts, last]), rest: bytes.subarray(end) };
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return value.length < SECRET_CHARS_MIN ? value : this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#value(item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    let isSame = true;
    const entries = Object.entries(value).map(([key, item]) => {
      const entry = [this.#value(key) as string, this.#value(item)] as const;
      isSame &&= entry[0] === key && entry[1] === item;
      return entry;
    });
    return isSame ? value : Object.fromEntries(entries);
  }
}
