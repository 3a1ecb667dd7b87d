/**
 * Nodes that share a log engine, each with a copy of every shard: they follow, claim, write in one call for all shards that they own, make copies, let entries go, give up in the middle and
 * come back. What must not happen is written down as a violation, with the moment at which it shows.
 */
import { firstBreak, chained, FIRST_CHAIN } from '#storage/log-engine/chain.ts';
import { CALM, type MemoryEngine, type MemoryLog } from './memory.ts';
import { EngineRefused, OutcomeUnknown, TrimGap, TrimRefused } from '#storage/log-engine/port.ts';
import type { Chain, LogEntry, SnapshotNote } from '#storage/log-engine/port.ts';
import { takeOver } from '#storage/log-engine/take-over.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import type { Random } from '#test/kit/random.ts';

const MIB = 1024 * 1024;

class GaveUp extends Error {}

/** Chains by position: entry `seq` is at `seq - 1`. */
type Copy = readonly Chain[];

interface Shard {
  /** What LMDB would have: nothing of it may ever be taken back. */
  copy: Chain[];
  epoch: number | null;
  time: number;
}

export interface Reached {
  acknowledged: number;
  foundAgain: number;
  lost: number;
  gaveUp: number;
  claimsLost: number;
  owned: number;
  followed: number;
  gaps: number;
  copiesUsed: number;
  trimsRefused: number;
}

export class Crowd {
  readonly violations: string[] = [];
  readonly reached: Reached = {
    acknowledged: 0,
    foundAgain: 0,
    lost: 0,
    gaveUp: 0,
    claimsLost: 0,
    owned: 0,
    followed: 0,
    gaps: 0,
    copiesUsed: 0,
    trimsRefused: 0,
  };
  /** Shard and position of what a writer was told to be durable, with its chain. */
  readonly acknowledged: { readonly shard: number; readonly seq: number; readonly chain: Chain }[] = [];
  readonly store = new Map<string, Copy>();
  readonly log: MemoryLog;
  readonly random: Random;
  readonly shards: number;
  drawn = 0;

  constructor(log: MemoryLog, random: Random, shards: number) {
    this.log = log;
    this.random = random;
    this.shards = shards;
  }

  async run(nodes: number, steps: number): Promise<void> {
    const crowd = Array.from({ length: nodes }, (_, at) => new Node(this, `n${at}`));
    await Promise.all(crowd.map((node) => node.run(steps)));
    this.log.chances = CALM;
    await this.log.settled();
    await new Node(this, 'auditor').audit();
    for (const node of crowd) await node.followToTheEnd();
  }

  violation(what: string): void {
    this.violations.push(what);
  }
}

class Node {
  readonly #crowd: Crowd;
  readonly #name: string;
  readonly #shards: Shard[];
  #engine: MemoryEngine;
  /** Copies that lie in the store, and are noted later. */
  readonly #unnoted: { readonly shard: number; readonly note: SnapshotNote }[] = [];
  #isPatient = false;

