/** What one thread owns on disk: its shards' environments and the journal that acknowledges for them. */
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { ArchiveCells, type JournalReach } from './archive-cells.ts';
import { dataFile } from './data-file.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { Follower, type Schedule } from './follower.ts';
import { Fatal } from './fatal.ts';
import { ShardStopped } from './fault.ts';
import { fileJournals } from './file-journals.ts';
import { LOST, type Found, type Journals, type JournalStats, type OpenJournals } from './journal/port.ts';
import type { DamagedJournal, JournalCut } from './journal/replay.ts';
import { u32 } from './key.ts';
import { Budget } from './overlay/budget.ts';
import { Overlay } from './overlay/overlay.ts';
import type { Bytes, Lookup, Snapshot, Store, Turn } from './port.ts';
import { Shard } from './shard.ts';
import { ShardSnapshot } from './snapshot.ts';
import { dropBallast, Space } from './space.ts';
import { ShardTurn } from './turn.ts';

/** Rows of limits.storage that an archive obeys; a test passes smaller ones. */
export type ArchiveLimits = Readonly<Record<keyof typeof limits.storage, number>>;

export interface ArchiveOptions {
  readonly dataDir: string;
  readonly shards: readonly number[];
  /** From nextEpoch, another one for every opening. */
  readonly epoch: number;
  readonly name: string;
  /** Journals of earlier owners (findJournals): their records of these shards are applied first. */
  readonly replay: readonly string[];
  /** The first failed write, sync or commit: the process must end (exit 70). */
  readonly onFatal: (error: Error) => void;
  /** Called after each synchronisation of the journal, with its duration. */
  readonly onSynced?: (ms: number) => void;
  readonly limits?: Partial<ArchiveLimits>;
  readonly schedule?: Schedule;
  /** Whether segments of the journal wait for their copy (storage/journal-copy/) instead of being recycled. */
  readonly keeps?: boolean;
  /** Where the archive shows how far it is; a memory of its own when left out. */
  readonly cells?: ArchiveCells;
  /** What acknowledges, instead of files in `dataDir`: `epoch`, `replay` and `keeps` have no meaning then. */
  readonly journals?: OpenJournals;
  /** A shard was taken by another owner: it is not served from here on, and what waited on its records has no answer. */
  readonly onLost?: (shard: number) => void;
  /** Bytes that the file system has left; another in tests. */
  readonly freeBytes?: (path: string) => number;
}

export interface ArchiveStats {
  readonly journal: JournalStats;
  readonly overlayEntries: number;
  readonly overlayBytes: number;
  readonly freeBytes: number;
  /** Records of earlier journals that were applied at the opening. */
  readonly replayed: number;
  /** Ends of earlier journals that were cut at the opening. */
  readonly cuts: readonly JournalCut[];
  /** Damage to earlier journals that lost nothing: every shard had it. */
  readonly harmless: readonly DamagedJournal[];
  /** Shards that are not served, by number, and what they may miss. */
  readonly stopped: ReadonlyMap<number, DamagedJournal>;
  /** Writes that wait for LMDB and commits so far, by shard number. */
  readonly shards: Readonly<Record<number, { readonly lag: number; readonly commits: number }>>;
}

export interface Archive {
  /** How far a shard's journal is: every view of it that is opened now shows this record and all before it. */
  shown(shard: number): JournalReach;
  /** One tenant's datastore. Keys are relative to it; `tenantNo` is below 2^32 − 1, `datastoreNo` below 256. Throws ShardStopped. */
  store(shard: number, tenantNo: number, datastoreNo?: number): Store;
  /** Ends the writing in a tenant's default datastore: no commit of another handle joins any more. Gives the one that may sweep it. */
  retire(shard: number, tenantNo: number): Store;
  /** Undoes `retire`. */
  admit(shard: number, tenantNo: number): void;
  /** A shard as it lies in LMDB, without what waits for it: for the scrubber. Physical keys. */
  atRest(shard: number): Lookup;
  /** Copies what LMDB has of a shard now into `data.mdb` of an empty directory, durable when this resolves; the shard is served meanwhile. */
  copyTo(shard: number, directory: string): Promise<void>;
  stats(): ArchiveStats;
  /** Resolves when everything appended so far is durable and in LMDB. Rejects when the archive has failed. */
  drain(): Promise<void>;
  /** Takes no more writes. Resolves when everything appended is durable: what LMDB lacks of it is written by `close`. */
  seal(): Promise<void>;
  /** Drains, closes, and removes the journal: a clean shutdown leaves nothing to replay. */
  close(): Promise<void>;
}

/** The directory of a shard's environment. */
export function shardPath(dataDir: string, no: number): string {
  return join(dataDir, 'shards', String(no));
}

