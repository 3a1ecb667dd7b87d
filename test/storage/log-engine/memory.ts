/**
 * The log engine in memory, for tests and simulations: everything that a network and a pair of databases do to a caller, drawn from a seed. Requests, commits and answers are under way for as
 * long as the draw says and pass each other; a step is taken in a microtask, so that a run with the same seed and the same calls is the same run.
 */
import { checkEntries } from '#storage/log-engine/entry-check.ts';
import { MemoryServer } from './memory-server.ts';
import {
  add,
  claim,
  cover,
  emptyRows,
  ends,
  find,
  KEPT_RULES,
  look,
  noteSnapshot,
  readConfirmed,
  readOwn,
  reclaim,
  release,
  trim,
} from './memory-statements.ts';
import type { MemoryRules, Statement } from './memory-statements.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';
import type {
  AppendOutcome,
  Chunk,
  Claim,
  ClaimWish,
  LogEngine,
  LogEntry,
  ShardEnd,
  ShardState,
  SnapshotNote,
} from '#storage/log-engine/port.ts';

/** What becomes of a call: nothing; its answer is lost; its request is lost; its caller gives it up, and it runs later. */
export type Fate = 'well' | 'answer lost' | 'request lost' | 'request late';

/** How often each happens, from 0 to 1: fates to a call, the others to a step. */
export interface Chances {
  readonly answerLost: number;
  readonly requestLost: number;
  readonly requestLate: number;
  readonly waitCancelled: number;
  readonly takeOver: number;
  /** The standby lets others go first. */
  readonly standbySlow: number;
}

export const CALM: Chances = {
  answerLost: 0,
  requestLost: 0,
  requestLate: 0,
  waitCancelled: 0,
  takeOver: 0,
  standbySlow: 0,
};

export interface MemoryLogOptions {
  readonly shards: number;
  /** From 0 to 1, as Math.random. */
  readonly random: () => number;
  readonly chances?: Chances;
  readonly rules?: MemoryRules;
  /** When the next step is taken: in a microtask, or when a simulated clock says so. */
  readonly schedule?: (step: () => void) => void;
  readonly entryBytesMax?: number;
}

/** The way of a call to the servers and back: it may be slow, or lose one of the two. */
export type Via = <T>(call: () => Promise<T>) => Promise<T>;

const STRAIGHT: Via = (call) => call();

const ENTRY_BYTES_MAX = 1024 * 1024;

interface Call {
  readonly fate: Fate;
  readonly shards: readonly number[];
  readonly server: MemoryServer;
  readonly run: () => void;
  readonly giveUp: () => void;
}

export class MemoryLog {
  readonly rules: MemoryRules;
  readonly entryBytesMax: number;
  readonly #random: () => number;
  readonly #schedule: (step: () => void) => void;
  /** May be changed under way. */
  chances: Chances;
  /** What has happened so far. */
  readonly counts = { takeOvers: 0, lostCommits: 0, cancelledWaits: 0, oldReads: 0, lateRuns: 0 };
  #primary: MemoryServer;
  /** Under way to a server. */
  readonly #calls = new Set<Call>();
  /** Under way to their callers. */
  readonly #answers = new Set<() => void>();
  /** Calls that wait for the standby: what a takeover does to them. */
  readonly #waiting = new Map<Call, () => void>();
  readonly #settled: (() => void)[] = [];
  #isAwake = false;
  /** While it is set the standby gets nothing, so that nothing is acknowledged. */
  isStandbyAway = false;
  /** While it is set, requests that their callers gave up stay on their way. */
  holdsLate = false;

  constructor(options: MemoryLogOptions) {
    const { shards, random, chances = CALM, rules = KEPT_RULES } = options;
    this.#random = random;
    this.chances = chances;
    this.rules = rules;
    this.entryBytesMax = options.entryBytesMax ?? ENTRY_BYTES_MAX;
    this.#schedule = options.schedule ?? queueMicrotask;
    this.#primary = new MemoryServer(emptyRows(shards));
  }

  get primary(): MemoryServer {
    return this.#primary;
  }

  connect(via?: Via): MemoryEngine {
    return new MemoryEngine(this, via);
  }

