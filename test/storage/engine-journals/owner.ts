/**
 * Owners that take shards over from one another, each with a disk of its own: they write, sweep, crash, close and come back. A ledger holds every record that was handed to a journal, and those that
 * were acknowledged; an auditor reads the logs in the end.
 */
import { Follower } from '#storage/follower.ts';
import { engineJournals } from '#storage/engine-journals/engine-journals.ts';
import { BodyReader } from '#storage/engine-journals/body.ts';
import { ShardFollower } from '#storage/engine-journals/follow-shard.ts';
import { Corruption, ShardStopped, StorageFull } from '#storage/fault.ts';
import type { Journals } from '#storage/journal/port.ts';
import { recordWrites } from '#storage/journal/record.ts';
import { Budget } from '#storage/overlay/budget.ts';
import { Cell } from '#storage/overlay/cell.ts';
import { Overlay } from '#storage/overlay/overlay.ts';
import { EngineRefused, OutcomeUnknown, type LogEngine } from '#storage/log-engine/port.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import type { Random } from '#test/kit/random.ts';
import { MemoryEnvironment } from './memory-environment.ts';

export class GaveUp extends Error {}

const BOUNDS = { gatherMax: 4, putsMax: 2 };
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];

export const loopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Settings of small sizes, so that entries are cut and read in pieces. */
export const small = (engine: LogEngine, owner: string, pause: () => Promise<void>, seal: LogSeal | null = null) => ({
  engine,
  seal,
  owner,
  bounds: BOUNDS,
  readBytesMax: 300,
  opensMax: 2,
  waitingBytesMax: 2000,
  pause,
  now: () => 1000,
});

/** Records by `shard epoch number`, as text. */
export class Ledger {
  readonly handed = new Map<string, string>();
  readonly acknowledged = new Set<string>();
  readonly violations: string[] = [];
  /** Seals what the owners write; null where it stays as it is. */
  seal: LogSeal | null = null;
  readonly reached = {
    acknowledged: 0,
    lost: 0,
    gaveUp: 0,
    opened: 0,
    stopped: 0,
    full: 0,
    replayed: 0,
    closed: 0,
    followed: 0,
  };
  drawn = 0;
}

interface Serving {
  readonly journals: Journals;
  readonly followers: ReadonlyMap<number, Follower>;
  readonly overlays: ReadonlyMap<number, Overlay>;
  readonly lost: Set<number>;
  isOver: boolean;
}

export class Owner {
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #connect: () => LogEngine;
  readonly #name: string;
  environments: Map<number, MemoryEnvironment>;
  #serving: Serving | null = null;
  #following: ShardFollower[] = [];