/** Opens environments and journals. Throws Corruption; nothing is served from a doubtful state: a shard that may miss what was acknowledged is closed again. */
export async function openArchive(options: ArchiveOptions): Promise<Archive> {
  const bounds: ArchiveLimits = { ...limits.storage, ...options.limits };
  const fatal = new Fatal(options.onFatal);
  const environments = openEnvironments(options, bounds, fatal);
  let closeSpace = (): void => undefined;
  try {
    const cells = options.cells ?? new ArchiveCells();
    const space = spaceOf(options, bounds, cells);
    closeSpace = () => space.close();
    await space.check();
    const open = options.journals ?? filesOf(options, bounds, space, cells);
    const { journals, found } = await open(environments, fatal.raise);
    for (const no of found.stopped.keys()) {
      await environments.get(no)!.close();
      environments.delete(no);
    }
    fatal.halt = () => journals.halt();
    return new LmdbArchive(options, bounds, environments, journals, { fatal, found, space, cells });
  } catch (error) {
    closeSpace();
    for (const environment of environments.values()) await environment.close();
    throw error;
  }
}

function spaceOf({ dataDir, freeBytes }: ArchiveOptions, bounds: ArchiveLimits, cells: ArchiveCells): Space {
  const { freeBytesMin, freeSpaceCheckMs: everyMs } = bounds;
  const pending = (): number => cells.pendingOfAll;
  return new Space(dataDir, { freeBytesMin, everyMs, pending, ...(freeBytes !== undefined && { freeBytes }) });
}

function filesOf(options: ArchiveOptions, bounds: ArchiveLimits, space: Space, cells: ArchiveCells): OpenJournals {
  const { segmentBytes, commitAnswerMs: answerMs, sweepCells: gatherMax, commitPutsMax: putsMax } = bounds;
  const hasRoomFor = (bytes: number): boolean => space.hasRoomFor(bytes);
  return fileJournals({ ...options, segmentBytes, answerMs, hasRoomFor, cells, bounds: { gatherMax, putsMax } });
}

function openEnvironments(options: ArchiveOptions, bounds: ArchiveLimits, fatal: Fatal): Map<number, Environment> {
  const environments = new Map<number, Environment>();
  for (const no of options.shards) {
    const path = shardPath(options.dataDir, no);
    environments.set(no, openEnvironment(path, { onFatal: fatal.raise, commitAnswerMs: bounds.commitAnswerMs }));
  }
  return environments;
}

function gather(ms: number): Schedule {
  return (begin, urgent) => {
    if (urgent) begin();
    else setTimeout(begin, ms);
  };
}

interface Opened {
  readonly fatal: Fatal;
  readonly found: Found;
  readonly space: Space;
  readonly cells: ArchiveCells;
}

class LmdbArchive implements Archive {
  readonly #dataDir: string;
  readonly #opened: Opened;
  readonly #environments: ReadonlyMap<number, Environment>;
  readonly #journals: Journals;
  readonly #budget: Budget;
  readonly #followers = new Map<number, Follower>();
  readonly #shards = new Map<number, Shard>();
  /** Shards that another owner took. */
  readonly #lost = new Set<number>();
  /** Writes that may each take a page of LMDB of their own before its pages are used again. */
  readonly #scatteredMax: number;
  #closed = false;

  constructor(
    options: ArchiveOptions,
    bounds: ArchiveLimits,
    environments: ReadonlyMap<number, Environment>,
    journals: Journals,
    opened: Opened,
  ) {
    this.#dataDir = options.dataDir;
    this.#opened = opened;
    this.#environments = environments;
    this.#journals = journals;
    this.#budget = new Budget(bounds.overlayEntriesMax, bounds.overlayBytesMax);
    this.#scatteredMax = bounds.commitPutsMax * bounds.growthCommits * environments.size;
    for (const [no, environment] of environments) this.#addShard(no, environment, options, bounds);
    journals.onDurable(() => this.#follow());
    journals.onLost((no) => {
      this.#lose(no);
      options.onLost?.(no);
    });
  }

  shown(shard: number): JournalReach {
    const { epoch, last: number } = this.#open(shard).journal;
    return { epoch, number };
  }

  /** What so many writes take on the disk at most, in the journal and in LMDB, which writes whole pages and uses old ones again later. */
  #growth(entries: number, bytes: number): number {
    const { growthPerByte, growthPerPutBytes } = limits.storage;
    return growthPerByte * bytes + growthPerPutBytes * Math.min(entries, this.#scatteredMax);
  }

  #admits = (entries: number, bytes: number, frees: boolean): boolean => {
    const { cells, space } = this.#opened;
    if (!space.admits(this.#growth(entries, bytes), frees)) return false;
    cells.pending = this.#growth(this.#budget.entries + entries, this.#budget.bytes + bytes);
    return true;
  };

  /** A sweep has ended and its pages are on the disk: measure the free space first, and only then stop counting them as pending. */
  #followed(): void {
    const { cells, space } = this.#opened;
    space.look();
    cells.pending = this.#growth(this.#budget.entries, this.#budget.bytes);
  }

  #addShard(no: number, environment: Environment, options: ArchiveOptions, bounds: ArchiveLimits): void {
    const journal = this.#journals.of(no);
    const budget = this.#budget;
    const overlay = new Overlay();
    const follower = new Follower({
      environment,
      overlay,
      budget,
      epoch: journal.epoch,
      putsMax: bounds.commitPutsMax,
      sweepCells: bounds.sweepCells,
      sweepBytes: bounds.sweepBytes,
      calmCellsMax: bounds.sweepCalmCellsMax,
      waitsMax: bounds.sweepWaitsMax,
      durable: () => journal.durable,
      reach: (number) => journal.reach(number),
      onFollowed: (upTo) => {
        this.#followed();
        journal.retire(upTo);
      },
      schedule: options.schedule ?? gather(bounds.followGatherMs),
    });
    const admits = this.#admits;
    const { snapshotMsMax } = bounds;
    this.#followers.set(no, follower);
    const file = dataFile(shardPath(options.dataDir, no));
    this.#shards.set(no, new Shard({ environment, file, overlay, journal, budget, admits, snapshotMsMax }));
  }