  /** The standby takes over with what it has; what waits for it has no outcome. */
  takeOver(): void {
    this.counts.takeOvers++;
    this.counts.lostCommits += this.#primary.waits;
    this.putBack(this.#primary.takeOver());
  }

  /** Another server is the database from here on: one that `takeOver` of a server gave, now or long ago. */
  putBack(server: MemoryServer): void {
    const old = this.#primary;
    this.#primary = server;
    for (const call of this.#calls) if (call.server === old) this.#drop(call);
    for (const giveUp of this.#waiting.values()) giveUp();
    this.#waiting.clear();
  }

  /** An administrator ends the wait of every statement that waits for the standby. */
  cancelWaits(): void {
    while (this.#primary.unseen > 0) this.#primary.cancel(0);
  }

  /** Goes on when something was held up. */
  wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#schedule(() => {
      this.#isAwake = false;
      if (this.#step()) return this.wake();
      for (const settled of this.#settled.splice(0)) settled();
    });
  }

  /** Resolves when nothing can happen any more. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled.push(resolve);
      this.wake();
    });
  }

  /** Runs a statement at `server`; rejects with OutcomeUnknown when no answer comes that counts. */
  send<T>(server: MemoryServer, shards: readonly number[], statement: Statement<T>, fate = this.#fate()): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => reject(new OutcomeUnknown('no answer came'));
      const run = (): void => this.#run(call, statement, resolve, giveUp);
      const call: Call = { fate, shards, server, run, giveUp };
      this.#calls.add(call);
      if (fate === 'request late') this.#answers.add(giveUp);
      this.wake();
    });
  }

  #run<T>(call: Call, statement: Statement<T>, resolve: (answer: T) => void, giveUp: () => void): void {
    const { rows, table, answer } = statement(call.server);
    const settle = call.fate === 'well' ? () => resolve(answer) : giveUp;
    const say = (then: () => void): void => {
      this.#waiting.delete(call);
      this.#answers.add(then);
    };
    if (rows.size === 0 && table === undefined) return say(settle);
    this.#waiting.set(call, giveUp);
    call.server.commit({
      rows,
      table,
      acknowledge: () => say(settle),
      cancel: () => say(this.rules.doubtsCancelledWaits ? giveUp : settle),
    });
  }

