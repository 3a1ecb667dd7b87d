/** One log as the service sees it: records in, each once; records, tiles and proofs out. */
import { limits } from '#config/limits.ts';
import type { IdSource } from '#actors/kit/id.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import type { LogKey } from './key-port.ts';
import type { PersonalData } from './personal.ts';
import { encodeRecord, type EncodedRecord } from './record.ts';
import { HashReader, TILE_WIDTH, readBundle, tilePath, tileWidth } from './store.ts';
import type { Durability, Fate, LogFiles, LogRefused, SegmentLog, SignedHead } from './store.ts';

/** The last number of each source that is in a log. */
export type Sources = Map<string, number>;

/** Records the number of a recovered record. */
export function followSource(sources: Sources, entry: Buffer): void {
  const { source, source_seq } = JSON.parse(entry.toString()) as Partial<AuditEvent>;
  if (typeof source === 'string' && typeof source_seq === 'number') advance(sources, source, source_seq);
}

function advance(sources: Sources, source: string, number: number): void {
  if (number > (sources.get(source) ?? 0)) sources.set(source, number);
}

export interface Appended {
  readonly fate: Fate;
  /** Index of the first record that is new; null when every one was in the log already. */
  readonly index: number | null;
  /** How many are new. */
  readonly count: number;
}

/** The backend of a log: its writer, or only its files where it must not be written. */
export type LogHands = Pick<
  SegmentLog,
  'files' | 'head' | 'isFull' | 'lost' | 'next' | 'append' | 'published' | 'seal' | 'close' | 'abandon'
>;

/** The backend of a log that must not be written: it serves the last published state. */
export function refusedHands(files: LogFiles, head: SignedHead | undefined, refused: LogRefused): LogHands {
  const no = (): Promise<never> => Promise.reject(refused);
  const done = (): Promise<void> => Promise.resolve();
  const dead = { isFull: true, lost: 0, next: head?.size ?? 0 };
  return { files, head, ...dead, append: no, published: no, seal: no, close: done, abandon: done };
}

export class AuditLog {
  readonly id: string;
  readonly tenant: string;
  readonly origin: string;
  readonly key: LogKey;
  readonly durability: Durability;
  readonly personal: PersonalData;
  readonly #files: LogFiles;
  readonly #log: LogHands;
  /** Numbers of records in the tree: a signed head may report only these. */
  readonly #grown: Sources;
  /** Numbers of these and of records being written: each number is accepted once. */
  readonly #sources: Sources;
  readonly #ids: IdSource;
  readonly #keep: ((files: readonly (readonly [path: string, bytes: Uint8Array])[]) => Promise<void>) | null;
  /** The newest write: a repetition is acknowledged only after it has ended. */
  #newest: Promise<Fate> = Promise.resolve('kept');

  constructor(parts: {
    readonly id: string;
    readonly tenant: string;
    readonly origin: string;
    readonly key: LogKey;
    readonly durability: Durability;
    readonly log: LogHands;
    readonly sources: Sources;
    readonly ids: IdSource;
    readonly personal: PersonalData;
    /** Keeps data that is too large for a record where its record will be; null where that is here alone. */
    readonly keep?: ((files: readonly (readonly [path: string, bytes: Uint8Array])[]) => Promise<void>) | null;
  }) {
    this.id = parts.id;
    this.tenant = parts.tenant;
    this.origin = parts.origin;
    this.key = parts.key;
    this.durability = parts.durability;
    this.#log = parts.log;
    this.#files = parts.log.files;
    this.#grown = parts.sources;
    this.#sources = new Map(parts.sources);
    this.#ids = parts.ids;
    this.personal = parts.personal;
    this.#keep = parts.keep ?? null;
  }

  get head(): SignedHead | undefined {
    return this.#log.head;
  }

  get isFull(): boolean {
    return this.#log.isFull;
  }

  get lost(): number {
    return this.#log.lost;
  }

