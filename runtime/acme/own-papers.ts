/** Certificates of one node: files in `acme` of its data directory, and nothing elsewhere. */
import type { KeyObject } from 'node:crypto';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { recall, remember, type Memory } from './memory.ts';
import type { Attempts } from './next-action.ts';
import { accountKey } from './pairs.ts';
import type { Papers } from './papers.ts';
import { pairPlace } from './places.ts';
import { writePrivately } from './private-file.ts';

export class OwnPapers implements Papers {
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #memory: Memory = new Map();

  constructor(dataDir: string, clock: Clock, log: Log) {
    this.#dataDir = dataDir;
    this.#clock = clock;
    this.#log = log;
  }

  /** A file that cannot be read counts as none. */
  async recall(): Promise<Memory> {
    try {
      this.#memory = await recall(this.#dataDir, this.#clock.now());
    } catch (error) {
      this.#log.warn(
        { err: error },
        'what is remembered of certificates cannot be read: their names are looked at anew',
      );
    }
    return this.#memory;
  }

  fetch(): Promise<Memory> {
    return Promise.resolve(this.#memory);
  }

  async remember(name: string, attempts: Attempts): Promise<void> {
    const next = new Map([...this.#memory, [name, attempts]]);
    await remember(this.#dataDir, next);
    this.#memory = next;
  }

  account(directory: string): Promise<KeyObject> {
    return accountKey(this.#dataDir, directory);
  }

  put(name: string, pair: string): Promise<void> {
    return writePrivately(pairPlace(this.#dataDir, name), pair);
  }

  /** There is no other door. */
  offer(): Promise<() => Promise<void>> {
    return Promise.resolve(() => Promise.resolve());
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
