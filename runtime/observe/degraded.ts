/**
 * The list of degraded things, on main: set and cleared by key, bounded, logged once when an entry begins and once when it ends. `/readyz` lists it
 * for callers that ask for JSON; only an entry that concerns all turns `/readyz` to 503.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { DEGRADED_SCOPES } from '#actors/protocol/degraded.ts';
import type { Degraded, DegradedNews, DegradedReport, DegradedScope } from '#actors/protocol/degraded.ts';
import type { Meter } from './meter.ts';
import { cellOf } from './metric-table.ts';

export interface DegradedEntry {
  readonly scope: DegradedScope;
  readonly name: string;
  readonly reason: string;
  readonly concerns?: 'all';
  /** RFC 3339: when the first report of this key arrived. */
  readonly since: string;
}

interface Kept extends DegradedReport {
  readonly since: number;
  /** The thread that reported it; null for main. */
  readonly source: object | null;
}

export interface DegradedPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

export class DegradedRegistry implements Degraded {
  readonly #ports: DegradedPorts;
  readonly #byScope = new Map<DegradedScope, Map<string, Kept>>(DEGRADED_SCOPES.map((scope) => [scope, new Map()]));
  readonly #lines: LineBudget;
  /** Reports that found no room, since the list of that scope was last empty. */
  #unlisted = 0;

  constructor(ports: DegradedPorts) {
    this.#ports = ports;
    this.#lines = new LineBudget(ports.clock);
  }

  report(entry: DegradedReport): void {
    this.#put(entry, null);
  }

  clear(scope: DegradedScope, name: string): void {
    const kept = this.#byScope.get(scope)?.get(cut(name, limits.degraded.nameCharsMax));
    if (kept !== undefined) this.#drop(kept, 'it is well again');
  }

  /** Takes the reports of a thread; entries with `lasts: 'thread'` end with the thread. */
  attach(channel: Pick<Channel, 'answer'>, gone: Promise<unknown>): void {
    const source = {};
    channel.answer('node.degraded', (news) => {
      this.#receive(news, source);
      return null;
    });
    void gone.then(() =>
      this.#dropWhere((kept) => kept.source === source && kept.lasts === 'thread', 'its thread ended'),
    );
  }

  /** Removes the entries of a deleted tenant. */
  forgetTenant(key: string): void {
    this.#dropWhere((kept) => kept.tenant === key, 'its tenant was deleted');
  }

  /** Whether an entry concerns all: then no caller can be served. */
  get concernsAll(): boolean {
    return this.#all().some(({ concerns }) => concerns === 'all');
  }

  /** The entries, oldest first; with a tenant's key those of that tenant alone. */
  list(tenant?: string): DegradedEntry[] {
    return this.#all()
      .filter((kept) => tenant === undefined || kept.tenant === tenant)
      .sort((a, b) => a.since - b.since)
      .map(({ scope, name, reason, concerns, since }) => ({
        scope,
        name,
        reason,
        ...(concerns === undefined ? {} : { concerns }),
        since: new Date(since).toISOString(),
      }));
  }

  /** Reports that found no room since the list was last empty. */
  get unlisted(): number {
    return this.#unlisted;
  }

  #all(): Kept[] {
    return [...this.#byScope.values()].flatMap((entries) => [...entries.values()]);
  }

  #receive(news: DegradedNews, source: object): void {
    if ('put' in news) this.#put(news.put, source);
    else this.clear(news.gone.scope, news.gone.name);
  }

  #put(report: DegradedReport, source: object | null): void {
    const entries = this.#byScope.get(report.scope);
    if (entries === undefined) throw new Error(`${report.scope} is no scope of degraded things`);
    const name = cut(report.name, limits.degraded.nameCharsMax);
    const reason = cut(report.reason, limits.degraded.reasonCharsMax);
    const before = entries.get(name);
    if (before === undefined && !this.#hasRoom(entries, report)) return;
    const since = before?.since ?? this.#ports.clock.now();
    entries.set(name, { ...report, name, reason, since, source });
    if (before?.reason === reason && before.concerns === report.concerns) return;
    this.#count(report.scope);
    const { scope, concerns, tenant } = report;
    this.#lines.spend(this.#ports.log)?.warn({ scope, name, reason, concerns, tenant }, 'degraded');
  }

  #hasRoom(entries: ReadonlyMap<string, Kept>, { scope, tenant }: DegradedReport): boolean {
    const ofTenant = tenant === undefined ? 0 : [...entries.values()].filter((kept) => kept.tenant === tenant).length;
    if (entries.size < limits.degraded.perScopeMax && ofTenant < limits.degraded.perTenantMax) return true;
    this.#ports.meter.add(cellOf('degradedUnlisted'));
    if (this.#unlisted++ === 0)
      this.#ports.log.warn(
        { scope, tenant },
        'the list of degraded things is full, further ones are only counted: mend those that /readyz lists first',
      );
    return false;
  }

  #dropWhere(isOver: (kept: Kept) => boolean, why: string): void {
    for (const kept of this.#all()) if (isOver(kept)) this.#drop(kept, why);
  }

  #drop({ scope, name, since }: Kept, why: string): void {
    this.#byScope.get(scope)!.delete(name);
    if (this.#all().length === 0) this.#unlisted = 0;
    this.#count(scope);
    const lasted_ms = this.#ports.clock.now() - since;
    this.#lines.spend(this.#ports.log)?.info({ scope, name, lasted_ms, why }, 'no longer degraded');
  }

  #count(scope: DegradedScope): void {
    this.#ports.meter.set(cellOf('degraded', scope), this.#byScope.get(scope)!.size);
  }
}

/** Bounds the lines within a window; the first line of the next window says how many were left out. */
class LineBudget {
  readonly #clock: Clock;
  #until = Number.NEGATIVE_INFINITY;
  #written = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The log, while this window has a line left. */
  spend(log: Log): Log | undefined {
    const { logLinesMax, logWindowMs } = limits.degraded;
    const now = this.#clock.now();
    if (now >= this.#until || now < this.#until - logWindowMs) {
      const left = this.#written - logLinesMax;
      if (left > 0)
        log.warn({ left_out: left }, 'changes of degraded things were left out of the log: there were too many');
      this.#until = now + logWindowMs;
      this.#written = 0;
    }
    return ++this.#written <= logLinesMax ? log : undefined;
  }
}

const cut = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;

/** A thread's `Degraded`: it sends reports to main. */
export function degradedOver(channel: Pick<Channel, 'tell'>): Degraded {
  return {
    report: (entry) => channel.tell('node.degraded', { put: entry }),
    clear: (scope, name) => channel.tell('node.degraded', { gone: { scope, name } }),
  };
}
