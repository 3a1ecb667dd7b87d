/** The segments of one journal: named in the order of their records, prepared ahead, recycled when everyone has passed them. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectoryAsync } from '../directory.ts';
import type { JournalIdentity } from './record.ts';
import { beginSegment, preallocate, SEGMENT_HEAD_BYTES } from './segment.ts';
import type { Segment } from './segment.ts';

/** The first segment is small, so that opening a journal does not wait for tens of megabytes of zeros. */
const FIRST_BYTES = 4 * 1024 * 1024;
const SPARES_MAX = 2;

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
  readonly #full: Full[] = [];
  readonly #spares: string[] = [];
  #preparing: Promise<void> | null = null;
  #sequence = 0;
  #spareCount = 0;

  constructor(directory: string, identity: JournalIdentity, segmentBytes: number) {
    this.#directory = directory;
    this.#identity = identity;
    this.#segmentBytes = segmentBytes;
  }

  first(): Promise<Segment> {
    return this.#create(Math.min(this.#segmentBytes, FIRST_BYTES), 1);
  }

  /** Closes `old` and gives a segment with room for `length` bytes of records, the first of them `number`. */
  async next(old: Segment, length: number, number: number): Promise<Segment> {
    old.close();
    this.#full.push({ path: old.path, bytes: old.bytes, last: old.last });
    const needed = length + SEGMENT_HEAD_BYTES;
    if (needed > this.#segmentBytes) return this.#create(needed, number);
    await this.prepare();
    return this.#begin(this.#spares.pop()!, this.#segmentBytes, number);
  }

  /** Makes one spare when there is none. */
  prepare(): Promise<void> {
    if (this.#spares.length > 0) return Promise.resolve();
    this.#preparing ??= this.#prepareSpare().finally(() => (this.#preparing = null));
    return this.#preparing;
  }

  async #prepareSpare(): Promise<void> {
    const path = this.#sparePath();
    await preallocate(path, this.#segmentBytes);
    this.#spares.push(path);
  }

  async #create(bytes: number, number: number): Promise<Segment> {
    const path = this.#sparePath();
    await preallocate(path, bytes);
    return this.#begin(path, bytes, number);
  }

  /** Head first, name second, both durable before the first record: a named segment is one whose head fits. */
  async #begin(spare: string, bytes: number, first: number): Promise<Segment> {
    const path = join(this.#directory, segmentName(++this.#sequence));
    const segment = await beginSegment(spare, path, bytes, { ...this.#identity, first });
    await rename(spare, path);
    await syncDirectoryAsync(this.#directory);
    return segment;
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
      const spare = bytes === this.#segmentBytes && this.#spares.length < SPARES_MAX ? this.#sparePath() : null;
      await (spare === null ? rm(path) : rename(path, spare));
      await syncDirectoryAsync(this.#directory);
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
