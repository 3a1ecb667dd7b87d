/**
 * What one tenant uses on its host, in numbers of one object, so that a turn allocates nothing: processor time and calls outside since main
 * asked last, rows and bytes as they are. It outlives activations. Spec: docs/contract/tenants.md §2, §3.
 */
import type { HostUsage, Kept, Quota } from '#actors/protocol/usage.ts';

/** A call would have made the tenant larger than its quota lets it: nothing of its turn is kept. */
export class TenantFull extends Error {
  override readonly name = 'TenantFull';
  readonly quota: Kept;
  readonly limit: number;

  constructor(quota: Kept, limit: number) {
    super(`the quota of ${limit} ${quota} is used up`);
    this.quota = quota;
    this.limit = limit;
  }
}

export class TenantUse {
  #processorMs = 0;
  #outsideCalls = 0;
  /** How many calls outside the quota left when main was told of those before. */
  #outsideLeft = Infinity;
  #rows = 0;
  #bytes = 0;
  /** Whether rows and bytes are known: they are counted when the tenant wakes. */
  #isCounted = false;
  #hasNews = false;
  #rowsMax = Infinity;
  #bytesMax = Infinity;
  #fileBytesMax = Infinity;
  /** Bytes of files in its stores; null while they were not counted. */
  #fileBytes: number | null = null;

  /** The thread, or a job, has worked for the tenant. */
  worked(ms: number): void {
    this.#processorMs += ms;
  }

  /** A call outside is about to be made; false when the quota is used up, and it must not be. */
  callsOutside(): boolean {
    if (this.#outsideCalls >= this.#outsideLeft) return false;
    this.#outsideCalls++;
    return true;
  }

  /** From what `take` gave last, so many calls are left. */
  allowOutside(left: number): void {
    this.#outsideLeft = left;
  }

  bound(quota: Quota | undefined): void {
    this.#rowsMax = quota?.rows ?? Infinity;
    this.#bytesMax = quota?.bytes ?? Infinity;
    this.#fileBytesMax = quota?.file_bytes ?? Infinity;
  }

  /** How many bytes the files of all its stores may take (actors/content/asset/tenant-files.ts); Infinity without a quota. */
  get fileBytesMax(): number {
    return this.#fileBytesMax;
  }

  holdsFiles(bytes: number): void {
    this.#fileBytes = bytes;
    this.#hasNews = true;
  }

  /** So much is stored: when the tenant wakes, and where its counts were mended. */
  counted(rows: number, bytes: number): void {
    this.#rows = rows;
    this.#bytes = bytes;
    this.#isCounted = true;
    this.#hasNews = true;
  }

  /** Throws TenantFull when the tenant would grow beyond a quota. What does not grow is never refused. */
  admit(rows: number, bytes: number): void {
    if (rows > 0 && this.#rows + rows > this.#rowsMax) throw new TenantFull('rows', this.#rowsMax);
    if (bytes > 0 && this.#bytes + bytes > this.#bytesMax) throw new TenantFull('bytes', this.#bytesMax);
  }

  grew(rows: number, bytes: number): void {
    this.#rows += rows;
    this.#bytes += bytes;
    this.#hasNews = true;
  }

  /** What was counted since the last call; null where that is nothing. A part of a millisecond waits for the rest of it. */
  take(tenantNo: number): HostUsage | null {
    const processorMs = Math.floor(this.#processorMs);
    const outsideCalls = this.#outsideCalls;
    if (processorMs === 0 && outsideCalls === 0 && !this.#hasNews) return null;
    this.#processorMs -= processorMs;
    this.#outsideCalls = 0;
    this.#outsideLeft -= outsideCalls;
    this.#hasNews = false;
    const kept = this.#isCounted ? { rows: this.#rows, bytes: this.#bytes } : null;
    return { tenantNo, processorMs, outsideCalls, kept, fileBytes: this.#fileBytes };
  }
}
