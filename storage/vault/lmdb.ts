/** The vault's store in an LMDB environment of its own: the default. A failed commit ends the process (docs/contract/common.md §8.2). */
import { openEnvironment, type Environment, type Write } from '#storage/environment.ts';
import { StorageFull } from '#storage/fault.ts';
import { Space } from '#storage/space.ts';
import { CommitQueue, type Put } from './commit-queue.ts';
import { endOf, type Change, type Committed, type Health, type Listed, type Stored, type VaultStore } from './port.ts';

export interface LmdbVaultOptions {
  readonly onFatal: (error: Error) => void;
  /** Below so many free bytes only deletions are written. */
  readonly freeBytesMin?: number;
}

/** Before every path. */
const REVISION = '\x00';
const VERSION_BYTES = 8;

/** Opens, and makes when missing, the store in a directory. */
export async function openLmdbVault(directory: string, options: LmdbVaultOptions): Promise<VaultStore> {
  const environment = openEnvironment(directory, options);
  const { freeBytesMin } = options;
  const space = new Space(directory, freeBytesMin === undefined ? {} : { freeBytesMin });
  await space.check();
  return new LmdbVault(environment, space);
}

class LmdbVault implements VaultStore {
  readonly #environment: Environment;
  readonly #space: Space;
  readonly #queue: CommitQueue;
  #revision: number;

  constructor(environment: Environment, space: Space) {
    this.#environment = environment;
    this.#space = space;
    const found = environment.get(REVISION);
    this.#revision = found === undefined ? 0 : Number(Buffer.from(found).readBigUInt64BE());
    this.#queue = new CommitQueue({
      revision: this.#revision,
      versionOf: (path) => this.#read(path)?.version ?? 0,
      persist: (puts, revision) => this.#persist(puts, revision),
    });
  }

  async get(path: string): Promise<Stored | undefined> {
    return this.#read(path);
  }

  async list(prefix: string, after: string | null, limit: number): Promise<readonly Listed[]> {
    const from = after === null || after < prefix ? prefix : `${after}\x00`;
    const listed: Listed[] = [];
    for (const { key, value } of this.#environment.range(from === '' ? '\x01' : from, endOf(prefix))) {
      if (listed.length === limit) break;
      listed.push({ path: key, ...storedOf(value) });
    }
    return listed;
  }

  commit(changes: readonly Change[]): Promise<Committed> {
    const grows = changes.some(({ value }) => value !== undefined);
    if (grows && !this.#space.hasRoom) return Promise.reject(new StorageFull('disk'));
    return this.#queue.commit(changes);
  }

  async healthy(): Promise<Health> {
    return { ok: true, revision: this.#revision };
  }

  async copyTo(directory: string): Promise<boolean> {
    await this.#environment.copyTo(directory);
    return true;
  }

  async close(): Promise<void> {
    this.#space.close();
    await this.#queue.idle();
    await this.#environment.close();
  }

  #read(path: string): Stored | undefined {
    const found = this.#environment.get(path);
    return found === undefined ? undefined : storedOf(found);
  }

  async #persist(puts: readonly Put[], revision: number): Promise<void> {
    const writes: Write[] = puts.map(({ path, value, version }) => [
      path,
      value === undefined ? null : Buffer.concat([eightBytes(version), value]),
    ]);
    writes.push([REVISION, eightBytes(revision)]);
    await this.#environment.commit(writes);
    this.#revision = revision;
  }
}

function storedOf(found: Uint8Array): Stored {
  const copy = Buffer.from(found);
  return { version: Number(copy.readBigUInt64BE()), value: copy.subarray(VERSION_BYTES) };
}

function eightBytes(version: number): Buffer {
  const bytes = Buffer.alloc(VERSION_BYTES);
  bytes.writeBigUInt64BE(BigInt(version));
  return bytes;
}
