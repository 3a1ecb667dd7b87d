/** Takeovers of a log whose records a database keeps, in an order of a seed: machines fall with their disk, come back with an old one, are overtaken while they run. Contract: docs/contract/audit.md §5.4. */
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AuditLog } from '#actors/audit/audit-log.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { MemoryLeaves, MemoryLeafServer } from '#test/storage/leaves/memory.ts';
import { Fringe } from '#storage/segment/fringe.ts';
import { leafHash } from '#storage/segment/hash.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { BookPlace, LOG } from './book.ts';

const RUNS = rounds({ suite: 6, ci: 40 });
const STEPS = 14;
const RECORDS_MAX = 70;

class Run {
  readonly #random: Random;
  readonly #server = new MemoryLeafServer();
  readonly #machines: readonly [BookPlace, BookPlace];
  /** The place says that it has records before it has them: a planted fault. */
  readonly #settlesEarly: boolean;
  /** Copies of a machine's disk as it fell. */
  readonly #fell = new Map<BookPlace, { bringBack(): void }>();
  /** The root of each checkpoint that was seen, by size. */
  readonly #seen = new Map<number, string>();
  #at = 0;
  #life = 0;
  #log!: AuditLog;
  /** Numbers whose record was acknowledged are those up to here. */
  acknowledged = 0;

  constructor(seed: number, settlesEarly = false) {
    this.#random = new Random(seed);
    const one = new BookPlace();
    this.#machines = [one, new BookPlace(one)];
    this.#settlesEarly = settlesEarly;
  }

  get #machine(): BookPlace {
    return this.#machines[this.#at]!;
  }

  async begin(): Promise<void> {
    const machine = this.#machine;
    const node = `life ${this.#life++}`;
    this.#server.serving = node;
    const leaves = new MemoryLeaves(this.#server, node);
    if (this.#settlesEarly) leaves.append = () => Promise.resolve();
    if (this.#settlesEarly) leaves.publish = () => Promise.resolve();
    machine.leaves = leaves;
    machine.clock.advance(1000);
    this.#log = await machine.open(RECORDS_MAX).open(LOG);
    expect(this.#log.head?.size ?? 0).toBeGreaterThanOrEqual(this.#newest);
    expect(this.#log.lastOf('test')).toBe(this.acknowledged);
  }

  get #newest(): number {
    return Math.max(0, ...this.#seen.keys());
  }

  async step(): Promise<void> {
    const which = this.#random.below(6);
    if (which < 2) await this.#append();
    else if (which === 2) await this.#look();
    else if (which === 3) await this.#fall();
    else if (which === 4) await this.#stop();
    else await this.#overtake();
  }

  #events(count: number) {
    const first = this.acknowledged + 1;
    return Array.from({ length: count }, (_, at) => ({
      ts: timestamp(this.#machine.clock.now()),
      source: 'test',
      source_seq: first + at,
      actor: 'ada',
      action: 'test.row',
      target: '',
      outcome: 'ok',
      request_id: '',
      data: { by: this.#life },
    }));
  }

  async #append(): Promise<void> {
    for (let calls = this.#random.below(4); calls >= 0; calls--) {
      const count = 1 + this.#random.below(90);
      const { fate } = await this.#log.append(this.#events(count));
      expect(fate).toBe('kept');
      this.acknowledged += count;
    }
  }

  async #look(): Promise<void> {
    await this.#log.published(this.acknowledged);
    const { head } = this.#log;
    if (head !== undefined) this.#seen.set(head.size, head.root);
  }

  /** Killed; its disk is as it was then, gone, or one of an earlier fall, and whichever machine is there first serves. */
  async #fall(): Promise<void> {
    const machine = this.#machine;
    const fallen = machine.keep();
    await this.#log.abandon();
    const disk = this.#random.below(3);
    if (disk === 0) {
      rmSync(machine.directory, { recursive: true });
      machine.heads.all.clear();
    } else if (disk === 1) (this.#fell.get(machine) ?? fallen).bringBack();
    else fallen.bringBack();
    this.#fell.set(machine, fallen);
    this.#at = this.#random.below(2);
    await this.begin();
  }

  async #stop(): Promise<void> {
    await this.#log.close();
    this.#at = this.#random.below(2);
    await this.begin();
  }

  /** The other one serves, while this one runs and does not know. */
  async #overtake(): Promise<void> {
    const [before, at] = [this.#log, this.#at];
    this.#at = 1 - at;
    await this.begin();
    const { fate } = await before.append(this.#events(1));
    expect(fate).toBe('failed');
    const { head } = before;
    await before.abandon();
    expect(before.head).toEqual(head);
    expect(this.#machines[at]!.fatal).toEqual([]);
  }

  async judge(): Promise<void> {
    await this.#look();
    await this.#log.close();
    const fringe = new Fringe();
    const numbers: number[] = [];
    for (const entry of this.#server.logs.get(LOG)!.entries) {
      fringe.push(leafHash(entry), () => undefined);
      numbers.push((JSON.parse(entry.toString()) as { source_seq: number }).source_seq);
      const root = this.#seen.get(fringe.size);
      if (root !== undefined) expect(Buffer.from(fringe.root()).toString('base64')).toBe(root);
    }
    expect(numbers).toEqual(Array.from({ length: this.acknowledged }, (_, no) => no + 1));
    expect(this.#newest).toBe(numbers.length);
    expect(await this.#machine.verify()).toMatchObject({ verdict: 'good', size: this.acknowledged });
  }
}

test(
  `in ${RUNS} runs each acknowledged record is there once, under every checkpoint that was seen`,
  { timeout: RUNS * 20_000 },
  async () => {
    for (let no = 0; no < RUNS; no++) {
      const seed = testSeed() + no;
      const run = new Run(seed);
      try {
        await run.begin();
        for (let step = 0; step < STEPS; step++) await run.step();
        await run.judge();
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
  },
);

test('a place that says so before it has them is found', { timeout: 60_000 }, async () => {
  let found = 0;
  for (let seed = 1; seed <= 3; seed++) {
    const run = new Run(seed, true);
    const all = async (): Promise<void> => {
      await run.begin();
      for (let step = 0; step < STEPS; step++) await run.step();
      await run.judge();
    };
    await all().catch(() => found++);
  }
  expect(found).toBe(3);
});
