/** One life of a simulated node: it beats, takes over, writes and reads, with the code of the product or with one rule of it broken. */
import { chained } from '#storage/log-engine/chain.ts';
import { MemoryNodes } from '#test/storage/log-engine/memory-nodes.ts';
import type { Incarnation, NodeEngine, NodeSight } from '#storage/log-engine/nodes-port.ts';
import { OutcomeUnknown, type ClaimWish, type LogEngine, type LogEntry } from '#storage/log-engine/port.ts';
import { EMPTY_BASE, takeOver, type Owned } from '#storage/log-engine/take-over.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { ConfirmRounds } from '#runtime/cluster/confirm-rounds.ts';
import { Lease, Watch } from '#runtime/cluster/lease.ts';
import { Membership } from '#runtime/cluster/membership.ts';
import { LAST_MS, LEASE_MS, type LifeNode, type LifeWorld } from './lease-rules.ts';

const BEAT_MS = LEASE_MS / 5;
const STANDBY_BEAT_MS = 1000;
const PAUSE_MS = 500;
const MIB = 1024 * 1024;

class GaveUp extends Error {}

class LeaseFromAnswer extends Lease {
  readonly #now: () => number;

  constructor(leaseMs: number, now: () => number) {
    super(leaseMs);
    this.#now = now;
  }

  override renewed(): void {
    super.renewed(this.#now());
  }
}

/** Takes a round that is under way for one that began behind the ask. */
class EarlyRounds extends ConfirmRounds {
  #underWay: Promise<boolean> | null = null;

  override ask(): Promise<boolean> {
    this.#underWay ??= super.ask().finally(() => (this.#underWay = null));
    return this.#underWay;
  }
}

/** As an operator who fences a node that lives. Where reads are confirmed that is no fault. */
class ImpatientWatch extends Watch {
  override isSilent(node: NodeSight, now: number): boolean {
    return super.isSilent({ ...node, leaseMs: 0 }, now);
  }
}

export class SimulatedLife {
  readonly #world: LifeWorld;
  readonly #node: LifeNode;
  readonly #lease: Lease;
  readonly #nodes: NodeEngine;
  readonly #engine: LogEngine;
  readonly #membership: Membership;
  readonly #life: Incarnation;
  readonly #confirms: ConfirmRounds;
  #serves = false;
  #isOver = false;
  #owned: Owned | null = null;
  #tokens = 0;

