/** An environment in memory, as one that a crash leaves behind: groups are there whole or not at all. */
import type { Environment, Write } from '#storage/environment.ts';
import { META_PREFIX } from '#storage/applied.ts';

export class MemoryEnvironment implements Environment {
  readonly #values: Map<string, Uint8Array>;
  isDown = false;
  /** Commits until it is down. */
  commitsLeft = Number.POSITIVE_INFINITY;

  constructor(values: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#values = new Map(values);
  }

  get(key: string): Uint8Array | undefined {
    return this.#values.get(key);
  }

  async commit(writes: readonly Write[]): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isDown || this.commitsLeft-- <= 0) return new Promise(() => undefined);
    for (const [key, value] of writes)
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, Buffer.from(value));
  }

  /** What the disk has, for the process that comes next. */
  crash(): MemoryEnvironment {
    this.isDown = true;
    return new MemoryEnvironment(this.#values);
  }

  /** Tenants' values as text. */
  rows(): Record<string, string> {
    const rows: Record<string, string> = {};
    for (const [key, value] of [...this.#values].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      if (!key.startsWith(META_PREFIX)) rows[key] = Buffer.from(value).toString('latin1');
    return rows;
  }

  range(): never {
    throw new Error('nothing scans here');
  }

  snapshot(): never {
    throw new Error('nothing scans here');
  }

  copyTo(): never {
    throw new Error('nothing copies here');
  }

  stats(): never {
    throw new Error('nothing counts here');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
