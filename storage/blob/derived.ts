/**
 * Files that were made of blobs and can be made again: `<root>/<digest of the blob>/<name>`. They are no part of a backup or a copy. Those of a blob go with it;
 * a crash between the two leaves some, which the next sweep removes.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../directory.ts';
import { StorageFull } from '../fault.ts';
import type { DerivedFiles, Digest } from './port.ts';
import { roomFor } from './room-for.ts';

export class DirectoryDerived implements DerivedFiles {
  readonly #root: string;
  readonly #drafts: string;
  readonly #admits: (bytes: number) => boolean;

  /** `drafts`: a directory on the same disk for files that are not whole yet; what a crash leaves there is its owner's to remove. */
  constructor(root: string, drafts: string, admits: (bytes: number) => boolean) {
    this.#root = root;
    this.#drafts = drafts;
    this.#admits = admits;
  }

  async read(of: Digest, name: string): Promise<Buffer | null> {
    try {
      return await readFile(join(this.#root, of, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async write(of: Digest, name: string, bytes: Uint8Array): Promise<void> {
    if (!this.#admits(bytes.byteLength)) throw new StorageFull('disk');
    const draft = join(makeDirectory(this.#drafts), randomUUID());
    try {
      const handle = await roomFor(open(draft, 'wx', 0o600));
      try {
        await roomFor(handle.writeFile(bytes));
        await roomFor(handle.sync());
      } finally {
        await handle.close();
      }
      await rename(draft, join(makeDirectory(join(this.#root, of)), name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  names(of: Digest): Promise<string[]> {
    return Promise.resolve(namesIn(join(this.#root, of)));
  }

  async removeOne(of: Digest, name: string): Promise<void> {
    await rm(join(this.#root, of, name), { force: true });
  }

  /** At once, so that nothing else of this thread runs between a blob's removal and theirs. */
  remove(of: Digest): void {
    rmSync(join(this.#root, of), { recursive: true, force: true });
  }

  async *digests(): AsyncGenerator<Digest> {
    yield* namesIn(this.#root);
  }

  async bytes(): Promise<number> {
    let bytes = 0;
    for (const of of namesIn(this.#root))
      for (const name of namesIn(join(this.#root, of)))
        bytes += await stat(join(this.#root, of, name)).then(
          ({ size }) => size,
          () => 0,
        );
    return bytes;
  }

  async erase(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Removes what was made of blobs that are not there any more. */
export async function sweepDerived(
  derived: DerivedFiles,
  isThere: (of: Digest) => Promise<boolean>,
  yieldTurn: () => Promise<void>,
): Promise<void> {
  for await (const of of derived.digests()) {
    if (!(await isThere(of))) derived.remove(of);
    await yieldTurn();
  }
}

/** Keeps nothing: for stores that are only read. */
export const NO_DERIVED: DerivedFiles = {
  read: () => Promise.resolve(null),
  write: () => Promise.reject(new Error('this store is only read')),
  names: () => Promise.resolve([]),
  removeOne: () => Promise.resolve(),
  remove: () => undefined,
  async *digests() {
    yield* [];
  },
  bytes: () => Promise.resolve(0),
  erase: () => Promise.resolve(),
};
