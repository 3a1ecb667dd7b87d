/** The vault's store in one file: for development only, every commit writes it whole. Production refuses it (docs/contract/vault.md §3). A failed sync ends the process (docs/contract/common.md §8.2). */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeDirectory, settleDirectory, syncDirectory } from '#storage/directory.ts';
import { Corruption, hasNoRoom, StorageFull } from '#storage/fault.ts';
import { CommitQueue, type Put } from './commit-queue.ts';
import type { Change, Committed, Health, Listed, Stored, VaultStore } from './port.ts';

/** One JSON document and, as the last line, its CRC: a file without it, or with another one, is torn. */
interface Content {
  readonly revision: number;
  readonly entries: readonly (readonly [path: string, version: number, value: string])[];
}

interface FileVaultOptions {
  /** A sync has failed: what the file is after a loss of power is not known, and the process must end. */
  readonly onFatal: (error: Error) => void;
}

/** Opens, and makes at the first commit, the file. Throws Corruption on one that is torn. */
export async function openFileVault(file: string, { onFatal }: FileVaultOptions): Promise<VaultStore> {
  settleDirectory(dirname(file));
  rmSync(`${file}.new`, { force: true });
  // A process that was killed may have renamed without a sync: what is read here must be there after a loss of power, too.
  if (existsSync(file)) syncDirectory(dirname(file));
  return new FileVault(file, existsSync(file) ? read(file) : { revision: 0, entries: [] }, onFatal);
}

function read(file: string): Content {
  const text = readFileSync(file, 'latin1');
  const end = text.lastIndexOf('\n', text.length - 2);
  const body = text.slice(0, end + 1);
  if (end < 0 || text.slice(end + 1) !== sumLine(body))
    throw new Corruption(file, 'it is torn, or was changed by hand');
  return JSON.parse(body) as Content;
}

const sumLine = (body: string): string => `${crc32(body).toString(16).padStart(8, '0')}\n`;

class FileVault implements VaultStore {
  readonly #file: string;
  readonly #onFatal: (error: Error) => void;
  readonly #entries = new Map<string, Stored>();
  readonly #queue: CommitQueue;
  #revision: number;

  constructor(file: string, { revision, entries }: Content, onFatal: (error: Error) => void) {
    this.#file = file;
    this.#onFatal = onFatal;
    this.#revision = revision;
    for (const [path, version, value] of entries)
      this.#entries.set(path, { version, value: Buffer.from(value, 'base64') });
    this.#queue = new CommitQueue({
      revision,
      versionOf: (path) => this.#entries.get(path)?.version ?? 0,
      persist: async (puts, newest) => this.#persist(puts, newest),
    });
  }

  async get(path: string): Promise<Stored | undefined> {
    const found = this.#entries.get(path);
    return found === undefined ? undefined : { version: found.version, value: Buffer.from(found.value) };
  }

  async list(prefix: string, after: string | null, limit: number): Promise<readonly Listed[]> {
    return [...this.#entries]
      .filter(([path]) => path.startsWith(prefix) && (after === null || path > after))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([path, { version, value }]) => ({ path, version, value: Buffer.from(value) }));
  }

  async commit(changes: readonly Change[]): Promise<Committed> {
    return this.#queue.commit(changes);
  }

  async healthy(): Promise<Health> {
    return { ok: true, revision: this.#revision };
  }

  /** The file is always whole: each commit replaces it. */
  async copyTo(directory: string): Promise<boolean> {
    if (existsSync(this.#file)) await copyFile(this.#file, join(makeDirectory(directory), basename(this.#file)));
    return true;
  }

  close(): Promise<void> {
    return this.#queue.idle();
  }

  /** The entries change when the file has: where there is no room, both stay as they were. */
  #persist(puts: readonly Put[], revision: number): void {
    const next = new Map(this.#entries);
    for (const { path, value, version } of puts)
      if (value === undefined) next.delete(path);
      else next.set(path, { version, value: Buffer.from(value) });
    const entries = [...next].map(([path, { version, value }]) => [path, version, value.toString('base64')] as const);
    this.#replace(`${JSON.stringify({ revision, entries } satisfies Content)}\n`);
    for (const { path } of puts) {
      const now = next.get(path);
      if (now === undefined) this.#entries.delete(path);
      else this.#entries.set(path, now);
    }
    this.#revision = revision;
  }

  /** Whole or not at all. */
  #replace(body: string): void {
    const file = this.#file;
    const fd = openSync(`${file}.new`, 'w', 0o600);
    try {
      // Not writeSync, which writes a part where the disk is full, and says only how much.
      writeFileSync(fd, body + sumLine(body), 'latin1');
      this.#sync(() => fsyncSync(fd));
    } catch (error) {
      rmSync(`${file}.new`, { force: true });
      throw hasNoRoom(error) ? new StorageFull('disk') : error;
    } finally {
      closeSync(fd);
    }
    renameSync(`${file}.new`, file);
    this.#sync(() => syncDirectory(dirname(file)));
  }

  #sync(sync: () => void): void {
    try {
      sync();
    } catch (error) {
      this.#onFatal(new Error(`${this.#file} could not be synced`, { cause: error }));
      throw error;
    }
  }
}
