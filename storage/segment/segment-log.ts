/** One audit log on the disk, open for writing by this process alone. */
import { limits } from '#config/limits.ts';
import { isFull } from '#storage/log/disk.ts';
import { DirectoryHeld, lockDirectory, type DirectoryLock } from '../lock.ts';
import { Appender, type Durability, type Fate, type SegmentBounds } from './appender.ts';
import { openFiles, type LogFiles } from './files.ts';
import type { Growth } from './growth.ts';
import type { HeadStore, SignedHead } from './head-store.ts';
import type { Verifier, VerifyBytes } from './note.ts';
import { segmentPath } from './manifest.ts';
import { Packer } from './packer.ts';
import { Publisher, type Signer } from './publisher.ts';
import { recover, type OpenSegment, type Recovered, type TornTail } from './recover.ts';
import { LogRefused } from './refused.ts';

export interface SegmentLogOptions {
  readonly logId: string;
  readonly directory: string;
  readonly origin: string;
  readonly verifier: Verifier;
  readonly verify: VerifyBytes;
  readonly signer: Signer;
  readonly heads: HeadStore;
  readonly bounds: SegmentBounds;
  /** How long a segment stays open after its first record. */
  readonly sealMs: number;
  readonly after: (ms: number, run: () => void) => () => void;
  /** Each entry that no manifest covers, when the log is opened. */
  readonly each: (entry: Buffer, index: number) => void;
  readonly memo: () => Readonly<Record<string, number>>;
  /** The process must end: it is unknown what is on the disk. */
  readonly onFatal: (error: Error) => void;
  /** A checkpoint could not be published for want of room; it is tried again. */
  readonly onNoRoom: (error: Error) => void;
  /** A file of a sealed segment could not be packed, and stays as it is. */
  readonly onUnpacked: (error: Error) => void;
  /** May refuse by throwing, before a byte is changed: a witness may have seen a newer log than this disk holds. */
  readonly judge?: (head: SignedHead | undefined, files: LogFiles, tree: Growth) => Promise<void>;
  /** Has entries kept elsewhere before they are written here (`Appender`). */
  readonly secure?: ((first: number, entries: readonly Uint8Array[]) => Promise<void>) | undefined;
  /** Other files than the directory's (tests). */
  readonly files?: LogFiles;
}

