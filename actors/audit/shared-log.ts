/**
 * One log whose records are kept by a database before this machine has them: whichever node serves next goes on where the one before ended.
 *
 *   claim ─▶ files beside the records ─▶ what is here is held against what is there ─▶ what is missing here is appended ─▶ records of callers
 *
 * What was signed is never larger than what the database has, so what this machine has is a part of that, or the log is refused.
 */
import { limits } from '#config/limits.ts';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import {
  KEYS_FILE,
  LeavesLost,
  LogLeft,
  LogRefused,
  TILE_WIDTH,
  leafHash,
  readBundle,
  readFringe,
  tilePath,
  tileWidth,
} from './store.ts';
import type {
  Claimed,
  Fringe,
  Growth,
  HeadStore,
  LeafHead,
  LeafStore,
  LogFiles,
  SegmentLog,
  SignedHead,
} from './store.ts';

export interface SharedLogParts {
  readonly leaves: LeafStore;
  readonly logId: string;
  /** The verifier key of the log's present key. */
  readonly key: string;
  readonly files: LogFiles;
  /** Records that were signed here. */
  readonly signed: number;
}

const nothing = (): void => undefined;

export class SharedLog {
  readonly #parts: SharedLogParts;
  /** What the place has; records up to there are not sent again. */
  #size: number;
  readonly #head: LeafHead | null;
  /** Records here that no signed head covers. */
  readonly #tail: Buffer[] = [];
  #isBehind = false;

  private constructor(parts: SharedLogParts, { size, head }: Claimed) {
    this.#parts = parts;
    this.#size = size;
    this.#head = head;
  }

  /** Makes this process the writer of the log, and brings the files beside its records here. Rejects with LogRefused and LeavesAway. */
  static async claim(parts: SharedLogParts): Promise<SharedLog> {
    const { leaves, logId, key, files } = parts;
    const claimed = await leaves.claim(logId, key).catch((error: unknown) => {
      if (error instanceof LeavesLost) throw new LogRefused('held', error.message);
      throw error;
    });
    if (claimed.key !== key)
      throw new LogRefused('key', `the log was begun under the key ${claimed.key}, and this node has ${key}`);
    for (const path of await leaves.paths(logId)) {
      const bytes = (await files.read(path)) === null ? await leaves.file(logId, path) : null;
      if (bytes !== null) await files.save([[path, bytes]]);
    }
    return new SharedLog(parts, claimed);
  }

  /** Whether this machine has less than what was signed. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** The newest signed head, here or in the place. */
  newest(here: SignedHead | undefined): SignedHead | undefined {
    const head = this.#head;
    return head === null || head.size <= (here?.size ?? 0) ? here : { ...head, memo: {} };
  }

