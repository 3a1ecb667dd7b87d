/**
 * Clients that create orders, each under a key of its own that is sent again until an answer comes, at whichever node: each is there once. Acknowledged ones fire a webhook, which a receiver gets at least once.
 */
import type { Receiver } from '#test/kit/webhook-receiver.ts';
import type { Gateways } from './gateways.ts';
import type { Load } from './load.ts';

const PAGE = 2000;
/** A client that was not answered asks again behind so much of its rest. */
const AGAIN = 0.25;
/** A webhook that a fault delayed is tried again a few times by then, on a machine with other work too. */
const TOLD_MS = 180_000;

interface Acknowledged {
  readonly round: number;
  readonly id: string;
}

interface OrderRow {
  readonly id: string;
  readonly number: string;
}

export class Orders {
  readonly #gateways: Gateways;
  readonly #receiver: Receiver;
  readonly #restMs: number;
  readonly #acknowledged = new Map<string, Acknowledged>();
  readonly #told = new Map<string, Set<string>>();
  readonly #clients: Promise<void>[];
  #isOver = false;
  #fault: unknown = null;
  /** Orders belong to the round in which they were begun. */
  round = 0;
  /** `again`: sent more than once. */
  readonly counts = { acknowledged: 0, again: 0 };

  constructor(gateways: Gateways, receiver: Receiver, { clients, restMs }: Load['orders']) {
    this.#restMs = restMs;
    this.#gateways = gateways;
    this.#receiver = receiver;
    this.#clients = Array.from({ length: clients }, (_, no) =>
      this.#run(no).catch((error: unknown) => void (this.#fault ??= error)),
    );
  }

  /** Acknowledged orders of a round that the node does not have, those of it that it has twice, and those that the receiver was not told of. */
  async missing(round: number): Promise<string[]> {
    if (this.#fault !== null) throw this.#fault;
    // Those of now: what is acknowledged while the rows are read need not be among them.
    const wanted = [...this.#acknowledged].filter(([, one]) => one.round === round);
    const rows = await this.#rows(`round=${round}&`);
    return [...faultsIn(rows, wanted), ...(await this.#untold(wanted))];
  }

  /** The same of all orders. */
  async missingAtLast(): Promise<string[]> {
    await this.end();
    if (this.#fault !== null) throw this.#fault;
    const wanted = [...this.#acknowledged];
    return [...faultsIn(await this.#rows(''), wanted), ...(await this.#untold(wanted))];
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  /** Numbers that were told under more than one id. */
  toldTwice(): string[] {
    this.#take();
    return [...this.#told].filter(([, ids]) => ids.size > 1).map(([number]) => number);
  }

  async #run(client: number): Promise<void> {
    for (let no = 0; !this.#isOver; no++) {
      const { round } = this;
      const number = `c${client}n${no}`;
      const id = await this.#create(number, round);
      if (id !== null) this.#acknowledged.set(number, { round, id });
      await this.#rest(1);
    }
  }

  #rest(part: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#restMs * part));
  }

  /** The id of the row; null when all ends before an answer comes. */
  async #create(number: string, round: number): Promise<string | null> {
    let unanswered = 0;
    while (!this.#isOver) {
      const answered = await this.#gateways.ask({
        method: 'POST',
        path: '/data/rest/order',
        headers: { 'Idempotency-Key': number },
        body: { number, round },
      });
      if (answered === 'unknown') unanswered++;
      // 409: the first attempt runs still.
      if (typeof answered === 'string' || answered.status === 409) {
        await this.#rest(AGAIN);
        continue;
      }
      if (answered.status !== 201) throw new Error(`an order was answered with ${answered.status}`);
      this.counts.acknowledged++;
      if (unanswered > 0) this.counts.again++;
      return (answered.json as { data: OrderRow[] }).data[0]!.id;
    }
    return null;
  }

  async #rows(filter: string): Promise<OrderRow[]> {
    const rows: OrderRow[] = [];
    for (;;) {
      const path = `/data/rest/order?${filter}limit=${PAGE}&offset=${rows.length}`;
      const answered = await this.#gateways.ask({ method: 'GET', path });
      if (typeof answered === 'string') {
        await this.#rest(AGAIN);
        continue;
      }
      if (answered.status !== 200) throw new Error(`a list of orders was answered with ${answered.status}`);
      const page = (answered.json as { data: OrderRow[] }).data;
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  }

  /** Waits for the webhooks of these; those that do not come. */
  async #untold(wanted: readonly (readonly [string, Acknowledged])[]): Promise<string[]> {
    const deadline = performance.now() + TOLD_MS;
    for (;;) {
      this.#take();
      const left = wanted.filter(([number]) => !this.#told.has(number));
      if (left.length === 0 || performance.now() > deadline)
        return left.map(([number]) => `no webhook told of order ${number}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** What was received is let go: a run may take hours. */
  #take(): void {
    for (const { body, headers } of this.#receiver.received.splice(0)) {
      const { number } = (JSON.parse(body) as { data: { row: { number: string } } }).data.row;
      const ids = this.#told.get(number) ?? new Set();
      this.#told.set(number, ids.add(String(headers['webhook-id'])));
    }
  }
}

function faultsIn(rows: readonly OrderRow[], wanted: readonly (readonly [string, Acknowledged])[]): string[] {
  const ids = Map.groupBy(rows, ({ number }) => number);
  const twice = [...ids].filter(([, found]) => found.length > 1).map(([number]) => `order ${number} is there twice`);
  const lost = wanted
    .filter(([number, { id }]) => ids.get(number)?.[0]?.id !== id)
    .map(([number, { id }]) => `acknowledged order ${number} (${id}) is not there`);
  return [...twice, ...lost];
}