  /** Accepted records that no checkpoint covers yet. */
  get unsigned(): number {
    return Math.max(0, this.#log.next - (this.head?.size ?? 0));
  }

  lastOf(source: string): number {
    return this.#sources.get(source) ?? 0;
  }

  /** Whether there is room for the numbers of all these sources. */
  remembers(events: readonly AuditEvent[]): boolean {
    const strangers = new Set(events.map(({ source }) => source).filter((source) => !this.#sources.has(source)));
    return this.#sources.size + strangers.size <= limits.audit.sourcesMax;
  }

  /** Appends the events whose number its source has not had here; resolves as the durability says. */
  async append(events: readonly AuditEvent[], durability: Durability = this.durability): Promise<Appended> {
    for (const saved = new Set<string>(); ;) {
      // No await between here and the append: the indexes must match those that the log assigns.
      const fresh = this.#fresh(events);
      if (fresh.length === 0) return { fate: await this.#newest, index: null, count: 0 };
      const unkept = fresh.flatMap(({ personal }) =>
        personal === undefined || this.personal.hashOf(personal) !== null ? [] : [personal],
      );
      if (unkept.length > 0) {
        // Personal data is on the disk before the record that holds its hash.
        await this.personal.keep(unkept);
        continue;
      }
      const index = this.#log.next;
      const encoded = fresh.map((event, at) => this.#encode(event, index + at));
      const large = encoded.flatMap(({ blob }) => (blob === null || saved.has(blob.sha256) ? [] : [blob]));
      if (large.length === 0) return this.#write(fresh, encoded, index, durability);
      // Data that is too large for a record is on the disk before the record.
      const files = large.map(({ sha256, text }) => [`blob/${sha256}`, Buffer.from(text)] as const);
      await this.#keep?.(files);
      await this.#files.save(files);
      for (const { sha256 } of large) saved.add(sha256);
    }
  }

  async #write(
    fresh: readonly AuditEvent[],
    encoded: readonly EncodedRecord[],
    index: number,
    durability: Durability,
  ): Promise<Appended> {
    const before = fresh.map(({ source }) => [source, this.lastOf(source)] as const);
    for (const { source, source_seq } of fresh) this.#sources.set(source, source_seq);
    this.#newest = this.#log.append(
      encoded.map(({ entry }) => entry),
      durability,
      () => {
        for (const { source, source_seq } of fresh) advance(this.#grown, source, source_seq);
      },
    );
    const fate = await this.#newest;
    if (fate === 'full') this.#giveBack(before);
    return { fate, index, count: fresh.length };
  }

  /** Forgets the numbers of shed records, so that a retry is not taken for a repetition; records shed after them are already gone. */
  #giveBack(before: readonly (readonly [source: string, last: number])[]): void {
    for (const [source, last] of before) if (last < this.lastOf(source)) this.#sources.set(source, last);
  }

  #fresh(events: readonly AuditEvent[]): AuditEvent[] {
    const last = new Map<string, number>();
    return events.filter(({ source, source_seq }) => {
      if (source_seq <= (last.get(source) ?? this.lastOf(source))) return false;
      last.set(source, source_seq);
      return true;
    });
  }

  #encode(event: AuditEvent, seq: number) {
    const personal = event.personal === undefined ? null : this.personal.hashOf(event.personal);
    return encodeRecord(event, { id: this.#ids.next(), seq, tenant: this.tenant, personal });
  }

  /** Resolves when a checkpoint covers the first `size` records. */
  published(size: number): Promise<void> {
    return this.#log.published(size);
  }

  seal(): Promise<void> {
    return this.#log.seal();
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  /** Closes the log without signing more. */
  abandon(): Promise<void> {
    return this.#log.abandon();
  }

  read(path: string): Promise<Buffer | null> {
    return this.#files.read(path);
  }

  get files(): LogFiles {
    return this.#files;
  }

  hashes(size: number): HashReader {
    return new HashReader((path) => this.#files.read(path), size);
  }

  /** Up to `count` signed records from `from` on, as they stand in the log. */
  async records(from: number, count: number): Promise<Buffer[]> {
    const size = this.head?.size ?? 0;
    const end = Math.min(size, from + count);
    const found: Buffer[] = [];
    for (let at = from; at < end;) {
      const entries = await this.#bundle(Math.floor(at / TILE_WIDTH), size);
      if (entries === null) break; // pruned
      const stop = Math.min(end, (Math.floor(at / TILE_WIDTH) + 1) * TILE_WIDTH);
      for (; at < stop; at++) found.push(Buffer.from(entries[at % TILE_WIDTH]!));
    }
    return found;
  }

  async #bundle(index: number, size: number): Promise<Uint8Array[] | null> {
    const width = tileWidth({ level: 'entries', index }, size);
    const bytes =
      (await this.#files.read(tilePath({ level: 'entries', index, width }))) ??
      (await this.#files.read(tilePath({ level: 'entries', index, width: TILE_WIDTH })));
    return bytes === null ? null : readBundle(bytes);
  }

  /** Everything that proves one record to be in the log to any holder of the public key. */
  async proof(index: number) {
    const { size, note } = this.head!;
    const [entry] = await this.records(index, 1);
    const hashes = await this.hashes(size).inclusion(index);
    const proof = hashes.map((hash) => Buffer.from(hash).toString('base64'));
    return { log_id: this.id, index, entry: entry?.toString() ?? '', proof, checkpoint: note };
  }
}
