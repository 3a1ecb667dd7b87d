/**
 * Group commit over a log engine: one call at a time takes what waits in all shards of the group, one entry of each; what comes meanwhile goes with the next. There is no timer: the first
 * record of an idle group is sent at the end of the event-loop turn, as in a journal of files (../journal/journal.ts).
 */
import { StorageFull } from '../fault.ts';
import type { AppendOutcome, LogEngine } from '#storage/log-engine/port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import type { ShardLog } from './shard-log.ts';

export interface AppenderOptions {
  readonly engine: LogEngine;
  /** Bytes of records without an outcome, over all shards, from which no record is taken. */
  readonly waitingBytesMax: number;
  /** Between two calls of which the first had no outcome. */
  readonly pause: Pause;
  readonly onFatal: (error: Error) => void;
  readonly watch?: FlushWatch | undefined;
}

/** Is told of the calls that add entries: one is under way at a time. */
export interface FlushWatch {
  sent(): void;
  /** It has its outcomes, after so many milliseconds, repeated calls included. */
  settled(ms: number): void;
}

/** Ends a call that would be made again. */
class Halted extends Error {}

export class Appender {
  readonly #options: AppenderOptions;
  onDurable: () => void = () => undefined;
  onLost: (shard: number) => void = () => undefined;
  /** Shards with records that wait. */
  #waiting = new Set<ShardLog>();
  #waitingBytes = 0;
  #isScheduled = false;
  #isFlushing = false;
  #isHalted = false;
  #sentAt = 0;
  #isSealed = false;
  #idle: (() => void)[] = [];
  bytes = 0;
  flushes = 0;

  constructor(options: AppenderOptions) {
    this.#options = options;
  }

  get isHalted(): boolean {
    return this.#isHalted;
  }

  admit(): void {
    if (this.#isHalted || this.#isSealed) throw new Error('the journal takes no more');
    if (this.#waitingBytes >= this.#options.waitingBytesMax) throw new StorageFull('log');
  }

  wake(shard: ShardLog, bytes: number): void {
    this.#waitingBytes += bytes;
    this.#waiting.add(shard);
    if (this.#isFlushing || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#isHalted || this.#isFlushing || this.#waiting.size === 0) return;
    const shards = [...this.#waiting];
    this.#waiting.clear();
    const entries = shards.map((shard) => shard.next()!);
    this.#isFlushing = true;
    this.#sentAt = performance.now();
    this.#options.watch?.sent();
    untilKnown(() => this.#options.engine.append(entries), this.#pause).then(
      (outcomes) => this.#settled(shards, outcomes),
      (error: unknown) => this.#fail(error as Error),
    );
  }

  #pause: Pause = async (why) => {
    await this.#options.pause(why);
    if (this.#isHalted) throw new Halted();
  };

  #settled(shards: readonly ShardLog[], outcomes: readonly AppendOutcome[]): void {
    if (this.#isHalted) return;
    this.#isFlushing = false;
    this.#options.watch?.settled(performance.now() - this.#sentAt);
    this.flushes++;
    const durable = shards.filter((_, at) => outcomes[at] === 'durable');
    const lost = shards.filter((_, at) => outcomes[at] !== 'durable');
    for (const shard of durable) this.#took(shard.acknowledged());
    for (const shard of lost) this.#waitingBytes -= shard.lose();
    for (const shard of durable) if (shard.isWaiting) this.#waiting.add(shard);
    for (const shard of lost) this.#waiting.delete(shard);
    // The engine gets its next work before the replies are written.
    this.#flush();
    for (const shard of durable) shard.answer();
    this.onDurable();
    for (const { shard } of lost) this.onLost(shard);
    if (!this.#isFlushing) this.#wakeIdle();
  }

  #took(bytes: number): void {
    this.#waitingBytes -= bytes;
    this.bytes += bytes;
  }

  /** What is no unknown outcome is a fault: the engine refuses, or the entries are none. */
  #fail(error: Error): void {
    if (this.#isHalted) return;
    this.halt();
    this.#options.onFatal(new Error('the log engine failed', { cause: error }));
  }

  seal(): void {
    this.#isSealed = true;
  }

  halt(): void {
    this.#isHalted = true;
    this.#wakeIdle();
  }

  #wakeIdle(): void {
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** Resolves when nothing waits for an outcome. */
  settled(): Promise<void> {
    if (this.#isHalted || (!this.#isFlushing && this.#waiting.size === 0)) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
