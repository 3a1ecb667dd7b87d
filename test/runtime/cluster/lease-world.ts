/**
 * Nodes on one log under a simulated time: each has a clock of its own rate, which is wild where reads are confirmed, and a network that is slow, cut or well by turns; processes stand still. They beat, take over, write and read. A read
 * must show every write that was acknowledged before it began, whichever node answers; and one node at a time may answer. What is otherwise is written down as a violation.
 */
import { KEPT_NODE_RULES, type NodeRules } from '#test/storage/log-engine/memory-nodes.ts';
import { CALM, MemoryLog } from '#test/storage/log-engine/memory.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';
import type { Random } from '#test/kit/random.ts';
import { SimulatedLife } from './lease-life.ts';
import { LAST_MS, LEASE_MS, type LeaseReached, type LeaseRules, type LifeNode, type LifeWorld } from './lease-rules.ts';

/** Events in the order of their times, and processes that wait for them. */
class Time {
  now = 0;
  #events: { readonly at: number; readonly no: number; readonly run: () => void }[] = [];
  #no = 0;
  #busy = 0;

  sleepUntil(at: number): Promise<void> {
    this.#busy--;
    return new Promise((resolve) => {
      this.#events.push({ at: Math.max(at, this.now), no: this.#no++, run: resolve });
    });
  }

  /** A process begins, and waits between its steps by `sleepUntil` alone. */
  begin(process: () => Promise<void>): void {
    this.#busy++;
    void process().finally(() => this.#busy--);
  }

  async run(): Promise<void> {
    for (;;) {
      while (this.#busy > 0) await Promise.resolve();
      const next = this.#events.toSorted((a, b) => a.at - b.at || a.no - b.no)[0];
      if (next === undefined) return;
      this.#events.splice(this.#events.indexOf(next), 1);
      this.now = next.at;
      this.#busy++;
      next.run();
    }
  }
}

export class LeaseWorld implements LifeWorld {
  readonly violations: string[] = [];
  readonly reached: LeaseReached = {
    writes: 0,
    reads: 0,
    readsRefused: 0,
    confirmed: 0,
    takeOvers: 0,
    fenced: 0,
    unknown: 0,
    stoodStill: 0,
  };
  readonly time = new Time();
  readonly random: Random;
  readonly rules: LeaseRules;
  readonly reads: 'lease' | 'confirmed';
  readonly log: MemoryLog;
  readonly nodes: SimulatedNode[];
  /** Position of the newest entry that a writer was told to be durable. */
  acknowledged = 0;

  constructor(random: Random, rules: LeaseRules, reads: 'lease' | 'confirmed') {
    this.random = random;
    this.rules = rules;
    this.reads = reads;
    const chances = { ...CALM, waitCancelled: 0.02, takeOver: 0.002 * random.below(3) };
    this.log = new MemoryLog({ shards: 1, random: () => random.next(), chances });
    this.nodes = Array.from({ length: 2 + random.below(2) }, (_, at) => new SimulatedNode(this, `n${at}`));
  }

  async run(): Promise<void> {
    for (const node of this.nodes) node.begin();
    await this.time.run();
  }

  get nodeRules(): NodeRules {
    return this.rules.condemnsFirst ? KEPT_NODE_RULES : { ...KEPT_NODE_RULES, servesBehindFenced: false };
  }

  /** `node` answers: no other one may. One that has no lease any more may open late: it answers nothing, and its entries are lost. */
  answers(node: LifeNode): void {
    const other = this.nodes.find((one) => one !== node && one.mayAnswer);
    if (node.mayAnswer && other !== undefined) this.violations.push(`${node.name} answers while ${other.name} does`);
  }

  /** `node` has taken the shard, as the log has it: no other one may hold a lease over it. */
  claims(node: LifeNode): void {
    const other = this.nodes.find((one) => one !== node && one.mayAnswer);
    if (other !== undefined) this.violations.push(`${node.name} claims while ${other.name} answers`);
  }
}

type Way = 'well' | 'slow' | 'cut' | 'stands still';
const WAYS: readonly Way[] = ['well', 'well', 'well', 'slow', 'slow', 'cut', 'stands still'];

export class SimulatedNode implements LifeNode {
  readonly name: string;
  readonly #world: LeaseWorld;
  readonly #rate: number;
  #way: Way = 'well';
  #wayUntil = 0;
  #lives = 0;
  #life: SimulatedLife;

  constructor(world: LeaseWorld, name: string) {
    this.#world = world;
    this.name = name;
    const spread = world.reads === 'lease' ? 0.2 : 1.6;
    this.#rate = 1 - spread / 2 + spread * world.random.next();
    this.#life = this.#newLife();
  }

  begin(): void {
    const { time, random } = this.#world;
    time.begin(async () => {
      while (time.now < LAST_MS) {
        this.#way = random.pick(WAYS);
        this.#wayUntil = time.now + 500 + random.below(2 * LEASE_MS);
        await time.sleepUntil(this.#wayUntil);
      }
      this.#way = 'well';
    });
    this.#beginLife();
  }

  get mayAnswer(): boolean {
    return this.#life.mayAnswer;
  }

  /** Monotonic, and its own. */
  clock(): number {
    return this.#world.time.now * this.#rate;
  }

  /** So long by its clock, and on while the process stands still. */
  async sleep(ms: number): Promise<void> {
    const { time, reached } = this.#world;
    await time.sleepUntil(time.now + ms / this.#rate);
    while (this.#way === 'stands still' && time.now < LAST_MS) {
      reached.stoodStill++;
      await time.sleepUntil(this.#wayUntil);
      // The next way may be the same.
      await time.sleepUntil(time.now);
    }
  }

  /** A call over the network of now: there, and back. */
  async call<T>(run: () => Promise<T>): Promise<T> {
    try {
      await this.#travel();
      const answer = await run();
      await this.#travel();
      return answer;
    } catch (error) {
      if (error instanceof OutcomeUnknown) this.#world.reached.unknown++;
      throw error;
    }
  }

  async #travel(): Promise<void> {
    const { random } = this.#world;
    await this.sleep(this.#way === 'slow' ? random.below(LEASE_MS) : 1 + random.below(20));
    if (this.#way === 'cut') {
      await this.sleep(1000);
      throw new OutcomeUnknown('the network is cut');
    }
  }

  #newLife(): SimulatedLife {
    return new SimulatedLife(this.#world, this, `${this.name}.${this.#lives++}`);
  }

  /** A life works and beats side by side; when both have ended another one begins. */
  #beginLife(): void {
    const { time } = this.#world;
    const life = this.#life;
    let going = 2;
    const ended = (): void => {
      if (--going > 0 || time.now >= LAST_MS) return;
      this.#life = this.#newLife();
      this.#beginLife();
    };
    time.begin(() => life.beats().then(ended));
    time.begin(() => life.works().then(ended));
  }
}