  constructor(world: LifeWorld, node: LifeNode, id: string) {
    const { rules, log } = world;
    const now = (): number => node.clock();
    this.#world = world;
    this.#node = node;
    this.#life = { id, node: node.name, place: node.name, leaseMs: LEASE_MS };
    const heldMs = rules.answersForShare ? LEASE_MS : LEASE_MS / 0.8;
    this.#lease = rules.countsFromSending ? new Lease(heldMs) : new LeaseFromAnswer(heldMs, now);
    const waits = rules.waitsForLease && world.reads === 'lease';
    const watch = waits ? new Watch(LEASE_MS, LEASE_MS / 2) : new ImpatientWatch(LEASE_MS / 3, LEASE_MS / 2);
    const over = <T extends object>(target: T): T => behindNetwork(target, node);
    const nodes = over(new MemoryNodes(log, world.nodeRules));
    this.#nodes = rules.condemnsFirst
      ? nodes
      : Object.assign(nodes, { condemn: () => node.call(() => Promise.resolve(true)) });
    const engine = log.connect();
    const claim: LogEngine['claim'] = async (wish) => {
      const claimed = await engine.claim(wish);
      if (claimed !== null) world.claims(node);
      return claimed;
    };
    this.#engine = Object.assign(over(engine), { claim: (wish: ClaimWish) => node.call(() => claim(wish)) });
    this.#membership = new Membership({
      nodes: this.#nodes,
      life: this.#life,
      lease: this.#lease,
      watch,
      now,
      follows: () => null,
      linked: () => null,
    });
    const Rounds = rules.roundsBehindReads ? ConfirmRounds : EarlyRounds;
    this.#confirms = new Rounds(() => this.#round(), 1000);
  }

  /** One beat, as a process of its own. */
  #round(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#world.time.begin(() =>
        this.#membership.look().then(({ standing }) => resolve(standing === 'serves'), reject),
      );
    });
  }

  get mayAnswer(): boolean {
    return this.#world.reads === 'lease' && this.#owned !== null && this.#lease.holds(this.#node.clock());
  }

  async beats(): Promise<void> {
    const { time, reached } = this.#world;
    await untilKnown(() => this.#membership.register(), this.#pause).catch(unlessGaveUp);
    while (!this.#isOver && time.now < LAST_MS) {
      try {
        const { standing } = await this.#membership.look();
        if (this.#isOver) return;
        const isOut = standing === 'fenced' || (this.#serves && standing === 'waits');
        if (standing === 'fenced') reached.fenced++;
        if (standing === 'serves' && !this.#serves) reached.takeOvers++;
        if (isOut) return this.#end();
        this.#serves = standing === 'serves';
        await this.#node.sleep(this.#serves ? BEAT_MS : STANDBY_BEAT_MS);
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error;
        await this.#node.sleep(PAUSE_MS);
      }
    }
  }

  async works(): Promise<void> {
    const { time, random } = this.#world;
    while (!this.#isOver && time.now < LAST_MS) {
      await this.#node.sleep(100 + random.below(500));
      await this.#work().catch(unlessGaveUp);
    }
  }

  #work(): Promise<void> {
    const { random } = this.#world;
    if (this.#owned === null) return this.#serves ? this.#own() : Promise.resolve();
    if (random.chance(0.01)) return this.#leave();
    if (random.chance(0.4)) return this.#write(this.#owned);
    const owned = this.#owned;
    if (this.#world.reads === 'lease') return this.#read(owned);
    // Several at a time share rounds.
    this.#world.time.begin(() => this.#confirmedRead(owned));
    return Promise.resolve();
  }

  async #hasPlace(): Promise<boolean> {
    return this.#world.reads === 'lease' ? this.#lease.holds(this.#node.clock()) : this.#isConfirmed();
  }

  /** A process waits by sleeping alone. */
  async #isConfirmed(): Promise<boolean> {
    const answer: { isConfirmed: boolean | null } = { isConfirmed: null };
    void this.#confirms.ask().then((isConfirmed) => (answer.isConfirmed = isConfirmed));
    while (answer.isConfirmed === null) await this.#node.sleep(10);
    return answer.isConfirmed;
  }

  /** What is answered is as of the beginning; it leaves when a round has shown that this node had its place then. */
  async #confirmedRead({ seq }: Owned): Promise<void> {
    const { acknowledged, reached, violations } = this.#world;
    const isConfirmed = await this.#isConfirmed();
    if (this.#isOver || !isConfirmed) return;
    reached.confirmed++;
    if (seq < acknowledged) violations.push(`${this.#life.id} reads ${seq}, and ${acknowledged} was acknowledged`);
  }

  #pause = async (): Promise<void> => {
    await this.#node.sleep(PAUSE_MS);
    if (this.#isOver || this.#world.time.now >= LAST_MS) throw new GaveUp();
  };

  #end(): void {
    this.#isOver = true;
    this.#owned = null;
    this.#lease.end();
  }

  async #leave(): Promise<void> {
    const { epoch } = this.#owned!;
    this.#end();
    await untilKnown(
      () => this.#engine.release(0, epoch),
      () => this.#node.sleep(PAUSE_MS),
    );
    await this.#membership.leave().catch(unlessUnknown);
  }

  /** As storage/engine-journals/bring-up.ts does: the epoch, the lease, the claim. */
  async #own(): Promise<void> {
    const { acknowledged, random, rules } = this.#world;
    const { epoch: seen } = await untilKnown(() => this.#engine.look(0), this.#pause);
    // A process may stand still here for longer than its lease.
    if (random.chance(0.2)) await this.#node.sleep(random.below(2 * LEASE_MS));
    if (rules.asksBeforeClaim && !(await this.#hasPlace())) return;
    const wish = { shard: 0, seen, owner: this.#life.id, token: `${this.#life.id} ${this.#tokens++}` };
    const work = { engine: this.#engine, wish, base: EMPTY_BASE, bytesMax: MIB, take: () => undefined };
    const owned = await takeOver({ ...work, pause: this.#pause });
    if (owned === null || this.#isOver) return;
    this.#owned = owned;
    if (owned.seq <= acknowledged) this.#world.violations.push(`${this.#life.id} opens without entry ${acknowledged}`);
    this.#world.answers(this.#node);
  }

  async #write({ epoch, seq, chain, time }: Owned): Promise<void> {
    const plain = { shard: 0, epoch, seq: seq + 1, confirmed: seq, first: 0, time, body: new Uint8Array() };
    const entry: LogEntry = chained(chain, plain);
    const [outcome] = await untilKnown(() => this.#engine.append([entry]), this.#pause);
    if (this.#isOver) return;
    if (outcome === 'lost') return this.#end();
    this.#owned = { epoch, seq: entry.seq, chain: entry.chain, time };
    this.#world.reached.writes++;
    this.#world.acknowledged = Math.max(this.#world.acknowledged, entry.seq);
  }

  /** What was read leaves a while later: the lease is asked then. */
  async #read({ seq }: Owned): Promise<void> {
    const { rules, acknowledged, reached, random, violations } = this.#world;
    await this.#node.sleep(random.below(300));
    if (this.#isOver) return;
    if (rules.asksLease && !this.#lease.holds(this.#node.clock())) {
      reached.readsRefused++;
      return;
    }
    reached.reads++;
    this.#world.answers(this.#node);
    if (seq < acknowledged) violations.push(`${this.#life.id} reads ${seq}, and ${acknowledged} was acknowledged`);
  }
}

/** Each call of an object goes over the node's network. */
function behindNetwork<T extends object>(target: T, node: LifeNode): T {
  const called = (name: string | symbol): unknown => {
    const verb = (target as Record<string | symbol, unknown>)[name];
    if (typeof verb !== 'function') return verb;
    return (...words: unknown[]) => node.call(() => verb.apply(target, words) as Promise<unknown>);
  };
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(target)).filter((name) => name !== 'constructor');
  return Object.fromEntries(names.map((name) => [name, called(name)])) as T;
}

function unlessGaveUp(error: unknown): void {
  if (!(error instanceof GaveUp)) throw error;
}

function unlessUnknown(error: unknown): void {
  if (!(error instanceof OutcomeUnknown)) throw error;
}
