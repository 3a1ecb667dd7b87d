/** The segments of one journal: named in the order of their records, prepared ahead, recycled when LMDB holds all of their records. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { whenDescriptors } from '../descriptors.ts';
import { syncDirectoryAsync } from '../directory.ts';
import { hasNoRoom } from '../fault.ts';
import { keepSegment } from './kept.ts';
import type { JournalIdentity } from './record.ts';
import { beginSegment, preallocate, SEGMENT_HEAD_BYTES, type Segment } from './segment.ts';

/** The first segment is small, so that opening a journal does not wait for tens of megabytes of zeros. */
const FIRST_BYTES = 4 * 1024 * 1024;
const SPARES_MAX = 2;
/** Where a disk has no room for a whole segment, one of this size is made; at the last, one as large as what it must hold. */
const SMALL_BYTES = 1024 * 1024;

interface Full {
  readonly path: string;
  readonly bytes: number;
  readonly last: number;
}

function segmentName(sequence: number): string {
  return `${String(sequence).padStart(10, '0')}.segment`;
}

export class Segments {
  readonly #directory: string;
  readonly #identity: JournalIdentity;
  readonly #segmentBytes: number;
  readonly #hasRoomFor: (bytes: number) => boolean;
  readonly #keeps: boolean;
  readonly #full: Full[] = [];
  readonly #spares: string[] = [];
  #preparing: Promise<void> | null = null;
  #sequence = 0;
  #spareCount = 0;

  /** `hasRoomFor`: whether the disk takes so much more that is made ahead; `keeps`: whether segments wait for their copy (kept.ts). */
  constructor(
    directory: string,
    identity: JournalIdentity,
    segmentBytes: number,
    hasRoomFor: (bytes: number) => boolean = () => true,
    keeps = false,
  ) {
    this.#directory = directory;
    this.#identity = identity;
    this.#segmentBytes = segmentBytes;
    this.#hasRoomFor = hasRoomFor;
    this.#keeps = keeps;
  }

  first(): Promise<Segment> {
    const bytes = Math.min(this.#segmentBytes, FIRST_BYTES);
    const small = Math.min(bytes, SMALL_BYTES / 4);
    return this.#create(this.#hasRoomFor(bytes) ? [bytes, small] : [small], 1);
  }

  /** Closes `old` and gives a segment with room for `length` bytes of records, the first of them `number`. */
  async next(old: Segment, length: number, number: number): Promise<Segment> {
    old.close();
    this.#full.push({ path: old.path, bytes: old.bytes, last: old.last });
    const needed = length + SEGMENT_HEAD_BYTES;
    if (needed > this.#segmentBytes) return this.#create([needed], number);
    await this.prepare();
    const spare = this.#spares.pop();
    if (spare !== undefined) return this.#begin(spare, this.#segmentBytes, number);
    return this.#create([Math.max(needed, Math.min(this.#segmentBytes, SMALL_BYTES)), needed], number);
  }

  /** Makes one spare when there is none and the disk has room: what is made ahead must not take what is needed now. */
  prepare(): Promise<void> {
    if (this.#spares.length > 0 || (this.#preparing === null && !this.#hasRoomFor(this.#segmentBytes)))
      return Promise.resolve();
    this.#preparing ??= this.#prepareSpare().finally(() => (this.#preparing = null));
    return this.#preparing;
  }

  async #prepareSpare(): Promise<void> {
    const path = await this.#allocate(this.#segmentBytes);
    if (path !== null) this.#spares.push(path);
  }

  /** A file of the first of these sizes for which there is room. Throws where there is none for the last. */
  async #create(sizes: readonly number[], number: number): Promise<Segment> {
    for (const bytes of sizes) {
      const path = await this.#allocate(bytes);
      if (path !== null) return this.#begin(path, bytes, number);
    }
    throw new Error(`no room on the disk for a journal segment of ${sizes.at(-1)} bytes`);
  }

  /** Null where the disk is full. */
  async #allocate(bytes: number): Promise<string | null> {
    const path = this.#sparePath();
    try {
      await whenDescriptors(() => preallocate(path, bytes));
      return path;
    } catch (error) {
      if (!hasNoRoom(error)) throw error;
      await rm(path, { force: true });
      return null;
    }
  }

  /** Head first, name second, both durable before the first record: a named segment is one whose head fits. */
  async #begin(spare: string, bytes: number, first: number): Promise<Segment> {
    const path = join(this.#directory, segmentName(++this.#sequence));
    const segment = await whenDescriptors(() => beginSegment(spare, path, bytes, { ...this.#identity, first }));
    await rename(spare, path);
    await this.#syncNames();
    return segment;
  }

  #syncNames(): Promise<void> {
    return whenDescriptors(() => syncDirectoryAsync(this.#directory));
  }

  #sparePath(): string {
    return join(this.#directory, `${++this.#spareCount}.spare`);
  }

  /**
   * Lets go of the segments whose records are all in LMDB: up to number `floor`. Each step is durable before the next, so
   * that no crash leaves a hole, and before a spare's head changes, so that no crash leaves the new head under the old name.
   */
  async retire(floor: number): Promise<void> {
    while (this.retirable(floor)) {
      const { path, bytes } = this.#full.shift()!;
      const again = !this.#keeps && bytes === this.#segmentBytes && this.#spares.length < SPARES_MAX;
      const spare = again ? this.#sparePath() : null;
      if (this.#keeps) await keepSegment(path);
      else await (spare === null ? rm(path) : rename(path, spare));
      await this.#syncNames();
      if (spare !== null) this.#spares.push(spare);
    }
  }

  retirable(floor: number): boolean {
    return this.#full.length > 0 && this.#full[0]!.last <= floor;
  }

  get count(): number {
    return this.#full.length + 1;
  }

  /** Waits for the spare in preparation. */
  async settled(): Promise<void> {
    await this.#preparing;
  }
}