  constructor(crowd: Crowd, name: string) {
    this.#crowd = crowd;
    this.#name = name;
    this.#engine = crowd.log.connect();
    this.#shards = Array.from({ length: crowd.shards }, () => ({ copy: [], epoch: null, time: 0 }));
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) await this.#guarded(async () => void (await this.#act()));
  }

  /** Takes every shard, from the newest copy or from nothing, and looks for all that was acknowledged. */
  async audit(): Promise<void> {
    this.#isPatient = true;
    await this.#guarded(async () => {
      for (const no of this.#shards.keys()) {
        const { snapshots, trimmed } = await this.#engine.look(no);
        if (trimmed > (snapshots[0]?.seq ?? 0))
          this.#crowd.violation(`shard ${no}: let go up to ${trimmed}, and no copy is as new`);
        else if (!(await this.#take(no))) this.#crowd.violation(`shard ${no}: nothing owns it and it cannot be taken`);
      }
    });
  }

  /** What a node has must be the beginning of what the log has in the end. */
  async followToTheEnd(): Promise<void> {
    this.#isPatient = true;
    for (const no of this.#shards.keys()) await this.#guarded(() => this.#follow(no));
  }

  /** A node that gives up loses what it had in memory, keeps what is on its disk, and comes back. */
  async #guarded(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof EngineRefused) this.#crowd.violation(`${this.#name}: ${error.message}`);
      else if (!(error instanceof GaveUp) && !(error instanceof OutcomeUnknown)) throw error;
      this.#crowd.reached.gaveUp++;
      for (const shard of this.#shards) shard.epoch = null;
      this.#engine = this.#crowd.log.connect();
    }
  }

  #act(): Promise<unknown> {
    const { random } = this.#crowd;
    const no = random.below(this.#shards.length);
    const owns = this.#shards.some(({ epoch }) => epoch !== null);
    const drawn = random.below(20);
    if (drawn < 10) return owns ? this.#write() : this.#follow(no);
    if (drawn < 14) return this.#follow(no);
    if (drawn < 16) return this.#copy(no);
    if (drawn < 17) return this.#letGo(no);
    return this.#shards[no]!.epoch === null ? this.#take(no) : this.#write();
  }

  #pause = (): Promise<void> =>
    !this.#isPatient && this.#crowd.random.chance(0.15) ? Promise.reject(new GaveUp()) : Promise.resolve();

  /** One entry for each shard that the node owns, in one call. */
  async #write(): Promise<void> {
    const { reached, acknowledged } = this.#crowd;
    const entries: LogEntry[] = [];
    for (const [no, shard] of this.#shards.entries()) if (shard.epoch !== null) entries.push(this.#next(no, shard));
    let tries = 0;
    const outcomes = await untilKnown(() => {
      tries++;
      return this.#engine.append(entries);
    }, this.#pause);
    for (const [at, { shard: no, seq, chain, time }] of entries.entries()) {
      const shard = this.#shards[no]!;
      if (outcomes[at] === 'lost') {
        reached.lost++;
        shard.epoch = null;
        continue;
      }
      reached.acknowledged++;
      if (tries > 1) reached.foundAgain++;
      acknowledged.push({ shard: no, seq, chain });
      shard.copy.push(chain);
      shard.time = time;
    }
  }

  #next(no: number, { copy, epoch, time }: Shard): LogEntry {
    const body = Buffer.from(`${this.#name} ${this.#crowd.drawn++}`);
    const seq = copy.length + 1;
    const plain = { shard: no, epoch: epoch!, seq, confirmed: copy.length, first: 0, time: time + 1, body };
    return chained(copy.at(-1) ?? FIRST_CHAIN, plain);
  }

  async #follow(no: number): Promise<void> {
    const shard = this.#shards[no]!;
    if (shard.epoch !== null) return;
    try {
      const { entries } = await untilKnown(() => this.#engine.readConfirmed(no, shard.copy.length, MIB), this.#pause);
      this.#add(no, entries);
      this.#crowd.reached.followed += entries.length;
    } catch (error) {
      if (!(error instanceof TrimGap)) throw error;
      this.#crowd.reached.gaps++;
      await this.#load(no);
    }
  }

  #add(no: number, entries: readonly LogEntry[]): void {
    const { copy } = this.#shards[no]!;
    const broken = firstBreak(copy.length, copy.at(-1) ?? FIRST_CHAIN, entries);
    if (broken !== null) throw new EngineRefused(`shard ${no}: entry ${broken} does not follow the copy`);
    for (const { chain } of entries) copy.push(chain);
  }

  /** The newest copy of the store takes the place of an older one. */
  async #load(no: number): Promise<void> {
    const shard = this.#shards[no]!;
    const { snapshots } = await untilKnown(() => this.#engine.look(no), this.#pause);
    const copy = this.#crowd.store.get(snapshots[0]?.name ?? '');
    if (copy === undefined || copy.length <= shard.copy.length) return;
    this.#crowd.reached.copiesUsed++;
    shard.copy = [...copy];
  }

  async #take(no: number): Promise<boolean> {
    const { reached, random } = this.#crowd;
    const shard = this.#shards[no]!;
    const { epoch } = await untilKnown(() => this.#engine.look(no), this.#pause);
    const base = { seq: shard.copy.length, chain: shard.copy.at(-1) ?? FIRST_CHAIN };
    const wish = { shard: no, seen: epoch, owner: this.#name, token: `${this.#crowd.drawn++}` };
    const take = (entries: readonly LogEntry[]): void => this.#add(no, entries);
    const bytesMax = random.below(100);
    try {
      const owned = await takeOver({ engine: this.#engine, wish, base, bytesMax, take, pause: this.#pause });
      if (owned === null) {
        reached.claimsLost++;
        return false;
      }
      this.#opens(no, owned.seq);
      shard.copy.push(owned.chain);
      shard.epoch = owned.epoch;
      shard.time = owned.time;
      reached.owned++;
      return true;
    } catch (error) {
      if (!(error instanceof TrimGap)) throw error;
      reached.gaps++;
      await this.#load(no);
      return this.#isPatient && this.#take(no);
    }
  }

  /** Everything that was acknowledged so far must be there. */
  #opens(no: number, begin: number): void {
    const { copy } = this.#shards[no]!;
    for (const { shard, seq, chain } of this.#crowd.acknowledged)
      if (shard === no && (this.#isPatient || seq < begin) && copy[seq - 1] !== chain)
        this.#crowd.violation(`${this.#name} opens shard ${no} without the acknowledged entry ${seq}`);
  }

  /** Makes a copy, and notes one that was made: maybe an older one. */
  async #copy(no: number): Promise<void> {
    const { copy } = this.#shards[no]!;
    const { random, store, drawn } = this.#crowd;
    if (copy.length > 0) {
      const note = { seq: copy.length, chain: copy.at(-1)!, name: `${this.#name}-${no}-${drawn}-${copy.length}` };
      store.set(note.name, [...copy]);
      this.#unnoted.push({ shard: no, note });
    }
    if (this.#unnoted.length === 0 || random.chance(0.4)) return;
    const [one] = this.#unnoted.splice(random.below(this.#unnoted.length), 1);
    await untilKnown(() => this.#engine.noteSnapshot(one!.shard, one!.note), this.#pause);
  }

  async #letGo(no: number): Promise<void> {
    const { random, reached } = this.#crowd;
    const seq = random.below(this.#shards[no]!.copy.length + 1);
    try {
      await untilKnown(() => this.#engine.trim(no, seq), this.#pause);
    } catch (error) {
      if (!(error instanceof TrimRefused)) throw error;
      reached.trimsRefused++;
    }
    await untilKnown(() => this.#engine.reclaim(), this.#pause);
  }
}
