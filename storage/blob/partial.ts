/** Files that come in several requests: `<root>/<id>` with its note `<root>/<id>.json`, which is written after the file is there and removed before it. */
import { closeSync, existsSync, openSync } from 'node:fs';
import { open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, syncDirectoryAsync } from '../directory.ts';
import { StorageFull } from '../fault.ts';
import { DirectoryNotes } from './directory-notes.ts';
import type { PartialFiles, PartialWriter } from './port.ts';
import { roomFor } from './room-for.ts';

const READ_BYTES = 64 * 1024;
const NOTE = '.json';

export class DirectoryPartials implements PartialFiles {
  readonly #root: string;
  readonly #notes: DirectoryNotes;
  readonly #admits: (bytes: number) => boolean;

  /** `drafts`: a directory on the same disk for notes that are not whole yet. */
  constructor(root: string, drafts: string, admits: (bytes: number) => boolean) {
    this.#root = root;
    this.#notes = new DirectoryNotes(root, drafts);
    this.#admits = admits;
  }

  async ids(): Promise<string[]> {
    return (await this.#notes.names()).filter((name) => name.endsWith(NOTE)).map((name) => name.slice(0, -NOTE.length));
  }

  note(id: string): Promise<string | null> {
    return this.#notes.read(id + NOTE);
  }

  async keep(id: string, note: string): Promise<void> {
    makeDirectory(this.#root);
    const path = this.#pathOf(id);
    if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
    await this.#notes.write(id + NOTE, note); // syncs the directory, with both names
  }

  async size(id: string): Promise<number> {
    return stat(this.#pathOf(id)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  async append(id: string, from: number): Promise<PartialWriter> {
    const handle = await roomFor(open(this.#pathOf(id), 'r+'));
    try {
      await handle.truncate(from);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new DirectoryWriter(handle, from, this.#admits);
  }

  async *read(id: string): AsyncGenerator<Uint8Array> {
    const handle = await open(this.#pathOf(id), 'r');
    try {
      for (let at = 0; ;) {
        const piece = Buffer.allocUnsafeSlow(READ_BYTES);
        const { bytesRead } = await handle.read(piece, 0, READ_BYTES, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield bytesRead === READ_BYTES ? piece : piece.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  async empty(id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true });
  }

  async remove(id: string): Promise<void> {
    await this.#notes.remove(id + NOTE);
    await this.empty(id);
  }

  async removeUnnoted(): Promise<number> {
    if (!existsSync(this.#root)) return 0;
    const noted = new Set(await this.ids());
    const left = (await readdir(this.#root)).filter((name) => !name.endsWith(NOTE) && !noted.has(name));
    for (const name of left) await rm(join(this.#root, name), { force: true });
    return left.length;
  }

  async erase(): Promise<void> {
    if (!existsSync(this.#root)) return;
    await rm(this.#root, { recursive: true, force: true });
    await syncDirectoryAsync(join(this.#root, '..'));
  }

  #pathOf(id: string): string {
    return join(this.#root, id);
  }
}

class DirectoryWriter implements PartialWriter {
  readonly #handle: FileHandle;
  readonly #admits: (bytes: number) => boolean;
  #at: number;

  constructor(handle: FileHandle, at: number, admits: (bytes: number) => boolean) {
    this.#handle = handle;
    this.#at = at;
    this.#admits = admits;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#admits(bytes.byteLength)) throw new StorageFull('disk');
    for (let done = 0; done < bytes.byteLength;) {
      const { bytesWritten } = await roomFor(this.#handle.write(bytes, done, bytes.byteLength - done, this.#at));
      done += bytesWritten;
      this.#at += bytesWritten;
    }
  }

  async sync(): Promise<void> {
    await roomFor(this.#handle.sync());
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
