/** A place in a directory: `<root>/<log>/<shard>/<copy>.mdb` and `<root>/<log>/history/<shard>/<piece>.log`; what is on its way in lies in `<root>/<log>/incoming/`. */
import { randomUUID } from 'node:crypto';
import { constants, createReadStream, existsSync } from 'node:fs';
import { copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { limits } from '#config/limits.ts';
import { keepPrivate, makeDirectory, syncDirectoryAsync } from '../directory.ts';
import { piecesOf, readPieceName } from './piece-name.ts';
import { CopyMissing, readCopyName, type CopyPlace } from './place.ts';

export class DirectoryCopies implements CopyPlace {
  readonly where: string;
  readonly #root: string;

  /** `log`: the id of the log, so that copies of two logs never meet. */
  constructor(root: string, log: string) {
    this.where = root;
    this.#root = join(root, log);
  }

  async put(name: string, path: string): Promise<void> {
    this.#assertThere();
    const incoming = makeDirectory(join(this.#root, 'incoming'));
    await forgetOld(incoming);
    const partial = join(incoming, randomUUID());
    try {
      await copyFile(path, partial, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      keepPrivate(partial);
      await syncFile(partial);
      const to = join(this.#root, name);
      makeDirectory(dirname(to));
      await rename(partial, to);
      await syncDirectoryAsync(dirname(to));
    } finally {
      await rm(partial, { force: true });
    }
  }

  async *read(name: string): AsyncGenerator<Uint8Array> {
    const stream = createReadStream(join(this.#root, name), { highWaterMark: limits.backup.readBytes });
    try {
      for await (const piece of stream) yield piece as Buffer;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new CopyMissing(name);
    } finally {
      stream.destroy();
    }
  }

  list(shard: number): Promise<string[]> {
    return this.#names(String(shard), readCopyName);
  }

  pieces(shard: number): Promise<string[]> {
    return this.#names(piecesOf(shard), readPieceName);
  }

  async #names(folder: string, read: (name: string) => object | null): Promise<string[]> {
    const names = await namesIn(join(this.#root, folder));
    return names
      .map((name) => `${folder}/${name}`)
      .filter((name) => read(name) !== null)
      .toSorted();
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#root, name), { force: true });
  }

  /** A disk that is not mounted has no such directory: the copies would fill the one below. */
  #assertThere(): void {
    if (existsSync(this.where)) return;
    throw new Error(
      `${this.where} is not there: is its disk mounted?\n    the first time, make it: mkdir ${this.where}`,
    );
  }
}

/** A process that was killed leaves what it had on its way. */
async function forgetOld(incoming: string): Promise<void> {
  const before = Date.now() - limits.backup.unusedPartMs;
  for (const name of await namesIn(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && found.mtimeMs < before) await rm(path, { force: true });
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** None where there is no such directory. */
async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
