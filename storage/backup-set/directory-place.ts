/** A place in a directory: `parts/<first two digits>/<name>`, `sets/<id>.json`, `journal/<thousand>/<chunk>`; what is on its way in lies in `incoming/`. */
import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { limits } from '#config/limits.ts';
import { makeDirectory, syncDirectoryAsync } from '../directory.ts';
import { CHUNK_NAME, chunkFolder, CHUNKS, PART_NAME, PartMissing, SET_ID } from './place.ts';
import type { BackupPlace, PartUpload, StoredPart } from './place.ts';

const FILE_MODE = 0o600;

export class DirectoryPlace implements BackupPlace {
  readonly where: string;

  constructor(root: string) {
    this.where = root;
  }

  async begin(): Promise<PartUpload> {
    this.#assertThere();
    const path = join(makeDirectory(join(this.where, 'incoming')), randomUUID());
    return new DirectoryUpload(await open(path, 'wx', FILE_MODE), path, (name) => this.#pathOf(name));
  }

  async sizeOf(part: string): Promise<number | null> {
    return orNull(stat(this.#pathOf(part)).then(({ size }) => size));
  }

  async *read(part: string): AsyncGenerator<Uint8Array> {
    const stream = createReadStream(this.#pathOf(part), { highWaterMark: limits.backup.readBytes });
    try {
      for await (const piece of stream) yield piece as Buffer;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new PartMissing(part);
    } finally {
      stream.destroy();
    }
  }

  async *parts(): AsyncGenerator<StoredPart> {
    const root = join(this.where, 'parts');
    for (const fan of (await orNull(readdir(root))) ?? [])
      for (const name of (await orNull(readdir(join(root, fan)))) ?? []) {
        const found = PART_NAME.test(name) ? await orNull(stat(join(root, fan, name))) : null;
        if (found !== null) yield { name, storedMs: found.mtimeMs };
      }
  }

  async removePart(part: string): Promise<void> {
    await rm(this.#pathOf(part), { force: true });
  }

  async sets(): Promise<string[]> {
    const names = (await orNull(readdir(join(this.where, 'sets')))) ?? [];
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter((id) => SET_ID.test(id))
      .toSorted();
  }

  readSet(id: string): Promise<string | null> {
    return orNull(readFile(this.#setPath(id), 'utf8'));
  }

  /** The name comes last: a set that has it is whole. */
  async writeSet(id: string, text: string): Promise<void> {
    makeDirectory(join(this.where, 'sets'));
    const upload = await this.begin();
    try {
      await upload.write(Buffer.from(text));
      await (upload as DirectoryUpload).moveTo(this.#setPath(id));
    } finally {
      await upload.drop();
    }
  }

  async removeSet(id: string): Promise<void> {
    await rm(this.#setPath(id), { force: true });
    await syncDirectoryAsync(join(this.where, 'sets'));
  }

  async chunks(): Promise<string[]> {
    const days = (await orNull(readdir(join(this.where, CHUNKS)))) ?? [];
    const names = await Promise.all(
      days.map(async (day) => (await orNull(readdir(join(this.where, CHUNKS, day)))) ?? []),
    );
    return names
      .flat()
      .filter((name) => CHUNK_NAME.test(name))
      .toSorted();
  }

  async writeChunk(name: string, bytes: Uint8Array): Promise<void> {
    const upload = await this.begin();
    try {
      await upload.write(bytes);
      await (upload as DirectoryUpload).moveTo(this.#chunkPath(name));
    } finally {
      await upload.drop();
    }
  }

  readChunk(name: string): Promise<Buffer | null> {
    return orNull(readFile(this.#chunkPath(name)));
  }

  async removeChunk(name: string): Promise<void> {
    await rm(this.#chunkPath(name), { force: true });
  }

  #chunkPath(name: string): string {
    return join(this.where, CHUNKS, chunkFolder(name), name);
  }

  /** A disk that is not mounted has no such directory: the sets would fill the one below. */
  #assertThere(): void {
    if (existsSync(this.where)) return;
    throw new Error(
      `${this.where} is not there: is its disk mounted?\n    the first time, make it: mkdir ${this.where}`,
    );
  }

  #pathOf(part: string): string {
    return join(this.where, 'parts', part.slice(0, 2), part);
  }

  #setPath(id: string): string {
    return join(this.where, 'sets', `${id}.json`);
  }
}

class DirectoryUpload implements PartUpload {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #pathOf: (name: string) => string;
  #open = true;

  constructor(handle: FileHandle, path: string, pathOf: (name: string) => string) {
    this.#handle = handle;
    this.#path = path;
    this.#pathOf = pathOf;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#handle.writeFile(bytes);
  }

  publish(name: string): Promise<void> {
    return this.moveTo(this.#pathOf(name));
  }

  async moveTo(path: string): Promise<void> {
    await this.#handle.sync();
    await this.#close();
    makeDirectory(dirname(path));
    await rename(this.#path, path);
    await syncDirectoryAsync(dirname(path));
  }

  async drop(): Promise<void> {
    await this.#close();
    await rm(this.#path, { force: true });
  }

  async #close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#handle.close();
  }
}

/** Null where the file or directory is not there. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
