/** Files that come in several requests, in maps: for behaviour tests, and for stores that are only read. */
import type { PartialFiles, PartialWriter } from './port.ts';

export class MemoryPartials implements PartialFiles {
  readonly #notes = new Map<string, string>();
  readonly #files = new Map<string, Buffer>();

  ids(): Promise<string[]> {
    return Promise.resolve([...this.#notes.keys()]);
  }

  note(id: string): Promise<string | null> {
    return Promise.resolve(this.#notes.get(id) ?? null);
  }

  async keep(id: string, note: string): Promise<void> {
    if (!this.#files.has(id)) this.#files.set(id, Buffer.alloc(0));
    this.#notes.set(id, note);
  }

  size(id: string): Promise<number> {
    return Promise.resolve(this.#files.get(id)?.length ?? 0);
  }

  append(id: string, from: number): Promise<PartialWriter> {
    const file = this.#files.get(id);
    if (file === undefined) return Promise.reject(new Error(`no partial file ${id}`));
    this.#files.set(id, file.subarray(0, from));
    return Promise.resolve({
      write: async (bytes) => void this.#files.set(id, Buffer.concat([this.#files.get(id)!, bytes])),
      sync: async () => undefined,
      close: async () => undefined,
    });
  }

  async *read(id: string): AsyncGenerator<Uint8Array> {
    const file = this.#files.get(id);
    if (file !== undefined && file.length > 0) yield new Uint8Array(file);
  }

  async empty(id: string): Promise<void> {
    this.#files.delete(id);
  }

  async remove(id: string): Promise<void> {
    this.#notes.delete(id);
    this.#files.delete(id);
  }

  async removeUnnoted(): Promise<number> {
    const left = [...this.#files.keys()].filter((id) => !this.#notes.has(id));
    for (const id of left) this.#files.delete(id);
    return left.length;
  }

  async erase(): Promise<void> {
    this.#notes.clear();
    this.#files.clear();
  }
}
