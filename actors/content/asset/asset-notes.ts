/** The metadata of one store's assets, read from its files: all in memory from the first use; a change is in its file before it is seen here. */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { SerialByKey } from '#actors/kit/serial.ts';
import { end } from '../refused.ts';
import type { NoteStore } from '../store.ts';
import { idOfName, noteName, noteText, parseNote, type Note } from './note-file.ts';

interface Kept {
  readonly note: Note;
  readonly bytes: number;
}

const digestsOf = ({ asset, versions }: Note): Set<unknown> =>
  new Set([asset, ...versions].map((one) => one['sha256']));

export class AssetNotes {
  readonly #notes: NoteStore;
  readonly #log: Log;
  readonly #of: object;
  readonly #kept = new Map<string, Kept>();
  /** Sorted. */
  #ids: string[] = [];
  #bytes = 0;
  /** How many assets need the bytes of a digest. */
  readonly #uses = new Map<unknown, number>();
  /** Assets that are being made, which count for the bound. */
  #coming = 0;
  readonly #changes = new SerialByKey();
  #loading: Promise<void> | null = null;
  #damaged = 0;

  constructor(notes: NoteStore, log: Log, of: { readonly tenant: string; readonly store: string }) {
    this.#notes = notes;
    this.#log = log;
    this.#of = of;
  }

  /** Reads the files, once. After a failure the next caller tries again. */
  ready(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    this.#kept.clear();
    this.#uses.clear();
    this.#bytes = 0;
    this.#damaged = 0;
    const names = await this.#notes.names();
    for (let at = 0; at < names.length; at += limits.content.fsFilesRead)
      await Promise.all(names.slice(at, at + limits.content.fsFilesRead).map((name) => this.#read(name)));
    this.#ids = [...this.#kept.keys()].toSorted();
  }

  /** A damaged file is served as no asset; which bytes it needs is unknown, so that the store is swept no more. */
  async #read(name: string): Promise<void> {
    const id = idOfName(name);
    const text = id === null ? '' : await this.#notes.read(name);
    const note = id === null || text === null ? null : parseNote(text, id);
    if (note !== null) this.#keep(note, text!.length);
    else if (text !== null) {
      this.#damaged++;
      this.#log.error(
        { ...this.#of, path: this.#notes.placeOf(name) },
        'a file of the index of assets is damaged: its asset is not served, and bytes of this store are not swept; restore the file from a backup',
      );
    }
  }

  get(id: string): Note | undefined {
    return this.#kept.get(id)?.note;
  }

  /** Ids after the given one, in order. */
  *after(id: string): Generator<string> {
    for (let at = this.#placeOf(id, true); at < this.#ids.length; at++) yield this.#ids[at]!;
  }

  /** All assets at one stretch: only where no caller waits. */
  *all(): Generator<Note> {
    for (const { note } of this.#kept.values()) yield note;
  }

  /** Whether an asset needs the bytes, or may: a damaged file does not say. */
  uses(sha256: string): boolean {
    return this.#damaged > 0 || this.#uses.has(sha256);
  }

  /** Runs the changes of one asset one after the other. */
  inOrder<R>(id: string, change: () => Promise<R>): Promise<R> {
    return this.#changes.run(id, change);
  }

  /** A new asset, durable when the promise resolves. 507 when the store is full. */
  async add(id: string, note: Note): Promise<void> {
    if (this.#kept.size + this.#coming >= limits.content.fsAssetsMax)
      end('content.storage_full', {
        message: `the store has ${limits.content.fsAssetsMax} assets, the most that its index holds`,
      });
    this.#coming++;
    try {
      await this.put(id, note);
    } finally {
      this.#coming--;
    }
  }

  /** An asset as it is now, durable when the promise resolves. 507 when its metadata is too large. */
  async put(id: string, note: Note): Promise<void> {
    const text = noteText(note);
    const { fsAssetBytesMax, fsIndexBytesMax } = limits.content;
    if (text.length > fsAssetBytesMax)
      end('content.storage_full', {
        message: `the metadata of the asset and its versions has more than ${fsAssetBytesMax} characters`,
      });
    if (this.#bytes - (this.#kept.get(id)?.bytes ?? 0) + text.length > fsIndexBytesMax)
      end('content.storage_full', {
        message: `the index of the store has no room for it: ${fsIndexBytesMax} characters`,
      });
    await this.#notes.write(noteName(id), text);
    if (!this.#kept.has(id)) this.#ids.splice(this.#placeOf(id, false), 0, id);
    this.#forget(id);
    this.#keep(note, text.length);
  }

  async remove(id: string): Promise<void> {
    await this.#notes.remove(noteName(id));
    this.#forget(id);
    this.#ids.splice(this.#placeOf(id, false), 1);
  }

  #keep(note: Note, bytes: number): void {
    this.#kept.set(note.asset['id'] as string, { note, bytes });
    this.#bytes += bytes;
    for (const digest of digestsOf(note)) this.#uses.set(digest, (this.#uses.get(digest) ?? 0) + 1);
  }

  #forget(id: string): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    this.#bytes -= kept.bytes;
    for (const digest of digestsOf(kept.note)) {
      const left = this.#uses.get(digest)! - 1;
      if (left === 0) this.#uses.delete(digest);
      else this.#uses.set(digest, left);
    }
  }

  /** The index at which an id stands, or would stand; with `behind` the one after it. */
  #placeOf(id: string, behind: boolean): number {
    let [from, to] = [0, this.#ids.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const before = this.#ids[middle]!;
      if (before < id || (behind && before === id)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