/** Locks and recovers a log. Throws LogRefused when it must not be written; its files are then as they were. */
export async function openSegmentLog(options: SegmentLogOptions): Promise<SegmentLog> {
  const files = options.files ?? openFiles(options.directory);
  const lock = await lockLog(options.directory);
  try {
    const head = options.heads.get(options.logId);
    const recovered = await recover({ ...options, files, head });
    await options.judge?.(head, files, recovered.growth);
    if (recovered.torn !== null) await cut(files, recovered.torn);
    else await makeDurable(files, recovered.unsealed.at(-1));
    const log = new SegmentLog(options, files, lock, recovered, head);
    if (recovered.unsigned) await log.resign();
    else if (recovered.unpublished) await log.republish();
    log.resumePacking();
    return log;
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function lockLog(directory: string): Promise<DirectoryLock> {
  try {
    return await lockDirectory(directory);
  } catch (error) {
    if (!(error instanceof DirectoryHeld)) throw error;
    throw new LogRefused('held', error.message);
  }
}

/** The torn bytes were never acknowledged, but a caller sent them: they are kept in a file of their own. */
async function cut(files: LogFiles, { path, start, bytes }: TornTail): Promise<void> {
  await files.save([[`${path}.torn-${start}`, bytes]]);
  const file = await files.open(path);
  await file.truncate(start);
  await file.sync();
  await file.close();
}

/**
 * A writer that was killed may have left lines that only the kernel has. From now on they count as taken, for a repetition of their events is acknowledged,
 * and they are signed: a loss of power must not take them away. Segments before the last ended when they were durable.
 */
async function makeDurable(files: LogFiles, last: OpenSegment | undefined): Promise<void> {
  if (last === undefined || last.bytes === 0) return;
  const file = await files.open(segmentPath(last.first));
  await file.sync();
  await file.close();
}

const nothing = (): void => undefined;

export class SegmentLog {
  readonly files: LogFiles;
  /** What was cut off when the log was opened. */
  readonly torn: TornTail | null;
  readonly #options: SegmentLogOptions;
  readonly #lock: DirectoryLock;
  readonly #appender: Appender;
  readonly #publisher: Publisher;
  readonly #packer: Packer;
  readonly #growth: Recovered['growth'];
  #publishing: Promise<void> | null = null;
  #publishLater: (() => void) | null = null;
  #sealLater: (() => void) | null = null;
  #waiting: { readonly size: number; readonly resume: () => void }[] = [];
  #closed = false;
  #isReleased = false;
  /** Records since the last breath of the packer. */
  #hasTaken = false;

  constructor(
    options: SegmentLogOptions,
    files: LogFiles,
    lock: DirectoryLock,
    recovered: Recovered,
    head: SignedHead | undefined,
  ) {
    this.#options = options;
    this.files = files;
    this.torn = recovered.torn;
    this.#lock = lock;
    this.#growth = recovered.growth;
    const last = recovered.unsealed.at(-1) ?? null;
    const breath = (): Promise<void> => this.#breath();
    this.#packer = new Packer({ files, breath, onFailed: options.onUnpacked });
    const onSealed = (segment: OpenSegment): void => this.#packer.add(segment);
    this.#publisher = new Publisher(
      { ...options, files, growth: recovered.growth, onSealed },
      head,
      recovered.unsealed.slice(0, -1),
    );
    this.#appender = new Appender(
      {
        files,
        growth: recovered.growth,
        bounds: options.bounds,
        after: options.after,
        secure: options.secure,
        onGrown: () => this.#grown(),
        onEnded: (segment) => this.#publisher.ended(segment),
        onFatal: (error) => options.onFatal(error),
      },
      last,
    );
    if (this.#publisher.isBehind) this.#grown();
    if (last !== null && last.size > last.first) this.#sealInTime();
  }

  /** The index that the next entry gets. */
  get next(): number {
    return this.#appender.next;
  }

  get isFull(): boolean {
    return this.#appender.isFull;
  }

  /** Entries that were acknowledged before they were written, and could not be. */
  get lost(): number {
    return this.#appender.lost;
  }

  /** The newest signed tree head. */
  get head(): SignedHead | undefined {
    return this.#publisher.head;
  }

  /** Appends entries (each at most 65,535 bytes) at `next`; resolves as their durability says. `grown` runs when they join the tree: from then on the publisher's memo may name them. */
  append(entries: readonly Uint8Array[], durability: Durability, grown: () => void = nothing): Promise<Fate> {
    this.#sealInTime();
    this.#hasTaken = true;
    return this.#appender.push(entries, durability, grown);
  }

  /** Resolves when a checkpoint covers the first `size` entries. */
  published(size: number): Promise<void> {
    if ((this.head?.size ?? 0) >= size) return Promise.resolve();
    return new Promise((resume) => {
      this.#waiting.push({ size, resume });
      this.#publishSoon(0);
    });
  }

  /** Seals the open segment, with a checkpoint at its end. */
  async seal(): Promise<void> {
    await this.#appender.endSegment();
    await this.#publishNow();
  }

  republish(): Promise<void> {
    return this.#publisher.republish();
  }

  /** Signs what was signed last with the present key: the one before it counts no more. */
  resign(): Promise<void> {
    return this.#publisher.resign();
  }

  /** Between two pieces that are packed: a while where records came meanwhile, so that those that write them keep the processor. */
  #breath(): Promise<void> {
    const ms = this.#hasTaken ? limits.audit.packRestMs : 0;
    this.#hasTaken = false;
    return new Promise((resume) => void this.#options.after(ms, resume));
  }

  /** What an earlier process has not packed. */
  resumePacking(): void {
    this.#packer.resume();
  }

  /** Everything taken is durable and covered by a checkpoint; the log is free for others. */
  async close(): Promise<void> {
    this.#retire();
    await this.#appender.settle();
    await this.#publishNow();
    await this.#packer.stop();
    await this.#appender.close();
    this.#release();
  }

  /** As `close`, but without signing anything more: the log cannot be trusted. */
  async abandon(): Promise<void> {
    this.#retire();
    await this.#publishing;
    await this.#packer.stop();
    await this.#appender.close();
    this.#release();
    for (const { resume } of this.#waiting) resume(); // each compares the head with its size and sees that it is too small
  }

  /** Once: its descriptor may be another file's afterwards. */
  #release(): void {
    if (!this.#isReleased) this.#lock.release();
    this.#isReleased = true;
  }

  #retire(): void {
    this.#closed = true;
    this.#publishLater?.();
    this.#sealLater?.();
  }

  #grown(): void {
    const wanted = this.#waiting.some(({ size }) => size <= this.#growth.size);
    this.#publishSoon(wanted ? 0 : limits.audit.checkpointMs);
  }

  #publishSoon(ms: number): void {
    if (this.#closed) return;
    if (ms > 0 && (this.#publishLater !== null || this.#publishing !== null)) return;
    this.#publishLater?.();
    this.#publishLater = this.#options.after(ms, () => {
      this.#publishLater = null;
      void this.#publishNow();
    });
  }

  /** One at a time; a request while one runs also starts the next one. */
  async #publishNow(): Promise<void> {
    while (this.#publishing !== null) await this.#publishing;
    // What failed behind the checkpoint (its outdated files) holds no caller up.
    if (!this.#publisher.isBehind) return this.#resumeCovered();
    this.#publishing = this.#publishOnce();
    await this.#publishing;
  }

  async #publishOnce(): Promise<void> {
    const failure = await this.#publisher.publish().then(
      () => null,
      (error: unknown) => error as Error,
    );
    this.#publishing = null; // before any waiter resumes: entries that grew meanwhile ask for the next checkpoint
    if (failure === null) this.#resumeCovered();
    else this.#failed(failure);
  }

  #resumeCovered(): void {
    const size = this.head?.size ?? 0;
    const covered = this.#waiting.filter((one) => one.size <= size);
    this.#waiting = this.#waiting.filter((one) => one.size > size);
    for (const { resume } of covered) resume();
    if (this.#publisher.isBehind) this.#grown();
  }

  /** Without room, on the disk or for a descriptor, it is tried again; after any other failure it is unknown what is on the disk. */
  #failed(error: Error): void {
    if (isFull(error)) {
      this.#options.onNoRoom(error);
      this.#publishSoon(limits.audit.checkpointMs);
      return;
    }
    this.#closed = true;
    this.#options.onFatal(error);
  }

  /** Starts the clock of a segment at its first record. */
  #sealInTime(): void {
    this.#sealLater ??= this.#options.after(this.#options.sealMs, () => {
      this.#sealLater = null;
      void this.seal();
    });
  }
}
