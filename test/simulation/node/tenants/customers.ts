/**
 * Callers who create orders at tenants with services, and what they know of what became of them: the oracle of idempotency and of webhooks. What was answered
 * is there once, however often it was sent under its key; what was refused is nowhere; and each order that is there has left as a webhook, under one id.
 */
import { limits } from '#config/limits.ts';
import type { Random } from '#test/kit/random.ts';
import type { Arrival } from '#test/simulation/machine/receiver.ts';
import type { Errand } from '../errand.ts';
import type { Answered, TenantState } from './living.ts';
import { LIVING } from './position.ts';

interface Sent {
  readonly no: number;
  readonly key: string;
  readonly body: { readonly number: string };
  /** Attempts whose answer may still come, or never came. */
  open: number;
  /** The body of the answer, once it was created. */
  answer: string | null;
}

const REUSED = 422;
const IN_USE = 409;
const OVERLOADED = 503;

export class Customers {
  readonly #sent: Sent[] = [];
  answered = 0;

  errand(random: Random, no: number): Errand {
    const keyed = this.#sent.filter(({ key }) => key !== '');
    const dice = random.next();
    if (dice < 0.4 && keyed.length > 0) return this.#order(random.pick(keyed.slice(-6)), no);
    if (dice < 0.45 && keyed.length > 0) return this.#other(random.pick(keyed), no);
    const key = random.chance(0.7) ? `k${no}` : '';
    const sent = { no: random.below(LIVING), key, body: { number: `n${no}` }, open: 0, answer: null };
    this.#sent.push(sent);
    return this.#order(sent, no);
  }

  /** Sends it for the first time, or once more. */
  #order(sent: Sent, no: number): Errand {
    return this.#errand(sent, no, ({ status, body }) => {
      if (status === 200 || status === 201) {
        if (sent.answer !== null && sent.answer !== body)
          throw new Error(`${sent.key} was answered ${sent.answer}, and sent again ${body}`);
        this.answered++;
        sent.answer = body;
      } else if (status !== OVERLOADED && !(status === IN_USE && sent.open > 1))
        throw new Error(`an order was answered ${status}: ${body}`);
      sent.open--;
    });
  }

  /** Another order under a key that one has. */
  #other(sent: Sent, no: number): Errand {
    if (sent.answer === null) return this.#order(sent, no);
    return this.#errand({ ...sent, body: { number: `other${no}` } }, no, ({ status, body }) => {
      if (status !== REUSED) throw new Error(`another order under ${sent.key} was answered ${status}: ${body}`);
    });
  }

  #errand(sent: Sent, no: number, heard: (answer: Answered) => void): Errand {
    return {
      to: 'tenant-host',
      line: `order ${no} ${sent.body.number}`,
      take: (node, replied) => {
        sent.open++;
        void node.host!.living!.create(sent).then((answer) =>
          node.guard(() => {
            heard(answer);
            replied();
          }),
        );
      },
    };
  }

  /** At the end, when all are closed. `lives`: how many couriers there were. Throws with what is wrong. */
  judge(tenants: readonly TenantState[], arrivals: readonly Arrival[], lives: number): void {
    for (const [no, state] of tenants.entries()) this.#judgeOrders(no, state);
    judgeArrivals(tenants, arrivals, lives);
  }

  #judgeOrders(no: number, { orders, counts, failed }: TenantState): void {
    const ids = new Map([...orders].map(([id, number]) => [number, id]));
    if (ids.size !== orders.size) throw new Error(`tenant ${no} has an order twice`);
    const mine = this.#sent.filter((one) => one.no === no);
    for (const { body, open, answer } of mine) {
      const id = ids.get(body.number);
      if (answer !== null && id !== idIn(answer)) throw new Error(`${body.number} was answered ${answer} and is ${id}`);
      if (answer === null && open === 0 && id !== undefined)
        throw new Error(`${body.number} was refused and is there as ${id}`);
    }
    const known = new Set(mine.map(({ body }) => body.number));
    for (const number of ids.keys()) if (!known.has(number)) throw new Error(`tenant ${no} has ${number} from nowhere`);
    const wanted = { waiting: 0, dropped: 0, delivered: orders.size - failed.size, failed: failed.size };
    for (const [name, number] of Object.entries(wanted))
      if (counts[name as keyof typeof wanted] !== number)
        throw new Error(`tenant ${no} counts ${JSON.stringify(counts)}, and it is ${JSON.stringify(wanted)}`);
  }
}

const idIn = (answer: string): string => (JSON.parse(answer) as { data: [{ id: string }] }).data[0].id;

/** Each order left, under one id, not more often than declared, and nothing left of orders that a fall has undone. */
function judgeArrivals(tenants: readonly TenantState[], arrivals: readonly Arrival[], lives: number): void {
  const orders = new Map(tenants.flatMap(({ orders: all }) => [...all]));
  const byOrder = Map.groupBy(arrivals, ({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id);
  for (const [order, all] of byOrder) {
    if (!orders.has(order)) throw new Error(`a webhook has told of order ${order}, which is not there`);
    if (new Set(all.map(({ id }) => id)).size > 1) throw new Error(`order ${order} has left under two ids`);
    if (all.length > limits.content.webhookAttempts * lives)
      throw new Error(`order ${order} has left ${all.length} times in ${lives} lives of the courier`);
  }
  for (const { failed, orders: own } of tenants)
    for (const order of own.keys()) {
      const answers = (byOrder.get(order) ?? []).map(({ status }) => status ?? 0);
      const outcome = failed.get(order) ?? 'taken';
      const isTrue = outcome === 'taken' ? answers.some(isTaken) : outcome === 'failed' || answers.includes(410);
      if (!isTrue) throw new Error(`order ${order} is ${outcome}, and its receiver has answered ${answers.join()}`);
    }
}

const isTaken = (status: number): boolean => status >= 200 && status < 300;