  #fate(): Fate {
    const { answerLost, requestLost, requestLate } = this.chances;
    const drawn = this.#random();
    if (drawn < answerLost) return 'answer lost';
    if (drawn < answerLost + requestLost) return 'request lost';
    return drawn < answerLost + requestLost + requestLate ? 'request late' : 'well';
  }

  /** One thing of all that could happen now; false when nothing can. */
  #step(): boolean {
    const { waitCancelled, takeOver } = this.chances;
    if (this.#primary.waits > 0 && this.#random() < takeOver) this.takeOver();
    if (this.#primary.unseen > 0 && this.#random() < waitCancelled) {
      this.counts.cancelledWaits++;
      this.#primary.cancel(this.#below(this.#primary.unseen));
    }
    const moves = this.#moves();
    if (moves.length === 0) return false;
    moves[this.#below(moves.length)]!();
    return true;
  }

  #moves(): (() => void)[] {
    const moves: (() => void)[] = [];
    for (const call of this.#calls) if (this.#canGo(call)) moves.push(() => this.#arrive(call));
    for (const answer of this.#answers)
      moves.push(() => {
        this.#answers.delete(answer);
        answer();
      });
    const lets = moves.length > 0 && this.#random() < this.chances.standbySlow;
    if (this.#primary.waits > 0 && !this.isStandbyAway && !lets) moves.push(() => this.#primary.replicate());
    return moves;
  }

  #canGo({ fate, server, shards }: Call): boolean {
    if (fate === 'request lost') return true;
    return !(fate === 'request late' && this.holdsLate) && server.isFree(shards);
  }

  #arrive(call: Call): void {
    if (call.fate === 'request lost') return this.#drop(call);
    this.#calls.delete(call);
    if (call.fate === 'request late') this.counts.lateRuns++;
    if (call.server !== this.#primary) this.counts.oldReads++;
    call.run();
  }

  #drop(call: Call): void {
    this.#calls.delete(call);
    this.#answers.add(call.giveUp);
    this.wake();
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  /** Whether something that happens seldom happens now. */
  chance(): boolean {
    return this.#random() < 0.5;
  }
}

/** One caller's connection. */
export class MemoryEngine implements LogEngine {
  readonly entryBytesMax: number;
  readonly #log: MemoryLog;
  readonly #via: Via;
  /** It may be one that the standby has replaced: reads are answered there for a while. */
  #server: MemoryServer;
  #next: Fate | undefined;

  constructor(log: MemoryLog, via: Via = STRAIGHT) {
    this.#log = log;
    this.#via = via;
    this.entryBytesMax = log.entryBytesMax;
    this.#server = log.primary;
  }

  /** What becomes of the next call. */
  doom(fate: Fate): void {
    this.#next = fate;
  }

  look(shard: number): Promise<ShardState> {
    return this.#read(shard, look(shard));
  }

  ends(): Promise<readonly ShardEnd[]> {
    return this.#read(0, ends());
  }

  claim(wish: ClaimWish): Promise<Claim | null> {
    return this.#write([wish.shard], claim(wish, this.#log.rules));
  }

  async append(entries: readonly LogEntry[]): Promise<readonly AppendOutcome[]> {
    checkEntries(entries, this.entryBytesMax);
    const isIn = await this.#write(shardsOf(entries), add(entries, this.#log.rules));
    const outcomes = entries.map((_, at): AppendOutcome => (isIn[at] === true ? 'durable' : 'lost'));
    const missed = entries.filter((_, at) => isIn[at] === false);
    if (missed.length === 0) return outcomes;
    const settled = await this.#settle(missed);
    return outcomes.map((outcome, at) => (isIn[at] === true ? outcome : settled.get(entries[at]!)!));
  }

  /** Outcomes of entries that did not fit: they may be in the log already. */
  async #settle(entries: readonly LogEntry[]): Promise<ReadonlyMap<LogEntry, AppendOutcome>> {
    const found = await this.#write([], find(entries));
    if (found.includes('absent')) throw new OutcomeUnknown('the entry before is not there either');
    const outcomes = new Map<LogEntry, AppendOutcome>(entries.map((entry) => [entry, 'lost']));
    const mine = entries.filter((_, at) => found[at] === 'mine');
    if (mine.length === 0) return outcomes;
    const isCovered = await this.#write(shardsOf(mine), cover(mine, this.#log.rules));
    for (const [at, entry] of mine.entries()) if (isCovered[at] === true) outcomes.set(entry, 'durable');
    return outcomes;
  }

  async readOwn(shard: number, epoch: number, after: number, bytesMax: number): Promise<Chunk | null> {
    const chunk = await this.#read(shard, readOwn([shard, epoch, after, bytesMax], this.#log.rules));
    if (chunk instanceof Error) throw chunk;
    return chunk;
  }

  async readConfirmed(shard: number, after: number, bytesMax: number): Promise<Chunk> {
    const chunk = await this.#read(shard, readConfirmed([shard, after, bytesMax], this.#log.rules));
    if (chunk instanceof Error) throw chunk;
    return chunk;
  }

  release(shard: number, epoch: number): Promise<void> {
    return this.#write([shard], release(shard, epoch));
  }

  noteSnapshot(shard: number, note: SnapshotNote): Promise<boolean> {
    return this.#write([shard], noteSnapshot(shard, note, this.#log.rules));
  }

  async trim(shard: number, seq: number): Promise<void> {
    const refused = await this.#write([shard], trim(shard, seq, this.#log.rules));
    if (refused !== null) throw refused;
  }

  async reclaim(): Promise<number> {
    let chapters = 0;
    for (const shard of this.#log.primary.shards()) if (await this.#write([shard], reclaim(shard))) chapters++;
    return chapters;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** A change, or what a change rests on: a server that was replaced does not answer it, and the caller goes to the new one. */
  async #write<T>(shards: readonly number[], statement: Statement<T>): Promise<T> {
    const isOld = this.#server !== this.#log.primary;
    this.#server = this.#log.primary;
    if (isOld) throw new OutcomeUnknown('the connection is gone');
    return this.#sent(shards, statement);
  }

  /** A read waits for no lock. */
  #read<T>(shard: number, statement: Statement<T>): Promise<T> {
    if (this.#server !== this.#log.primary && this.#log.chance()) this.#server = this.#log.primary;
    this.#server.row(shard);
    return this.#sent([], statement);
  }

  /** To the server of now, whichever is the primary when it arrives. */
  #sent<T>(shards: readonly number[], statement: Statement<T>): Promise<T> {
    const [server, fate] = [this.#server, this.#fate()];
    return this.#via(() => this.#log.send(server, shards, statement, fate));
  }

  #fate(): Fate | undefined {
    const fate = this.#next;
    this.#next = undefined;
    return fate;
  }
}

function shardsOf(entries: readonly LogEntry[]): number[] {
  return entries.map(({ shard }) => shard);
}