  constructor(name: string, shards: number, ledger: Ledger, random: Random, connect: () => LogEngine) {
    this.#name = name;
    this.#ledger = ledger;
    this.#random = random;
    this.#connect = connect;
    this.environments = new Map(Array.from({ length: shards }, (_, no) => [no, new MemoryEnvironment()]));
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) await this.#act();
    this.crash();
  }

  /** Only follows, as a standby of which nothing is wanted. */
  async follows(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) await (this.#random.chance(0.7) ? this.#follow() : loopTurn());
    this.crash();
  }

  async #act(): Promise<void> {
    const serving = this.#serving;
    const drawn = this.#random.below(30);
    if (serving === null) return drawn < 8 ? this.open() : drawn < 20 ? this.#follow() : loopTurn();
    if (drawn < 20) this.#write(serving);
    else if (drawn < 28) await loopTurn();
    else if (drawn < 29) this.crash();
    else await this.#close(serving);
  }

  /** As a standby does while another one serves; it goes on after a crash in the middle. */
  async #follow(): Promise<void> {
    const shard = this.#random.below(this.environments.size);
    const environment = this.environments.get(shard)!;
    if (this.#random.chance(0.1)) environment.commitsLeft = this.#random.below(3);
    try {
      const { bounds, readBytesMax } = small(this.#connect(), this.#name, this.#pause);
      const { seal } = this.#ledger;
      const follower = (this.#following[shard] ??= new ShardFollower({
        engine: this.#connect(),
        shard,
        environment,
        bounds,
        readBytesMax,
        seal,
      }));
      const before = follower.seq;
      const step = follower.step();
      await (environment.commitsLeft < Number.POSITIVE_INFINITY ? Promise.race([step, untilDown(environment)]) : step);
      this.#ledger.reached.followed += follower.seq - before;
    } catch (error) {
      if (error instanceof EngineRefused || error instanceof Corruption)
        this.#ledger.violations.push(`${this.#name} follows: ${error.message}`);
      else if (!(error instanceof OutcomeUnknown)) throw error;
    }
    if (environment.commitsLeft < Number.POSITIVE_INFINITY) this.crash();
  }

  #pause = async (): Promise<void> => {
    // At once, now and then: then the engine has not come to rest when the call is made again.
    if (this.#random.chance(0.5)) await loopTurn();
    if (this.#random.chance(0.1)) throw new GaveUp();
  };

  async open(pause = this.#pause): Promise<void> {
    this.#following = [];
    const ledger = this.#ledger;
    // eslint-disable-next-line prefer-const -- the journal may fail before there is something to end
    let serving: Serving | null = null;
    const onFatal = (): void => this.#end(serving);
    try {
      const { journals, found } = await engineJournals(small(this.#connect(), this.#name, pause, ledger.seal))(
        this.environments,
        onFatal,
      );
      ledger.reached.opened++;
      ledger.reached.stopped += found.stopped.size;
      ledger.reached.replayed += found.records;
      serving = this.#serve(journals, new Set(found.stopped.keys()));
      this.#serving = serving;
    } catch (error) {
      const isRefused = error instanceof EngineRefused || error instanceof Corruption;
      if (!(error instanceof GaveUp) && !isRefused) throw error;
      if (isRefused) ledger.violations.push(`${this.#name} opens: ${error.message}`);
      ledger.reached.gaveUp++;
      this.crash();
    }
  }

  #serve(journals: Journals, lost: Set<number>): Serving {
    const followers = new Map<number, Follower>();
    const overlays = new Map<number, Overlay>();
    for (const [no, environment] of this.environments) {
      if (lost.has(no)) continue;
      const journal = journals.of(no);
      const overlay = new Overlay();
      overlays.set(no, overlay);
      const follower = new Follower({
        environment,
        overlay,
        budget: new Budget(1e6, 1e9),
        epoch: journal.epoch,
        putsMax: 2,
        sweepCells: 8,
        sweepBytes: 1e6,
        calmCellsMax: 4,
        waitsMax: 2,
        durable: () => journal.durable,
        reach: (number) => journal.reach(number),
        onFollowed: (upTo) => journal.retire(upTo),
        schedule: (begin) => setImmediate(begin),
      });
      followers.set(no, follower);
    }
    journals.onDurable(() => {
      for (const follower of followers.values()) follower.follow();
    });
    journals.onLost((no) => {
      this.#ledger.reached.lost++;
      lost.add(no);
      followers.get(no)!.abandon();
    });
    return { journals, followers, overlays, lost, isOver: false };
  }

  #write({ journals, overlays, lost }: Serving): void {
    const ledger = this.#ledger;
    const no = this.#random.below(this.environments.size);
    const overlay = overlays.get(no);
    if (overlay === undefined) return;
    const journal = journals.of(no);
    const cells = this.#cells();
    let number: number;
    try {
      number = journal.append(cells);
    } catch (error) {
      if (error instanceof StorageFull) ledger.reached.full++;
      else if (!(error instanceof ShardStopped) || !lost.has(no)) throw error;
      return;
    }
    for (const cell of cells) {
      cell.number = number;
      overlay.growing.add(cell);
    }
    const id = `${no} ${journal.epoch} ${number}`;
    ledger.handed.set(id, textOf(cells));
    journal.whenDurable(number, () => {
      if (lost.has(no)) ledger.violations.push(`${id} is acknowledged, and its shard is lost`);
      ledger.acknowledged.add(id);
      ledger.reached.acknowledged++;
    });
  }

  /** Values that only this record has; now and then one that no entry takes whole. */
  #cells(): Cell[] {
    const count = 1 + this.#random.below(4);
    return Array.from({ length: count }, () => {
      const size = this.#random.chance(0.1) ? 150 + this.#random.below(300) : this.#random.below(20);
      const value = `${this.#ledger.drawn++}${'.'.repeat(size)}`;
      return new Cell(this.#random.pick(KEYS), this.#random.chance(0.1) ? null : Buffer.from(value));
    });
  }

  async #close(serving: Serving): Promise<void> {
    serving.journals.seal();
    await serving.journals.settled();
    if (serving.isOver) return;
    await Promise.all(Array.from(serving.followers.values(), (follower) => follower.settled()));
    await serving.journals.close(true);
    if (serving.isOver) return;
    this.#ledger.reached.closed++;
    this.crash();
  }

  /** The process ends: what its disks have stays. */
  crash(): void {
    this.#end(this.#serving);
    this.#following = [];
    this.environments = new Map(Array.from(this.environments, ([no, environment]) => [no, environment.crash()]));
    this.#serving = null;
  }

  #end(serving: Serving | null): void {
    if (serving === null || serving.isOver) return;
    serving.isOver = true;
    serving.journals.halt();
    for (const follower of serving.followers.values()) follower.abandon();
    if (this.#serving === serving) this.crash();
  }
}

