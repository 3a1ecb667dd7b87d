/**
 * The oracle of the door: what each request may have been answered, in plain code. It knows what callers have sent and when threads ended, and nothing of gates
 * and visits.
 */
import { limits } from '#config/limits.ts';
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import type { Answer } from './response.ts';
import { BODY_BYTES_MAX, PIECE_BYTES, refusals, rows, textOf } from './service.ts';
import type { Wish } from './wish.ts';

/** A profile of the rates: how much a caller may have at once, and a second. */
interface RateWish {
  readonly burst: number;
  readonly perSecond: number;
}

/** What one request has come to. */
export interface Asked {
  readonly wish: Wish;
  readonly atMs: number;
  endedMs: number;
  /** `left`: its caller went; `fell`: the process ended; `cut`: the door has closed its connection. */
  end: 'answered' | 'left' | 'fell' | 'cut' | null;
  answer: Answer | null;
  /** How often the metrics have counted it. */
  counted: number;
}

/** No visit lasts longer than its caller needs and this: two windows of its pace, in the first of which something may have moved, and the replacing of a host. */
const VISIT_MS_MAX = 2 * (limits.door.slowWindowMs + 2 * limits.door.slowTickMs) + 20_000;

export class DoorModel {
  readonly asked: Asked[] = [];
  /** When hosts were away: from the end of a thread until every place serves again. */
  readonly #away: { readonly fromMs: number; toMs: number }[] = [];
  /** Tenants that were suspended at some time. */
  readonly suspended = new Set<number>();
  /** Whether any host was replaced. */
  get #hasReplaced(): boolean {
    return this.#away.length > 0;
  }

  readonly #writes: RateWish;
  /** When the process ended, and the table of its rates with it. */
  readonly #fellMs: number[] = [];
  /** Orders that an answer has shown. */
  readonly #shown = new Set<number>();
  acknowledged = 0;

  /** `writes`: the profile of the routes that have a rate. */
  constructor(writes: RateWish) {
    this.#writes = writes;
  }

  ask(wish: Wish, atMs: number): Asked {
    const asked: Asked = { wish, atMs, endedMs: 0, end: null, answer: null, counted: 0 };
    this.asked.push(asked);
    return asked;
  }

  away(fromMs: number): void {
    this.#away.push({ fromMs, toMs: Infinity });
  }

  fell(nowMs: number): void {
    this.#fellMs.push(nowMs);
    this.away(nowMs);
  }

  back(toMs: number): void {
    for (const one of this.#away) one.toMs = Math.min(one.toMs, toMs);
  }

  /** By when it has to have ended, in milliseconds from its beginning. */
  visitMsOf({ wish }: Asked): number {
    return VISIT_MS_MAX + sendsForMs(wish) + (wish.reading === null ? 0 : readsForMs(wish));
  }

  /** Throws where a request may not have ended so. */
  ended(asked: Asked, end: NonNullable<Asked['end']>, answer: Answer | null, nowMs: number): void {
    const { wish } = asked;
    const text = `request ${wish.no} (${wish.method} ${wish.path})`;
    if (asked.end === 'left' || asked.end === 'fell') return;
    if (asked.end !== null) throw new Error(`${text} has ended twice: ${asked.end}, ${end}`);
    asked.end = end;
    asked.endedMs = nowMs;
    asked.answer = answer;
    if (end === 'cut' && !this.#mayBeCut(asked)) throw new Error(`the door has cut ${text}, whose caller waits`);
    if (answer !== null) this.#judge(asked, answer, text);
  }

  /** A caller that does not read, or an answer whose host has ended in its middle. */
  #mayBeCut(asked: Asked): boolean {
    const { kind, reading } = asked.wish;
    return reading === null || ((kind === 'down' || kind === 'large') && this.#wasAway(asked));
  }

  #wasAway({ atMs, endedMs }: Asked): boolean {
    return this.#away.some(({ fromMs, toMs }) => fromMs <= endedMs && toMs >= atMs);
  }

  #judge(asked: Asked, { status, head, body }: Answer, text: string): void {
    const { wish } = asked;
    if (!head.includes(`\r\nX-Request-Id: r${wish.no}`))
      throw new Error(`${text} was answered under another id: ${head}`);
    if (asked.counted !== 1) throw new Error(`${text} was answered, and counted ${asked.counted} times`);
    if (status >= 200 && status < 300) this.#judgeReply(wish, status, body, text);
    else if (!this.#mayRefuse(asked, status, body)) throw new Error(`${text} was answered ${status}: ${body}`);
  }

  #judgeReply(wish: Wish, status: number, body: string, text: string): void {
    const { kind, order, answerBytes } = wish;
    if (kind === null || rows[kind].replies[status] === undefined) throw new Error(`${text} was answered ${status}`);
    if (wish.at.what !== 'tenant') throw new Error(`${text} has no tenant, and was answered ${status}`);
    if (kind === 'down' || kind === 'large') {
      if (body !== textOf(order, answerBytes)) throw new Error(`${text} was answered with the body of another`);
      return;
    }
    const { no, bytes, orders } = JSON.parse(body) as { no: number; bytes?: number; orders?: number[] };
    if (no !== order) throw new Error(`${text} was answered with ${body}`);
    if (kind === 'up' && bytes !== wish.body.byteLength)
      throw new Error(`${text} has sent ${wish.body.byteLength} bytes, and ${bytes} were read`);
    if (orders !== undefined) for (const one of orders) this.#shown.add(one);
    else {
      this.#shown.add(order);
      this.acknowledged++;
    }
  }

  /** Whether the refusal is declared for what the request is. */
  #mayRefuse(asked: Asked, status: number, body: string): boolean {
    const { wish } = asked;
    const { what, tenantNo } = wish.at;
    // The addon cannot close a connection behind an answer in pieces (runtime/door/README.md).
    if (status === 411) return wish.isChunked && wish.kind === 'down' && body === '';
    const code = body === '' ? '' : (JSON.parse(body) as { code?: string; error: string });
    const name = code === '' ? '' : (code.code ?? code.error);
    const declared = Object.entries({ ...doorRefusals, ...refusals }).find(([one]) => one === name)?.[1];
    if (name !== '' && !(declared?.statuses as readonly number[] | undefined)?.includes(status)) return false;
    if (wish.kind === null) return status === (wish.path === '/nowhere' ? 404 : 405);
    const isTooLarge = rows[wish.kind].body === 'json' && wish.body.byteLength > BODY_BYTES_MAX;
    switch (name) {
      case 'invalid tenant':
        return what === 'unknown' || what === 'malformed' || what === 'none';
      case 'v2.no_tenant':
        return what === 'inactive';
      case 'tenant_suspended':
        return this.suspended.has(tenantNo);
      case 'body_too_large':
        return isTooLarge;
      case 'body_too_slow':
        return wish.stallsAfter !== null;
      case 'rate_limited':
        return rows[wish.kind].rate !== undefined;
      case 'unavailable':
        return this.#wasAway(asked);
      case 'suspended':
        return wish.kind === 'hold' && this.#hasReplaced;
      case 'key_in_use':
        return wish.key !== '' && this.#under(wish).length > 1;
      case 'key_reused':
        return this.#under(wish).some((other) => !other.body.equals(wish.body));
      default:
        return false;
    }
  }

  #under({ key, at, path }: Wish): Wish[] {
    return this.asked.flatMap(({ wish }) =>
      wish.key === key && wish.at.tenantNo === at.tenantNo && wish.path === path ? wish : [],
    );
  }

  /** At the end: `orders` that are there, by tenant. Throws with what is wrong. */
  judge(orders: ReadonlyMap<number, readonly number[]>): void {
    const there = new Set([...orders.values()].flat());
    for (const order of this.#shown)
      if (!there.has(order)) throw new Error(`order ${order} was answered, and is not there`);
    const byOrder = Map.groupBy(this.asked, ({ wish }) => wish.order);
    for (const [tenantNo, all] of orders)
      for (const order of all) {
        const requests = byOrder.get(order)?.filter(({ wish }) => wish.at.tenantNo === tenantNo) ?? [];
        if (requests.length === 0) throw new Error(`tenant ${tenantNo} has order ${order} from nowhere`);
        if (requests.every(hasNotHappened)) throw new Error(`order ${order} was refused, and is there`);
      }
    for (const { wish, end, counted } of this.asked) {
      if (end === null) throw new Error(`request ${wish.no} has not ended`);
      if (counted > 1) throw new Error(`request ${wish.no} was counted ${counted} times`);
    }
    this.#judgeRates();
  }

  /** In no time has a caller been granted more than burst + rate × time. */
  #judgeRates(): void {
    const { burst, perSecond } = this.#writes;
    const granted = this.asked.filter(
      ({ wish: { kind }, answer }) => kind !== null && rows[kind].rate !== undefined && answer?.status === 201,
    );
    for (const [caller, all] of Map.groupBy(granted, ({ wish }) => `${wish.at.tenantNo} ${wish.address}`))
      for (const { atMs: fromMs } of all)
        for (const { endedMs: toMs } of all) {
          if (toMs < fromMs || this.#fellMs.some((ms) => ms >= fromMs && ms <= toMs)) continue;
          const count = all.filter(({ atMs, endedMs }) => atMs >= fromMs && endedMs <= toMs).length;
          if (count > burst + ((toMs - fromMs) / 1000) * perSecond + 0.01)
            throw new Error(
              `${caller} was granted ${count} writes from ${fromMs} to ${toMs} ms, and may have ${burst} and ${perSecond} a second`,
            );
        }
  }
}

/** An answer after which the request cannot have been carried out. */
function hasNotHappened({ answer }: Asked): boolean {
  return answer !== null && answer.status >= 400 && answer.status !== 503;
}

const sendsForMs = ({ chunks, chunkMs }: Wish): number => chunks * (chunkMs + 1);

function readsForMs({ answerBytes, reading, kind, chunks, query }: Wish): number {
  const { bytes, everyMs } = reading!;
  // Pieces after each of which its handler waits.
  const pieces = kind === 'down' ? Math.ceil(answerBytes / PIECE_BYTES) : kind === 'up' ? 2 * chunks : 0;
  const waitMs = Number(new URLSearchParams(query).get('ms'));
  return Math.ceil(Math.max(answerBytes, 1) / bytes) * everyMs + pieces * waitMs;
}
