/** The files of one tenant as its sets have them, as a store to read from: what a set names lies in the place. */
import { NO_DERIVED } from '#storage/blob/derived.ts';
import { MemoryPartials } from '#storage/blob/memory-partials.ts';
import type { BlobStore, BlobUpload, NoteStore } from '#storage/blob/port.ts';
import type { ListedFile } from '#storage/backup-set/manifest.ts';
import { readPart, type Reading } from '#storage/backup-set/read-part.ts';

/** A file, and the set that it comes out of. */
export interface SetFile {
  readonly file: ListedFile;
  readonly from: Reading;
}

export class SetFiles implements BlobStore {
  readonly notes: NoteStore;
  readonly derived = NO_DERIVED;
  readonly partials = new MemoryPartials();
  readonly #label: string;
  /** By digest. */
  readonly #files: ReadonlyMap<string, SetFile>;

  constructor(label: string, files: ReadonlyMap<string, SetFile>) {
    this.#label = label;
    this.#files = files;
    this.notes = new Notes();
  }

  size(sha256: string): Promise<number | null> {
    return Promise.resolve(this.#files.get(sha256)?.file.bytes ?? null);
  }

  async *read(sha256: string): AsyncGenerator<Uint8Array> {
    const { file, from } = this.#files.get(sha256)!;
    yield* readPart(from, file, this.#label);
  }

  async *digests(): AsyncGenerator<string> {
    for (const sha256 of this.#files.keys()) yield await Promise.resolve(sha256);
  }

  bytes(): Promise<number> {
    return Promise.resolve([...this.#files.values()].reduce((sum, { file }) => sum + file.bytes, 0));
  }

  hold(): () => void {
    return () => undefined;
  }

  begin(): Promise<BlobUpload> {
    return Promise.reject(new Error('sets are only read'));
  }

  sweep(): Promise<number> {
    return Promise.resolve(0);
  }

  erase(): Promise<void> {
    return Promise.reject(new Error('sets are only read'));
  }
}

/** Notes that the rows of a set hold. */
class Notes implements NoteStore {
  readonly #texts = new Map<string, string>();

  names(): Promise<string[]> {
    return Promise.resolve([...this.#texts.keys()]);
  }

  read(name: string): Promise<string | null> {
    return Promise.resolve(this.#texts.get(name) ?? null);
  }

  write(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.#texts.delete(name);
    return Promise.resolve();
  }

  placeOf(name: string): string {
    return name;
  }
}
