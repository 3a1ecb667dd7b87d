/**
 * Uploads of a store that come in several requests: what is known of each, in memory while the tenant is awake, and in notes beside the bytes. A crash keeps all that
 * was acknowledged.
 */
import { limits } from '#config/limits.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { PartialFiles } from '../store.ts';
import { parseUploadNote, uploadNoteText, type UploadNote } from './upload-note.ts';

export interface Upload {
  readonly id: string;
  note: UploadNote;
  /** Bytes that are there and durable. */
  offset: number;
  /** A request sends bytes of it. */
  isBusy: boolean;
  /** Set while the asset is being made. */
  ending: Promise<void> | null;
}

export class Uploads {
  readonly #files: PartialFiles;
  readonly #onDamaged: (id: string) => void;
  readonly #entries = new Map<string, Upload>();
  readonly #begins = new Serial();
  #loaded: Promise<void> | null = null;

  /** `onDamaged` hears of each note that cannot be trusted: its upload is served no more, and its files stay. */
  constructor(files: PartialFiles, onDamaged: (id: string) => void = () => undefined) {
    this.#files = files;
    this.#onDamaged = onDamaged;
  }

  get files(): PartialFiles {
    return this.#files;
  }

  /** Null where there is none, or its time is up. */
  async get(id: string, nowMs: number): Promise<Upload | null> {
    await this.#ready();
    const upload = this.#entries.get(id) ?? null;
    return upload === null || upload.note.endsAtMs <= nowMs ? null : upload;
  }

  /** Bytes that uploads under way may still become. */
  async reserved(): Promise<number> {
    await this.#ready();
    return this.#open().reduce((sum, { note, ending }) => sum + (ending === null ? note.length : 0), 0);
  }

  /**
   * Null when the upload is begun: not where too many are under way, nor where `roomFor`, which is asked in between, names a quota that is full. One after
   * the other, so that none is counted too late.
   */
  begin(
    id: string,
    note: UploadNote,
    roomFor: () => Promise<string | null>,
  ): Promise<'many' | { readonly full: string } | null> {
    return this.#begins.run(async () => {
      await this.#ready();
      const open = this.#open();
      const own = open.filter(({ note: { owner } }) => owner === note.owner);
      if (open.length >= limits.content.uploadsOpenMax || own.length >= limits.content.uploadsOpenOfCallerMax)
        return 'many';
      const full = await roomFor();
      if (full !== null) return { full };
      await this.#files.keep(id, uploadNoteText(note));
      this.#entries.set(id, { id, note, offset: 0, isBusy: false, ending: null });
      return null;
    });
  }

  /** Its asset is there: the bytes go, and what is known of it stays for a while, for a caller that did not hear of it. */
  async done(upload: Upload, nowMs: number): Promise<void> {
    const note = { ...upload.note, isDone: true, endsAtMs: nowMs + limits.content.uploadEndedMs };
    await this.#files.keep(upload.id, uploadNoteText(note));
    upload.note = note;
    await this.#files.empty(upload.id);
  }

  /** Bytes from here on do not count, also after a crash, until `null` is said. */
  async hold(upload: Upload, at: number | null): Promise<void> {
    const note = { ...upload.note, heldAt: at ?? undefined };
    await this.#files.keep(upload.id, uploadNoteText(note));
    upload.note = note;
  }

  /** Those of one caller, whatever they are about. */
  async removeOf(owner: string): Promise<void> {
    await this.#ready();
    for (const upload of this.#entries.values()) if (upload.note.owner === owner) await this.remove(upload);
  }

  async remove({ id }: Upload): Promise<void> {
    this.#entries.delete(id);
    await this.#files.remove(id);
  }

  /** Ends uploads whose time is up, and forgets the oldest that are done where there are very many. */
  async endOld(nowMs: number): Promise<void> {
    await this.#ready();
    const idle = [...this.#entries.values()].filter(({ isBusy, ending }) => !isBusy && ending === null);
    const old = idle.filter(({ note }) => note.endsAtMs <= nowMs);
    const done = idle.filter((one) => one.note.isDone && !old.includes(one));
    done.sort((a, b) => a.note.endsAtMs - b.note.endsAtMs);
    const many = done.slice(0, Math.max(0, done.length - limits.content.uploadsEndedMax));
    for (const upload of [...old, ...many]) await this.remove(upload);
  }

  #open(): Upload[] {
    return [...this.#entries.values()].filter(({ note }) => !note.isDone);
  }

  #ready(): Promise<void> {
    return (this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = null;
      throw error;
    }));
  }

  async #load(): Promise<void> {
    await this.#files.removeUnnoted();
    for (const id of await this.#files.ids()) {
      const text = await this.#files.note(id);
      if (text === null) continue;
      const note = parseUploadNote(text);
      if (note === null) {
        this.#onDamaged(id);
        continue;
      }
      const size = Math.min(note.length, note.heldAt ?? note.length, await this.#files.size(id));
      const offset = note.isDone ? note.length : size;
      this.#entries.set(id, { id, note, offset, isBusy: false, ending: null });
    }
  }
}
