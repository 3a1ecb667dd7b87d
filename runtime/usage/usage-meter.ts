/**
 * What each tenant has used today and this month, in memory: the door counts a request with one Map read and a few additions. What was
 * counted since the last flush leaves by `take`; a quota is compared with all that is known. Days and months are UTC's.
 * Spec: docs/contract/tenants.md §2, §3.
 */
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { COUNTED, KEPT, noCounts, QUOTAS } from '#actors/protocol/usage.ts';
import type { Counted, Counts, Held, Kept, MonthRow, Per, Quota, QuotaName, UsageRow } from '#actors/protocol/usage.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuseQuota } from './refuse-quota.ts';

const DAY_MS = 86_400_000;

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Sums = Record<Counted, number>;

interface Cell {
  /** Not flushed yet. */
  readonly counts: Writable<UsageRow>;
  /** Of the day and of the month, flushed or not. */
  readonly day: Sums;
  readonly month: Sums;
  /** What the tenant has now, as far as its host has said. */
  readonly now: Record<Held, number>;
  /** Whether something was counted since the last flush. */
  isChanged: boolean;
}

/** What a quota bounds, and how near to it the tenant is. */
export interface QuotaUse {
  readonly tenant: string;
  readonly quota: QuotaName;
  readonly used: number;
  readonly limit: number;
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

/** Quotas that refuse a request at the door: what hosts report counts from their last report on. */
const AT_DOOR = ['requests', 'requests_month', 'processor_ms', 'processor_ms_month'] as const;

export class UsageMeter {
  readonly #now: () => number;
  #cells = new Map<string, Cell>();
  /** Of days that have ended since the last flush. */
  #ended: UsageRow[] = [];
  #day = '';
  #dayEndsMs = 0;
  #month = '';
  #monthEndsMs = 0;

  /** `now`: milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request of a tenant, or gives its refusal: it has used up a quota. Planes are their operators', and are not counted. */
  request({
    localdir,
    position: { key },
    quota,
  }: Pick<TenantEntry, 'localdir' | 'position' | 'quota'>): Refusal | null {
    if (localdir === null) return null;
    const cell = this.#cellOf(key);
    const refusal = quota === undefined ? null : this.#refusal(cell, quota);
    if (refusal === null) add(cell, 'requests', 1);
    return refusal;
  }

  #refusal(cell: Cell, quota: Quota): Refusal | null {
    for (const name of AT_DOOR) {
      const limit = quota[name];
      if (limit === undefined) continue;
      const { of, per } = QUOTAS[name];
      if (cell[per][of] >= limit) return refuseQuota({ of, per, limit }, this.leftMs(per));
    }
    return null;
  }

  /** Milliseconds until the day or the month ends. */
  leftMs(per: Per): number {
    const now = this.#now();
    if (now >= this.#dayEndsMs) this.#roll(now);
    return (per === 'day' ? this.#dayEndsMs : this.#monthEndsMs) - now;
  }

  /** So much was used: a mail or webhook that its receiver took, what a host has reported. */
  used(key: string, kind: Counted, count = 1): void {
    add(this.#cellOf(key), kind, count);
  }

  /** The tenant has so many rows and bytes now. */
  has(key: string, kept: Readonly<Record<Kept, number>>): void {
    const cell = this.#cellOf(key);
    for (const name of KEPT) {
      cell.now[name] = kept[name];
      if (kept[name] <= cell.counts[name]) continue;
      cell.counts[name] = kept[name];
      cell.isChanged = true;
    }
  }

  /** Its stores have files of so many bytes now. */
  hasFiles(key: string, bytes: number): void {
    this.#cellOf(key).now.file_bytes = bytes;
  }

  /** How much of a kind its quotas leave a tenant; Infinity where none bounds it. */
  left(key: string, kind: Counted, quota: Quota | undefined): number {
    if (quota === undefined) return Infinity;
    const { day, month } = this.#cellOf(key);
    return Math.max(
      0,
      Math.min((quota[kind] ?? Infinity) - day[kind], (quota[`${kind}_month`] ?? Infinity) - month[kind]),
    );
  }

  /** How far a tenant has used each of its quotas. */
  quotasOf(key: string, quota: Quota): QuotaUse[] {
    const cell = this.#cellOf(key);
    return (Object.keys(quota) as QuotaName[]).map((name) => {
      const { of, per } = QUOTAS[name];
      const used = per === null ? cell.now[of] : cell[per][of];
      return { tenant: key, quota: name, used, limit: quota[name]! };
    });
  }

  /** What earlier runs of the node have stored of today. */
  load(rows: readonly UsageRow[]): void {
    for (const row of rows) {
      const { counts, day, now } = this.#cellOf(row.tenant);
      if (row.day !== this.#day) continue;
      addAll(day, row);
      for (const name of KEPT) counts[name] = now[name] = Math.max(now[name], row[name]);
    }
  }

  /** What is stored of this month, and not known here. */
  loadMonth(rows: readonly MonthRow[]): void {
    for (const row of rows) {
      const { month } = this.#cellOf(row.tenant);
      if (row.month === this.#month) addAll(month, row);
    }
  }

  /** Everything that was counted since the last call. */
  take(): UsageRow[] {
    this.#roll(this.#now());
    const taken = this.#ended;
    this.#ended = [];
    for (const cell of this.#cells.values()) {
      if (!cell.isChanged) continue;
      taken.push({ ...cell.counts });
      for (const name of COUNTED) cell.counts[name] = 0;
      cell.isChanged = false;
    }
    return taken;
  }

  #cellOf(key: string): Cell {
    const now = this.#now();
    if (now >= this.#dayEndsMs) this.#roll(now);
    let cell = this.#cells.get(key);
    if (cell === undefined)
      this.#cells.set(key, (cell = this.#newCell(key, noCounts(), { rows: 0, bytes: 0, file_bytes: 0 })));
    return cell;
  }

  #newCell(tenant: string, month: Sums, now: Record<Held, number>): Cell {
    const { rows, bytes } = now;
    return {
      counts: { day: this.#day, tenant, ...noCounts(), rows, bytes },
      day: noCounts(),
      month,
      now,
      isChanged: false,
    };
  }

  /** The clock is never set back below the node's floor, so a day ends once. What a tenant has, it still has on the next day. */
  #roll(now: number): void {
    if (now < this.#dayEndsMs) return;
    const before = this.#cells;
    for (const { counts, isChanged } of before.values()) if (isChanged) this.#ended.push(counts);
    this.#day = dayOf(now);
    this.#dayEndsMs = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
    const goesOn = this.#month === monthOf(now);
    this.#month = monthOf(now);
    this.#monthEndsMs = monthEnd(now);
    this.#cells = new Map();
    for (const [key, { month, now: kept }] of before)
      if (goesOn || kept.rows > 0 || kept.file_bytes > 0)
        this.#cells.set(key, this.#newCell(key, goesOn ? month : noCounts(), kept));
  }
}

function add(cell: Cell, kind: Counted, count: number): void {
  cell.counts[kind] += count;
  cell.day[kind] += count;
  cell.month[kind] += count;
  cell.isChanged = true;
}

function addAll(sums: Sums, counts: Counts): void {
  for (const name of COUNTED) sums[name] += counts[name];
}

function monthEnd(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