  /** Hears of each record that no manifest covers here. */
  each(entry: Buffer, index: number): void {
    if (index >= this.#parts.signed) this.#tail.push(Buffer.from(entry));
  }

  /** Signed heads: in the place before they are here. */
  heads(here: HeadStore): HeadStore {
    return {
      get: (logId) => here.get(logId),
      swap: async (logId, before, next) => {
        const { size, root, note } = next;
        // While this machine is brought up its trees are known to the place.
        if (size > (this.#head?.size ?? 0)) await left(this.#parts.leaves.publish(logId, { size, root, note }));
        await here.swap(logId, before, next);
      },
    };
  }

  /** Has records kept by the place, unless they are from there. */
  readonly secure = async (first: number, entries: readonly Uint8Array[]): Promise<void> => {
    const end = first + entries.length;
    if (end <= this.#size) return;
    await left(this.#parts.leaves.append(this.#parts.logId, first, entries));
    this.#size = end;
  };

  /** Keeps files that a record will name. */
  save(files: readonly (readonly [path: string, bytes: Uint8Array])[]): Promise<void> {
    return left(this.#parts.leaves.save(this.#parts.logId, files));
  }

  /** Throws LogRefused where what is here is no part of what the place has. A place that has signed nothing takes what is here (`adopt`). */
  async judge(tree: Growth): Promise<void> {
    const head = this.#head;
    if (head === null) return;
    const signed = head.size;
    if (tree.size > this.#size)
      throw new LogRefused('rollback', `the database has ${this.#size} records, and ${tree.size} are here`);
    this.#isBehind = tree.size < signed;
    const at = this.#isBehind ? tree.fringe() : await this.#fringeHere(signed);
    if (!this.#isBehind) isSame(at.root(), head.root, signed);
    await this.#grow(at, this.#isBehind ? signed : tree.size);
    isSame(at.root(), this.#isBehind ? head.root : base64(tree.root()), at.size);
  }

  /** Out of the tiles that were signed here, and of records behind them: another node may have signed these. */
  async #fringeHere(size: number): Promise<Fringe> {
    const { files, signed } = this.#parts;
    const fringe = await readFringe(files, signed);
    if (fringe === null) throw new LogRefused('damage', `tiles of the first ${signed} records are missing`);
    for (const entry of this.#tail.slice(0, size - signed)) fringe.push(leafHash(entry), nothing);
    return fringe;
  }

  async #grow(fringe: Fringe, to: number): Promise<void> {
    while (fringe.size < to) {
      for (const entry of await this.#read(fringe.size, to)) fringe.push(leafHash(entry), nothing);
      await nextTurn();
    }
  }

  #read(from: number, to: number): Promise<Buffer[]> {
    return this.#parts.leaves.read(this.#parts.logId, from, to).catch((error: unknown) => {
      if (error instanceof LeavesLost) throw new LogRefused('damage', error.message);
      throw error;
    });
  }

  /** The place takes what this machine has of a log that it has not seen signed: records of before, or of a node that ended before its first checkpoint. */
  async adopt(tree: Growth): Promise<void> {
    if (this.#head !== null || tree.size === 0) return;
    await this.#adoptFiles();
    for (let at = 0; at < tree.size;) {
      const here = await this.#here(at);
      at += at < this.#size ? await this.#compare(at, here) : await this.#take(at, here);
      await nextTurn();
    }
  }

  /** Gives how many were compared. */
  async #compare(at: number, here: readonly Buffer[]): Promise<number> {
    const known = await this.#read(at, Math.min(this.#size, at + here.length));
    const other = known.findIndex((entry, no) => !entry.equals(here[no]!));
    if (other === -1) return known.length;
    throw new LogRefused('fork', `record ${at + other} is another one in the database, which has ${this.#size}`);
  }

  async #take(at: number, here: readonly Buffer[]): Promise<number> {
    await this.secure(at, here);
    return here.length;
  }

  async #adoptFiles(): Promise<void> {
    const { files } = this.#parts;
    const blobs = (await files.names('blob')).filter((name) => !name.endsWith('.tmp')).map((name) => `blob/${name}`);
    for (const path of [KEYS_FILE, ...blobs]) {
      const bytes = await files.read(path);
      if (bytes !== null) await this.save([[path, bytes]]);
    }
  }

  /** Records from an index on: to the end of its bundle, or all that no signed head covers. */
  async #here(from: number): Promise<readonly Buffer[]> {
    const { files, signed } = this.#parts;
    if (from >= signed) return this.#tail.slice(from - signed);
    const index = Math.floor(from / TILE_WIDTH);
    const width = tileWidth({ level: 'entries', index }, signed);
    const bytes =
      (await files.read(tilePath({ level: 'entries', index, width }))) ??
      (await files.read(tilePath({ level: 'entries', index, width: TILE_WIDTH })));
    const entries = bytes === null ? null : readBundle(bytes);
    if (entries === null)
      throw new LogRefused('damage', `record ${from} is not here any more, so the database cannot take the log`);
    return entries.slice(from % TILE_WIDTH, width).map((entry) => Buffer.from(entry));
  }

  /** Appends what is missing here, up to what was signed; a checkpoint covers it when it resolves. `grown` is told of each record that joins the tree. */
  async bringUp(log: SegmentLog, grown: (entry: Buffer) => void): Promise<void> {
    const signed = this.#head?.size ?? 0;
    await this.#appendUpTo(log, signed, grown);
    await log.published(signed);
    if ((log.head?.size ?? 0) < signed) throw new Error(`${this.#parts.logId}: not brought up`);
  }

  /** Likewise, the records that were not signed. */
  finish(log: SegmentLog, grown: (entry: Buffer) => void): Promise<void> {
    return this.#appendUpTo(log, this.#size, grown);
  }

  async #appendUpTo(log: SegmentLog, to: number, grown: (entry: Buffer) => void): Promise<void> {
    while (log.next < to) {
      const entries = (await this.#read(log.next, to)).slice(0, limits.audit.recordsPerCallMax);
      const fate = await log.append(entries, 'strict', () => entries.forEach(grown));
      if (fate !== 'kept') throw new Error(`${this.#parts.logId}: no room for records of the database`);
    }
  }
}

const base64 = (root: Uint8Array): string => Buffer.from(root).toString('base64');

function isSame(root: Uint8Array, wanted: string, size: number): void {
  if (base64(root) === wanted) return;
  throw new LogRefused('fork', `the first ${size} records have another root in the database`);
}

/** Whatever keeps a record from the place, this process writes no more of the log: it may have it, or another process may. */
async function left(done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (error) {
    throw new LogLeft((error as Error).message, { cause: error });
  }
}
