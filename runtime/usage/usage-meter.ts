/**
 * What each tenant has used today, in memory: the door counts a request with one Map read and two additions. What was counted since the
 * last flush leaves by `take`; a quota is compared with all that is known of the day. Days are UTC's. Spec: docs/contract/tenants.md §2, §3.
 */
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { UsageRow } from '#actors/protocol/usage.ts';
import { refuseQuota } from './refuse-quota.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';

const DAY_MS = 86_400_000;

type Counts = { -readonly [K in keyof UsageRow]: UsageRow[K] };

interface Cell {
  /** Not flushed yet. */
  readonly counts: Counts;
  /** Requests of the day, flushed or not. */
  requestsToday: number;
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export class UsageMeter {
  readonly #now: () => number;
  #cells = new Map<string, Cell>();
  /** Of days that have ended since the last flush. */
  #ended: Counts[] = [];
  #day = '';
  #dayEndsMs = 0;

  /** `now`: milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request of a tenant, or gives its refusal: it has used up its quota of today. Planes are their operators', and are not counted. */
  request({
    localdir,
    position: { key },
    quota,
  }: Pick<TenantEntry, 'localdir' | 'position' | 'quota'>): Refusal | null {
    if (localdir === null) return null;
    const cell = this.#cellOf(key);
    if (quota !== undefined && cell.requestsToday >= quota.requests)
      return refuseQuota(quota.requests, this.#dayEndsMs - this.#now());
    cell.requestsToday++;
    cell.counts.requests++;
    return null;
  }

  /** A mail, or a webhook, of a tenant was taken by its receiver. */
  sent(key: string, kind: 'mails' | 'webhooks'): void {
    this.#cellOf(key).counts[kind]++;
  }

  /** What earlier runs of the node have stored of today. */
  load(rows: readonly UsageRow[]): void {
    for (const { day, tenant, requests } of rows) {
      const cell = this.#cellOf(tenant);
      if (day === this.#day) cell.requestsToday += requests;
    }
  }

  /** Everything that was counted since the last call. */
  take(): UsageRow[] {
    this.#roll(this.#now());
    const taken: UsageRow[] = this.#ended;
    this.#ended = [];
    for (const { counts } of this.#cells.values()) {
      if (isNothing(counts)) continue;
      taken.push({ ...counts });
      counts.requests = counts.mails = counts.webhooks = 0;
    }
    return taken;
  }

  #cellOf(key: string): Cell {
    const now = this.#now();
    if (now >= this.#dayEndsMs) this.#roll(now);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      const counts = { day: this.#day, tenant: key, requests: 0, mails: 0, webhooks: 0 };
      this.#cells.set(key, (cell = { counts, requestsToday: 0 }));
    }
    return cell;
  }

  /** The clock is never set back below the node's floor, so a day ends once. */
  #roll(now: number): void {
    if (now < this.#dayEndsMs) return;
    for (const { counts } of this.#cells.values()) if (!isNothing(counts)) this.#ended.push(counts);
    this.#cells = new Map();
    this.#day = dayOf(now);
    this.#dayEndsMs = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  }
}

const isNothing = ({ requests, mails, webhooks }: UsageRow): boolean => requests + mails + webhooks === 0;