/** Its commits have no end then. */
async function untilDown(environment: MemoryEnvironment): Promise<void> {
  while (environment.commitsLeft >= 0 && !environment.isDown) await loopTurn();
}

function textOf(writes: Iterable<{ readonly key: string; readonly value: Uint8Array | null }>): string {
  return Array.from(
    writes,
    ({ key, value }) => `${key}=${value === null ? '' : Buffer.from(value).toString('latin1')}`,
  ).join();
}

interface InLog {
  readonly id: string;
  readonly text: string;
}

/** The records of a shard's log, in order. */
export async function recordsInLog(engine: LogEngine, shard: number, seal: LogSeal | null = null): Promise<InLog[]> {
  const { epoch } = await engine.look(shard);
  const chunk = await engine.readOwn(shard, epoch, 0, 1e9);
  const reader = new BodyReader(seal);
  await reader.know(chunk!.entries);
  return chunk!.entries.flatMap((entry) =>
    reader.take(entry).map((record) => ({
      id: `${shard} ${record.epoch} ${record.number}`,
      text: textOf(recordWrites(record)),
    })),
  );
}

/** What the log holds must be what was handed in, in order and without gaps, with all that was acknowledged; each disk must come to the same state. */
export async function audit(
  ledger: Ledger,
  engine: LogEngine,
  owners: readonly Owner[],
  shards: number,
): Promise<void> {
  const say = (what: string): void => void ledger.violations.push(what);
  for (let shard = 0; shard < shards; shard++) {
    const inLog = await recordsInLog(engine, shard, ledger.seal).catch((error: unknown) => {
      if (!(error instanceof Corruption)) throw error;
      say(error.message);
      return [];
    });
    const there = new Set(inLog.map(({ id }) => id));
    const next = new Map<string, number>();
    for (const { id, text } of inLog) {
      const [, epoch, number] = id.split(' ');
      if (Number(number) !== (next.get(epoch!) ?? 1)) say(`${id} is in the log out of order`);
      next.set(epoch!, Number(number) + 1);
      if (ledger.handed.get(id) !== text) say(`${id} is in the log, and was written otherwise`);
    }
    for (const id of ledger.acknowledged)
      if (id.startsWith(`${shard} `) && !there.has(id)) say(`${id} was acknowledged, and is not in the log`);
    const wanted = JSON.stringify(stateOf(inLog));
    for (const owner of owners) {
      await owner.open(loopTurn);
      const found = JSON.stringify(owner.environments.get(shard)!.rows());
      if (found !== wanted) say(`shard ${shard}: a disk comes to ${found}, and the log to ${wanted}`);
      owner.crash();
    }
  }
}

function stateOf(records: readonly InLog[]): Record<string, string> {
  const state = new Map<string, string>();
  for (const { text } of records)
    for (const write of text.split(',')) {
      const [key, value] = write.split('=') as [string, string];
      if (value === '') state.delete(key);
      else state.set(key, value);
    }
  return Object.fromEntries([...state].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
