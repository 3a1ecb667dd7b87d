/** A directory of real files for the JSONL log. */
import { constants } from 'node:fs';
import { open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { settleDirectory, syncDirectoryAsync } from '../directory.ts';
import type { LogDisk, LogFile } from './disk.ts';
import { OpenFile } from '../open-file.ts';

const FILE_MODE = 0o600;

/** Opens the directory, which is made, durably, when it is not there. */
export function openDirectory(path: string): LogDisk {
  return new Directory(settleDirectory(resolve(path)));
}

class Directory implements LogDisk {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async names(): Promise<readonly string[]> {
    const entries = await readdir(this.#path, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  }

  async size(name: string): Promise<number> {
    return (await stat(join(this.#path, name))).size;
  }

  async read(name: string, position: number, length: number): Promise<Buffer> {
    const handle = await open(join(this.#path, name), 'r');
    try {
      return await readFully(handle, position, length);
    } finally {
      await handle.close();
    }
  }

  async open(name: string): Promise<LogFile> {
    const handle = await open(join(this.#path, name), constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    try {
      await syncDirectoryAsync(this.#path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new OpenFile(handle);
  }

  save(name: string, bytes: Uint8Array): Promise<void> {
    return this.#replace(name, (handle) => handle.writeFile(bytes));
  }

  rewrite(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#replace(name, async (handle) => {
      for await (const piece of pieces) await handle.writeFile(piece);
    });
  }

  async #replace(name: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
    const temporary = join(this.#path, `${name}.tmp`);
    const handle = await open(temporary, 'w', FILE_MODE);
    try {
      await fill(handle);
      await handle.sync();
    } catch (error) {
      await handle.close();
      await rm(temporary, { force: true });
      throw error;
    }
    await handle.close();
    await rename(temporary, join(this.#path, name));
    await syncDirectoryAsync(this.#path);
  }

  async remove(name: string): Promise<void> {
    for (const other of await this.names())
      if (other === name || other.startsWith(`${name}.torn-`)) await rm(join(this.#path, other), { force: true });
    await syncDirectoryAsync(this.#path);
  }
}

async function readFully(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const out = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(out, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return out.subarray(0, done);
}
