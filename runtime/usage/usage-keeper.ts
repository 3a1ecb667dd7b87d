/**
 * Asks the hosts what they have counted, tells them what quotas leave, and brings everything that was counted to the control plane, every `limits.usage.flushMs` and at the stop, and drops records that are older than they are
 * kept. A crash loses what was counted since the last flush. A flush that was not answered is not repeated, since it may have been stored:
 * a tenant is never counted twice, and no quota refuses too early.
 */
import { setTimeout } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { HostUsage, MonthPage, MonthRow, OutsideLeft, UsagePage, UsageRow } from '#actors/protocol/usage.ts';
import { dayOf, monthOf, type UsageMeter } from './usage-meter.ts';

export interface UsageKeeperPorts {
  readonly meter: UsageMeter;
  /** Asks the control plane's identity. */
  control(verb: string, body: unknown): Promise<unknown>;
  /** Asks every host what it has counted since it was asked last. */
  hosts(): readonly Promise<readonly HostUsage[]>[];
  /** Tells the hosts how many calls outside these tenants have left; others are not bounded. */
  allowOutside(lefts: readonly (OutsideLeft & Pick<TenantEntry, 'shard'>)[]): Promise<void>;
  readonly tenants: { byNo(no: number): TenantEntry | undefined; all(): readonly TenantEntry[] };
  now(): number;
  readonly log: Log;
}

/** Days of which usage is told, both included; one tenant, or all (null). */
export interface UsageWish {
  readonly tenant: string | null;
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

export class UsageKeeper {
  readonly #ports: UsageKeeperPorts;
  readonly #flushes = new Serial();
  #timer: NodeJS.Timeout | undefined;
  #prunedOn = '';

  constructor(ports: UsageKeeperPorts) {
    this.#ports = ports;
  }

  /** Reads what was stored of today and of this month, and tells the hosts what is left, before the doors open. */
  async start(): Promise<void> {
    const today = dayOf(this.#ports.now());
    await this.#loadMonth();
    for await (const rows of this.#pages({ tenant: null, from: today, to: today })) this.#ports.meter.load(rows);
    this.#timer = setInterval(() => void this.flush(), limits.usage.flushMs).unref();
    await this.flush();
  }

  /** Stores what was counted; to be called once more after the doors have closed. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    await this.flush();
  }

  flush(): Promise<void> {
    return this.#flushes.run(() => this.#flush());
  }

  /** Everything of some days, after a flush: day by day, tenants in the order of their keys. */
  async read(wish: UsageWish): Promise<UsageRow[]> {
    await this.flush();
    const all: UsageRow[] = [];
    for await (const rows of this.#pages(wish)) all.push(...rows);
    return all;
  }

  async #flush(): Promise<void> {
    await this.#askHosts();
    const rows = this.#ports.meter.take();
    for (let at = 0; at < rows.length; at += limits.usage.pageRows)
      await this.#store(rows.slice(at, at + limits.usage.pageRows));
    const today = dayOf(this.#ports.now());
    if (rows.length > 0 && this.#prunedOn !== today) await this.#prune(today);
  }

  /** A host that stands still holds up no other: its answer counts when it comes. */
  async #askHosts(): Promise<void> {
    const heard = this.#ports.hosts().map((asked) =>
      asked.then(
        (rows) => this.#heard(rows),
        () => undefined, // a host that is gone has lost what it had not reported
      ),
    );
    await Promise.race([Promise.all(heard), setTimeout(limits.usage.hostWaitMs, null, { ref: false })]);
    await this.#ports.allowOutside(this.#lefts());
  }

  #heard(rows: readonly HostUsage[]): void {
    const { meter, tenants } = this.#ports;
    for (const { tenantNo, processorMs, outsideCalls, kept, fileBytes } of rows) {
      const entry = tenants.byNo(tenantNo);
      if (entry === undefined || entry.localdir === null) continue;
      const { key } = entry.position;
      if (processorMs > 0) meter.used(key, 'processor_ms', processorMs);
      if (outsideCalls > 0) meter.used(key, 'outside_calls', outsideCalls);
      if (kept !== null) meter.has(key, kept);
      if (fileBytes !== null) meter.hasFiles(key, fileBytes);
    }
  }

  #lefts(): (OutsideLeft & Pick<TenantEntry, 'shard'>)[] {
    const { meter, tenants } = this.#ports;
    return tenants.all().flatMap(({ no, shard, position, quota }) => {
      const left = meter.left(position.key, 'outside_calls', quota);
      return left === Infinity ? [] : [{ tenantNo: no, shard, left }];
    });
  }

  async #loadMonth(): Promise<void> {
    const month = monthOf(this.#ports.now());
    let after: string | null = null;
    do {
      const page = (await this.#ports.control('usage.months', { month, after })) as MonthPage;
      this.#ports.meter.loadMonth(page.rows);
      after = page.next;
    } while (after !== null);
  }

  async #store(rows: readonly UsageRow[]): Promise<void> {
    try {
      const found = (await this.#ports.control('usage.add', rows)) as readonly MonthRow[];
      this.#ports.meter.loadMonth(found);
    } catch (error) {
      const requests = rows.reduce((sum, row) => sum + row.requests, 0);
      this.#ports.log.warn(
        { error: (error as Error).message, tenants: rows.length, requests },
        'usage that was counted may not be stored, and is not counted again: the control plane did not answer',
      );
    }
  }

  async #prune(today: string): Promise<void> {
    const before = dayOf(Date.parse(today) - limits.usage.keptDays * DAY_MS);
    try {
      while ((await this.#ports.control('usage.prune', { before })) === true);
      this.#prunedOn = today;
    } catch (error) {
      const facts = { error: (error as Error).message, before };
      this.#ports.log.warn(facts, 'old records of usage could not be deleted: it is tried again');
    }
  }

  async *#pages({ tenant, from, to }: UsageWish): AsyncGenerator<readonly UsageRow[]> {
    let after: UsagePage['next'] = null;
    do {
      const page = (await this.#ports.control('usage.page', { tenant, from, to, after })) as UsagePage;
      yield page.rows;
      after = page.next;
    } while (after !== null);
  }
}
