/**
 * The directory of one log. `openFiles` works on real files; a test's twin fails, is full or stops where the test says. A file that never changes again may lie packed (`packed.ts`), under its name and
 * `.gz`: callers name it as before and read what was written. Where both are there, since a process ended while it packed, the plain one counts.
 */
import { constants } from 'node:fs';
import { chmod, open, readFile, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Directories, settleDirectory, syncDirectoryAsync } from '../directory.ts';
import { OpenFile } from '../open-file.ts';
import { packFile, readPacked } from './pack-file.ts';
import { PACKED } from './packed.ts';

export interface SegmentFile {
  /** Writes all of `bytes` at `position`; a rejection may leave part of them. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Everything written so far, and the file's length, are on the disk when it resolves. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Paths are relative, with `/`. */
export interface LogFiles {
  /** Names in a directory, of packed files as they were; none when it is not there. */
  names(directory: string): Promise<string[]>;
  /** The whole file, or null when it is not there. */
  read(path: string): Promise<Buffer | null>;
  /** Bytes on the disk. Rejects where there is no such file. */
  size(path: string): Promise<number>;
  /** Opens for writing; a file that is not there is made, and its name is durable when this resolves. */
  open(path: string): Promise<SegmentFile>;
  /** Replaces files whole and durably; a crash leaves old and new ones side by side, but no torn one. */
  save(files: readonly (readonly [path: string, bytes: Uint8Array])[]): Promise<void>;
  /** Takes a sealed file's write permission. */
  protect(path: string): Promise<void>;
  /**
   * Packs a file of `bytesMin` bytes at least that nothing writes any more, durably; `breath` is called between two pieces, and ends the work by rejecting. `before`: it
   * was packed already. `not`: it is smaller, or gone; a file that is removed meanwhile stays removed.
   */
  pack(path: string, bytesMin: number, breath: () => Promise<void>): Promise<'packed' | 'before' | 'not'>;
  /** Removes a file or a directory with what it holds. */
  remove(path: string): Promise<void>;
}

const FILE_MODE = 0o600;
const SEALED_MODE = 0o400;

/** The files under a directory, which is made when it is not there. */
export function openFiles(root: string): LogFiles {
  return new Files(settleDirectory(resolve(root)));
}

/** The files of a log, for reading only. */
export type ReadOnlyFiles = Pick<LogFiles, 'names' | 'read' | 'size'>;

export function readOnlyFiles(root: string): ReadOnlyFiles {
  return new Files(resolve(root));
}

/** A file that is being packed. `isOver`: it is to be removed. */
interface Packing {
  isOver: boolean;
  end: Promise<unknown>;
}

class Removed extends Error {}

class Files implements LogFiles {
  readonly #root: string;
  readonly #directories = new Directories();
  readonly #packing = new Map<string, Packing>();

  constructor(root: string) {
    this.#root = root;
  }

  #path(path: string): string {
    return join(this.#root, path);
  }

  async names(directory: string): Promise<string[]> {
    const names = (await orNull(readdir(this.#path(directory)))) ?? [];
    return [...new Set(names.map((name) => (name.endsWith(PACKED) ? name.slice(0, -PACKED.length) : name)))];
  }

  async read(path: string): Promise<Buffer | null> {
    const full = this.#path(path);
    return (await orNull(readFile(full))) ?? (await readPacked(full));
  }

  async size(path: string): Promise<number> {
    const full = this.#path(path);
    return ((await orNull(stat(full))) ?? (await stat(full + PACKED))).size;
  }

  async pack(path: string, bytesMin: number, breath: () => Promise<void>): Promise<'packed' | 'before' | 'not'> {
    const packing: Packing = { isOver: false, end: Promise.resolve() };
    const end = this.#pack(path, bytesMin, async () => {
      await breath();
      if (packing.isOver) throw new Removed();
    });
    packing.end = end.catch(() => undefined);
    this.#packing.set(path, packing);
    try {
      return await end;
    } catch (error) {
      if (error instanceof Removed) return 'not';
      throw error;
    } finally {
      this.#packing.delete(path);
    }
  }

  async #pack(path: string, bytesMin: number, breath: () => Promise<void>): Promise<'packed' | 'before' | 'not'> {
    const full = this.#path(path);
    const there = await orNull(stat(full));
    if (there === null) return (await orNull(stat(full + PACKED))) === null ? 'not' : 'before';
    if (there.size < bytesMin) return 'not';
    await packFile(full, SEALED_MODE, breath);
    await syncDirectoryAsync(dirname(full));
    if (await removed(full)) return 'packed';
    await rm(full + PACKED, { force: true }); // it was removed from outside
    return 'not';
  }

  async open(path: string): Promise<SegmentFile> {
    const full = this.#path(path);
    const directory = this.#directories.make(dirname(full));
    const handle = await open(full, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    try {
      await syncDirectoryAsync(directory);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new OpenFile(handle);
  }

  /** All contents first, then all names, then every directory once. */
  async save(files: readonly (readonly [path: string, bytes: Uint8Array])[]): Promise<void> {
    const directories = new Set(files.map(([path]) => this.#directories.make(dirname(this.#path(path)))));
    await Promise.all(files.map(([path, bytes]) => writeDurably(`${this.#path(path)}.tmp`, bytes)));
    for (const [path] of files) await rename(`${this.#path(path)}.tmp`, this.#path(path));
    await Promise.all([...directories].map((directory) => syncDirectoryAsync(directory)));
  }

  protect(path: string): Promise<void> {
    return chmod(this.#path(path), SEALED_MODE);
  }

  async remove(path: string): Promise<void> {
    const packing = this.#packing.get(path);
    if (packing !== undefined) {
      packing.isOver = true;
      await packing.end;
    }
    await rm(this.#path(path), { recursive: true, force: true });
    await rm(this.#path(path) + PACKED, { force: true });
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'w', FILE_MODE);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null;
    throw error;
  }
}

/** Whether there was one. */
async function removed(path: string): Promise<boolean> {
  return (await orNull(unlink(path).then(() => true))) ?? false;
}
