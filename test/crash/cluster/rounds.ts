/** Faults one after the other, under clients that go on the whole time: after each the nodes are whole, every history is one order of calls, and what was acknowledged is there. */
import { setTimeout as passed } from 'node:timers/promises';
import { Random } from '#test/kit/random.ts';
import { tally } from '#test/kit/tally.ts';
import { FAULTS } from './faults.ts';
import { Gateways } from './gateways.ts';
import { DENSE } from './load.ts';
import { Orders } from './orders.ts';
import { RegisterClients, type Finding } from './register-clients.ts';
import { until, type World } from './world.ts';

const SOON_MS = 180_000;
/** Orders that are acknowledged behind a fault before it counts as over. */
const ORDERS_BEHIND = 5;
const HISTORIES_SHOWN = 3;

export class FaultRounds {
  readonly #world: World;
  readonly #seed: number;
  readonly #gateways: Gateways;
  readonly #registers: RegisterClients;
  readonly #orders: Orders;
  #round = 0;
  readonly done: Record<string, number> = {};
  takeovers = 0;

  constructor(world: World, seed: number, load = DENSE) {
    this.#world = world;
    this.#seed = seed;
    const random = new Random(seed);
    const urls = world.nodes.map(({ place }) => place.gateway);
    this.#gateways = new Gateways(urls, random, () => world.headers);
    this.#registers = new RegisterClients(`s${seed}`, this.#gateways, random, load.registers);
    this.#orders = new Orders(this.#gateways, world.receiver, load.orders);
  }

  get figures() {
    return { ...this.#registers.counts, ...this.#orders.counts, ...this.#gateways.counts, takeovers: this.takeovers };
  }

  /** So long without a fault, a fault, and what is behind it. Rejects with the round, its seed and what was found. */
  async run(name: string, quietMs = 0): Promise<void> {
    const began = performance.now();
    const round = ++this.#round;
    // A round's own schedule does not hang on how many calls clients made before it.
    const random = new Random(this.#seed + round);
    const before = { ...this.#registers.counts };
    const acknowledged = this.#orders.counts.acknowledged;
    this.#orders.round = round;
    try {
      if (quietMs > 0) await passed(quietMs);
      await this.#fault(name, random);
      const findings = [...(await this.#registers.judge()).map(described), ...(await this.#orders.missing(round))];
      if (findings.length > 0) throw new Error(findings.join('\n'));
      await this.#world.renew();
      await this.#world.useSession();
    } catch (error) {
      const where = `round ${round} (${name}) of seed ${this.#seed}; logs: ${this.#world.dir}/n*/log`;
      throw new Error(`${where}\n${(error as Error).message}`, { cause: error });
    }
    this.done[name] = (this.done[name] ?? 0) + 1;
    const histories = this.#registers.counts.histories - before.histories;
    tally({
      clusterSeconds: Math.round((performance.now() - began) / 1000),
      clusterFaults: 1,
      [FAULTS[name]!.counted]: 1,
      histories,
      acknowledged: this.#orders.counts.acknowledged - acknowledged,
    });
  }

  /** Ends the clients. */
  async end(): Promise<void> {
    await Promise.all([this.#registers.end(), this.#orders.end()]);
  }

  /** What is wrong behind all rounds: every order is looked for. */
  async lastFaults(): Promise<string[]> {
    return [
      ...(await this.#orders.missingAtLast()),
      ...this.#orders.toldTwice().map((number) => `order ${number} was told of under two ids`),
    ];
  }

  async #fault(name: string, random: Random): Promise<void> {
    const fault = FAULTS[name]!;
    const serving = await this.#world.untilWhole();
    const others = this.#world.others(serving);
    const before = others.map(({ overtaken }) => overtaken);
    const standby = random.pick(others);
    // Half of them in the moment in which a write is under way.
    if (random.chance(0.5)) await this.#registers.sent();
    await fault.run({ world: this.#world, random, serving, standby, others });
    const next = await this.#world.untilWhole();
    if (next !== serving) {
      this.takeovers++;
      tally({ takeovers: 1 });
    }
    // A heir that a busy machine kept from beating was overtaken since, maybe by the one before it.
    const isOvertaken = others.some(({ overtaken }, no) => overtaken > before[no]!);
    if (fault.takesOver && next === serving && !isOvertaken) throw new Error('no other node has taken over');
    const enough = this.#orders.counts.acknowledged + ORDERS_BEHIND;
    await until('clients are served again', SOON_MS, () =>
      Promise.resolve(this.#orders.counts.acknowledged >= enough ? true : null),
    );
  }
}

function described({ id, verdict, history }: Finding, at: number): string {
  const head = `row ${id}: ${verdict.is}, ${verdict.furthest} of ${history.length} calls explained`;
  if (at >= HISTORIES_SHOWN) return head;
  const lines = history.map(
    ({ did, sentAt, answeredAt }) => `  ${sentAt.toFixed(1)}..${answeredAt.toFixed(1)} ${JSON.stringify(did)}`,
  );
  return [head, ...lines].join('\n');
}
