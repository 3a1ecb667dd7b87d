/** Notes as files of a directory. Each is written beside it, made durable, and then put in its place by a rename. */
import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Directories, makeDirectory, syncDirectoryAsync } from '../directory.ts';
import type { NoteStore } from './port.ts';
import { roomFor } from './room-for.ts';

export class DirectoryNotes implements NoteStore {
  readonly #directory: string;
  /** Where unfinished notes lie: the sweep of uploads removes them. */
  readonly #uploads: string;
  readonly #directories = new Directories();

  constructor(directory: string, uploads: string) {
    this.#directory = directory;
    this.#uploads = uploads;
  }

  async names(): Promise<string[]> {
    return (await unlessMissing(readdir(this.#directory))) ?? [];
  }

  read(name: string): Promise<string | null> {
    return unlessMissing(readFile(this.placeOf(name), 'utf8'));
  }

  async write(name: string, text: string): Promise<void> {
    const partial = join(makeDirectory(this.#uploads), randomUUID());
    this.#directories.make(this.#directory);
    try {
      await writeDurably(partial, text);
      await roomFor(rename(partial, this.placeOf(name)));
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    await syncDirectoryAsync(this.#directory);
  }

  async remove(name: string): Promise<void> {
    if ((await unlessMissing(rm(this.placeOf(name)).then(() => true))) === null) return;
    await syncDirectoryAsync(this.#directory);
  }

  placeOf(name: string): string {
    return join(this.#directory, name);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await roomFor(open(path, 'wx', 0o600));
  try {
    await roomFor(handle.writeFile(text));
    await roomFor(handle.sync());
  } finally {
    await handle.close();
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
