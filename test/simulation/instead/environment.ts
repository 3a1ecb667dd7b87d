/**
 * In the place of storage/environment.ts: LMDB is native and maps its file, so that no simulated disk can lie below it. The twin commits all writes or none,
 * after a while; what was committed is durable, and a commit on its way when the machine falls is done or not. So is one that fails.
 */
import type { Environment, EnvironmentOptions, EnvironmentSnapshot, Write } from '#storage/environment.ts';
import { settleDirectory } from '#storage/directory.ts';
import type { Bytes, Entry } from '#storage/port.ts';
import { Cells } from '#test/simulation/machine/cells.ts';
import { machine } from '#test/simulation/machine/machine.ts';

export type {
  Environment,
  EnvironmentOptions,
  EnvironmentSnapshot,
  EnvironmentStats,
  Write,
} from '#storage/environment.ts';

export const KEY_BYTES_MAX = 1978;

export function openEnvironment(path: string, { onFatal }: EnvironmentOptions): Environment {
  settleDirectory(path);
  const { environments } = machine().disk;
  const cells = environments.get(path) ?? new Cells();
  environments.set(path, cells);
  return new SimulatedEnvironment(path, cells, onFatal);
}

class SimulatedEnvironment implements Environment {
  readonly #path: string;
  readonly #cells: Cells;
  readonly #onFatal: (error: Error) => void;
  #inFlight: Promise<void> | null = null;
  #commits = 0;

  constructor(path: string, cells: Cells, onFatal: (error: Error) => void) {
    this.#path = path;
    this.#cells = cells;
    this.#onFatal = onFatal;
  }

  get(key: Bytes): Uint8Array | undefined {
    return this.#cells.get(key);
  }

  range(from: Bytes, to: Bytes, reverse = false): IterableIterator<Entry> {
    return this.#cells.range(from, to, reverse);
  }

  snapshot(): EnvironmentSnapshot {
    const cells = this.#cells.copy();
    return {
      get: (key) => cells.get(key),
      range: (from, to, reverse = false) => cells.range(from, to, reverse),
      close: () => undefined,
    };
  }

  copyTo(): Promise<void> {
    return Promise.reject(new Error('a simulated environment is not copied'));
  }

  commit(writes: readonly Write[]): Promise<void> {
    if (this.#inFlight !== null) return Promise.reject(new Error('one commit at a time for each environment'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    machine().world.answer(
      `commit ${this.#path} ${writes.length}`,
      () => {
        const { isGood, isDone } = machine().commits();
        if (isDone) this.#cells.apply(writes);
        if (!isGood) throw new Error(`LMDB commit failed: ${this.#path}`);
      },
      (error) => {
        this.#inFlight = null;
        this.#commits++;
        if (error === null) return resolve();
        this.#onFatal(error);
        reject(error);
      },
    );
    this.#inFlight = promise;
    return promise;
  }

  stats(): { entries: number; commits: number; fileBytes: number } {
    return { entries: this.#cells.size, commits: this.#commits, fileBytes: 0 };
  }

  async close(): Promise<void> {
    await this.#inFlight;
  }
}