  #lose(no: number): void {
    this.#followers.get(no)!.abandon();
    this.#shards.delete(no);
    this.#lost.add(no);
    this.#followed();
  }

  #follow(): void {
    for (const follower of this.#followers.values()) follower.follow();
  }

  retire(shard: number, tenantNo: number): Store {
    const owner = this.#open(shard);
    owner.retire(defaultPrefix(tenantNo));
    return new ShardStore(owner, defaultPrefix(tenantNo), true);
  }

  admit(shard: number, tenantNo: number): void {
    this.#open(shard).admit(defaultPrefix(tenantNo));
  }

  #open(shard: number): Shard {
    const owner = this.#shards.get(shard);
    if (owner !== undefined) return owner;
    const damage = this.#opened.found.stopped.get(shard);
    if (damage !== undefined) throw new ShardStopped(shard, damage.what);
    if (this.#lost.has(shard)) throw new ShardStopped(shard, LOST);
    throw new Error(`shard ${shard} is not open here`);
  }

  store(shard: number, tenantNo: number, datastoreNo = 0): Store {
    const owner = this.#open(shard);
    if (tenantNo >= 0xffffffff || datastoreNo > 0xff) throw new Error(`no such place: ${tenantNo}, ${datastoreNo}`);
    return new ShardStore(owner, u32(tenantNo) + String.fromCharCode(datastoreNo));
  }

  atRest(shard: number): Lookup {
    return this.#environmentOf(shard);
  }

  async copyTo(shard: number, directory: string): Promise<void> {
    await this.#environmentOf(shard).copyTo(directory);
  }

  #environmentOf(shard: number): Environment {
    const environment = this.#environments.get(shard);
    if (environment === undefined) throw new Error(`shard ${shard} is not open here`);
    return environment;
  }

  stats(): ArchiveStats {
    const shards: Record<number, { lag: number; commits: number }> = {};
    for (const [no, { lag, commits }] of this.#followers) shards[no] = { lag, commits };
    const { entries: overlayEntries, bytes: overlayBytes } = this.#budget;
    const { found, space } = this.#opened;
    const { records: replayed, stopped, cuts, harmless } = found;
    return {
      journal: this.#journals.stats(),
      overlayEntries,
      overlayBytes,
      freeBytes: space.freeBytes,
      replayed,
      cuts,
      harmless,
      stopped,
      shards,
    };
  }

  async drain(): Promise<void> {
    const { fatal } = this.#opened;
    await fatal.before(this.#journals.settled());
    await fatal.before(Promise.all(Array.from(this.#followers.values(), (follower) => follower.settled())));
  }

  async seal(): Promise<void> {
    const { fatal } = this.#opened;
    this.#journals.seal();
    await fatal.before(this.#journals.settled());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { cells, fatal, space } = this.#opened;
    space.close();
    this.#journals.seal();
    space.look();
    if (!space.hasRoom) dropBallast(this.#dataDir);
    try {
      await this.drain();
    } finally {
      cells.pending = 0;
      for (const environment of this.#environments.values()) await environment.close();
      await this.#journals.close(fatal.error === null);
    }
  }
}

function defaultPrefix(tenantNo: number): Bytes {
  return u32(tenantNo) + String.fromCharCode(0);
}

class ShardStore implements Store {
  readonly #shard: Shard;
  readonly #prefix: Bytes;
  /** True for the one store that may still write under a retired prefix. */
  readonly #sweeps: boolean;

  constructor(shard: Shard, prefix: Bytes, sweeps = false) {
    this.#shard = shard;
    this.#prefix = prefix;
    this.#sweeps = sweeps;
  }

  get pressure(): number {
    return this.#shard.pressure;
  }

  begin(): Turn {
    return new ShardTurn(this.#shard, this.#prefix, this.#sweeps);
  }

  snapshot(msMax?: number): Snapshot {
    return new ShardSnapshot(this.#shard, this.#prefix, msMax);
  }

  whenDurable(newest: number, then: () => void): void {
    this.#shard.journal.whenDurable(newest, then);
  }

  prewarm(signal: AbortSignal): Promise<void> {
    return this.#shard.prewarm(signal);
  }
}
