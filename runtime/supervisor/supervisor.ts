/**
 * Starts the threads in list order, stops them in reverse, and puts the warm spare in a dead host's place.
 * Life of a host: warm (modules imported) → open (its shards replayed and opened) → draining → gone.
 */
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { hasLog } from '#config/journal-problems.ts';
import { hasJournalCopy } from '#config/resolve-backups.ts';
import { findJournals, journalPath, nextEpoch, retireJournals } from '#storage/journal/directories.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { HostOpen, StoppedShard } from '#actors/protocol/topics.ts';
import type { Log } from '#actors/host/activation.ts';
import { Desk } from '#runtime/door/desk.ts';
import { RestartBudget } from './budget.ts';
import { CHILDREN, childrenOf } from './children.ts';
import type { ChildRow } from './children.ts';
import { Drills } from './drills.ts';
import type { ThreadRoom } from './room.ts';
import type { Shared } from './shared.ts';
import { Parked } from './parked.ts';
import { Spare, WARM_SPARE } from './spare.ts';
import { neededJournals, reportStopped } from './stopped-shards.ts';
import type { Thread } from './thread.ts';
import { watchedOf } from './watchdog.ts';
import type { Watched } from './watchdog.ts';

export interface SupervisorPorts {
  readonly platform: Platform;
  readonly clock: Clock;
  readonly log: Log;
  /** Reports a place that has no thread, until it has one again. */
  readonly degraded: Degraded;
  /** Starts a thread. */
  spawn(row: ChildRow): Thread;
  /** The room of a kind of thread. */
  room(name: ChildRow['name']): ThreadRoom;
  /** What every host must know; given to a host that opens. */
  readonly shared: Pick<Shared, 'all' | 'edition' | 'catchUp'>;
  /** Replies of any thread. */
  replies(batch: Flat): void;
  /** A desk's thread is gone. */
  lost(desk: Desk): void;
  /** A thread has ended and is replaced. */
  restarted(name: ChildRow['name'], reason: string): void;
  /** A restart budget is spent, or a restart failed: the node cannot go on. */
  giveUp(reason: string): void;
}

/** One of the hosts, whichever thread holds its place now. */
interface HostPlace {
  readonly no: number;
  readonly desk: Desk;
  child: Thread;
  /** Journals that the next thread of this place has to replay. */
  journals: string[];
}

/** A place of a thread as others see it. */
interface ThreadPlace {
  readonly desk: Desk;
  readonly channel: Channel;
  /** Of a host; null of the other threads. */
  readonly shards: readonly number[] | null;
}

const UNENDABLE =
  'the thread does not end: it is in native code or waits for the disk; its tenants get no answer until the node is restarted';

const row = (name: ChildRow['name']): ChildRow => CHILDREN.find((child) => child.name === name)!;

export class Supervisor {
  readonly #ports: SupervisorPorts;
  readonly #hosts: HostPlace[] = [];
  readonly #budgets = new Map<string, RestartBudget>();
  readonly #shardCount: number;
  readonly #others = new Map<ChildRow['name'], { desk: Desk; child: Thread }>();
  readonly drills = new Drills({
    host: (no) => this.#hosts[no]!.child,
    other: (name) => this.#others.get(name)?.child,
  });
  /** The hosts that were ended because they stood still, with the reason. */
  readonly #replaced = new WeakMap<Thread, string>();
  readonly #spare: Spare;
  readonly #parked: Parked;
  #stopping = false;
  /** Kinds that were ended before the others. */
  readonly #endedAhead = new Set<ChildRow['name']>();

  /** `shards`: how many there must be, or null for as many as the hosts need and are there. */
  constructor(ports: SupervisorPorts, shardsPresent: number, shards: number | null = null) {
    this.#ports = ports;
    this.#shardCount = shards ?? Math.max(shardsPresent, ports.platform.hosts * limits.storage.shardsPerHost);
    this.#spare = new Spare({
      ...ports,
      use: WARM_SPARE,
      spawn: () => this.#spawn(row('tenant-host')),
      greet: ({ channel }) => channel.ask('host.tenants', this.#ports.shared.all.tenants),
      ended: (reason) => ports.restarted('tenant-host', reason),
    });
    this.#parked = new Parked({ ...ports, spawn: (child) => this.#spawn(child), ended: () => undefined });
    for (const child of CHILDREN) this.#budgets.set(child.name, new RestartBudget(child.restarts, ports.clock));
  }

  get shardCount(): number {
    return this.#shardCount;
  }

  /** The node waits: starts its threads, all or those of these kinds, without opening them; `start` opens them. */
  park(names: readonly ChildRow['name'][] | null): void {
    if (!this.#stopping) this.#parked.start(names);
  }

  /** The node waits, and has its place next. */
  soon(): void {
    this.#parked.soon();
  }

  /** Whether all that were parked have loaded their code. */
  get isParked(): boolean {
    return this.#parked.isReady;
  }

  /** Starts every thread; resolves when all shards are open. */
  async start(): Promise<void> {
    const found = findJournals(this.#ports.platform.storage.dir);
    const opening: Promise<unknown>[] = [];
    const hosts: Promise<readonly StoppedShard[]>[] = [];
    for (const child of childrenOf(this.#ports.platform)) {
      if (this.#others.has(child.name)) continue; // it was started ahead of them
      if (child.count === 'one') opening.push(this.#startOne(child));
      else for (let no = 0; no < this.#ports.platform.hosts; no++) hosts.push(this.#startHost(child, no, found));
    }
    await Promise.all([...opening, ...hosts]);
    const stopped = (await Promise.all(hosts)).flat();
    reportStopped(stopped, this.#ports.degraded);
    const needed = neededJournals(found, stopped);
    for (const place of this.#hosts) place.journals.unshift(...needed);
    retireJournals(
      found.filter((path) => !needed.includes(path)),
      hasJournalCopy(this.#ports.platform),
    );
  }

  /** Starts the one thread of a kind before the others, which need something of it. */
  async startAhead(name: ChildRow['name']): Promise<void> {
    await this.#startOne(row(name));
  }

  /** Starts the warm spare: after the doors are open, so that start-up does not pay for it. */
  warmSpare(): void {
    if (!this.#stopping && this.#hosts.length > 0) this.#spare.warm();
  }

  /** Whether any request can be served: a host that does not stand still has its thread; of a service that runs alone, its threads run. */
  isServing(still: ReadonlySet<string>): boolean {
    if (this.#hosts.length > 0) return this.#hosts.some(({ desk }) => desk.outbox !== null && !still.has(desk.name));
    return [...this.#others.values()].every(({ desk, child }) => child.row.opens === null || desk.outbox !== null);
  }

  /** The threads that serve now. */
  *watched(): Generator<Watched> {
    for (const { desk, child } of this.#hosts) if (desk.outbox !== null) yield watchedOf(desk.name, true, child);
    for (const { desk, child } of this.#others.values())
      if (desk.outbox !== null) yield watchedOf(desk.name, false, child);
  }

  /** The places of all threads, with a thread or without one now. */
  *places(): Generator<ThreadPlace> {
    for (const { no, desk, child } of this.#hosts) yield { desk, channel: child.channel, shards: this.#shardsOf(no) };
    for (const { desk, child } of this.#others.values()) yield { desk, channel: child.channel, shards: null };
  }

  /** Ends a host that stands still. It costs nothing of the restart budget: what callers can bring about must not end the node. */
  replaceHost(name: string, reason: string): void {
    const place = this.#hosts.find(({ desk }) => desk.name === name);
    if (place === undefined) return;
    const { child } = place;
    this.#replaced.set(child, reason);
    const late = setTimeout(() => this.#ports.log.error({ thread: name }, UNENDABLE), limits.watchdog.replaceMs);
    void child.gone.then(() => clearTimeout(late));
    void child.kill();
  }

  hostDesk(shard: number): Desk {
    return this.#hosts[shard % this.#hosts.length]!.desk;
  }

  desk(name: ChildRow['name']): Desk {
    return this.#others.get(name)!.desk;
  }

  /** Main's end of the channel to the one thread of a kind; undefined on a node that has none. */
  channel(name: ChildRow['name']): Channel | undefined {
    return this.#others.get(name)?.child.channel;
  }

  /** Main's end of the channel to the host that has a shard; hosts() gives those of all hosts, even of one that is being replaced. */
  host(shard: number): Channel {
    return this.#hosts[shard % this.#hosts.length]!.child.channel;
  }

  get hosts(): readonly Channel[] {
    return this.#hosts.map(({ child }) => child.channel);
  }

  /** Main's end of the channel to the warm spare; undefined while there is none. */
  get spare(): Channel | undefined {
    return this.#spare.channel;
  }

  /** Drains the one thread of a kind before the node stops, and ends it. */
  async stopAhead(name: ChildRow['name']): Promise<void> {
    const place = this.#others.get(name);
    if (place === undefined) return;
    this.#endedAhead.add(name);
    await this.#ports.room(name).draining?.();
    await this.#drain(place.child);
  }

  /** Drains the threads in reverse order, then ends them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const warm = this.#spare.stop();
    const spare = warm === null ? null : this.#drain(warm);
    for (const child of childrenOf(this.#ports.platform).toReversed()) {
      if (this.#endedAhead.has(child.name)) continue;
      const threads =
        child.count === 'one' ? [this.#others.get(child.name)!.child] : this.#hosts.map((host) => host.child);
      await this.#ports.room(child.name).draining?.();
      await Promise.all(threads.map((thread) => this.#drain(thread)));
    }
    await spare;
  }

  /** Ends every thread at once: the start has failed. */
  async abort(): Promise<void> {
    this.#stopping = true;
    const children = [
      ...this.#hosts.map((host) => host.child),
      ...[...this.#others.values()].map(({ child }) => child),
    ];
    const warm = this.#spare.stop();
    const waiting = [...this.#parked.stop(), ...(warm === null ? [] : [warm])];
    await Promise.all([...children, ...waiting].map((child) => child.kill()));
  }

  #shardsOf(host: number): number[] {
    const { hosts } = this.#ports.platform;
    return Array.from({ length: this.#shardCount }, (_, shard) => shard).filter((shard) => shard % hosts === host);
  }

  #parkedOrNew(child: ChildRow): Thread {
    return this.#parked.take(child) ?? this.#spawn(child);
  }

  #spawn(child: ChildRow): Thread {
    const thread = this.#ports.spawn(child);
    this.#ports.room(child.name).attach(thread);
    return thread;
  }

  async #drain(child: Thread): Promise<void> {
    try {
      await child.channel.ask('thread.drain', null);
    } catch (error) {
      this.#ports.log.error({ err: error, thread: child.row.name }, 'the thread did not drain');
    }
    await child.kill();
  }

  async #startHost(child: ChildRow, no: number, replay: readonly string[]): Promise<readonly StoppedShard[]> {
    const place: HostPlace = {
      no,
      desk: new Desk(`host-${no}`),
      child: this.#parkedOrNew(child),
      journals: [],
    };
    this.#hosts[no] = place;
    return this.#open(place, place.child, replay);
  }

  /** Opens a host and gives the shards that it does not serve. */
  async #open(place: HostPlace, child: Thread, replay: readonly string[]): Promise<readonly StoppedShard[]> {
    void child.gone.then((reason) => this.#hostGone(place, child, reason));
    const { storage } = this.#ports.platform;
    const epoch = nextEpoch(storage.dir);
    const shards = this.#shardsOf(place.no);
    const { edition } = this.#ports.shared;
    const body: HostOpen = { host: place.no, epoch, shards, replay, ...this.#ports.shared.all };
    if (!hasLog(this.#ports.platform)) place.journals.push(journalPath(storage.dir, epoch, `host-${place.no}`));
    const { stopped } = await child.channel.ask('host.open', body);
    // Changes that were shared while it opened went to its predecessor.
    await this.#ports.shared.catchUp(child.channel, edition);
    place.child = child;
    place.desk.connect(child.channel, (batch) => this.#ports.replies(batch), this.#ports.clock.now());
    return stopped;
  }

  /** The spare takes the place: it replays the dead host's journal, opens its shards, and serves. */
  async #hostGone(place: HostPlace, child: Thread, exit: string): Promise<void> {
    if (this.#stopping || place.child !== child) return;
    const replaced = this.#replaced.get(child);
    const reason = replaced ?? exit;
    place.desk.outbox = null;
    this.#ports.lost(place.desk);
    this.#ports.log.error({ host: place.no, reason }, 'a host is gone; the spare takes its place');
    this.#away('host', place.desk.name, reason);
    const since = this.#ports.clock.now();
    if (replaced !== undefined) this.#ports.restarted('tenant-host', reason);
    else if (!this.#mayRestart('tenant-host', reason)) return;
    const next = this.#spare.take() ?? this.#spawn(row('tenant-host'));
    const old = [...place.journals];
    let needed: readonly string[];
    try {
      const stopped = await this.#open(place, next, old);
      reportStopped(stopped, this.#ports.degraded);
      needed = neededJournals(old, stopped);
    } catch (error) {
      this.#ports.giveUp(`host ${place.no} could not be opened again: ${(error as Error).message}`);
      return;
    }
    place.journals = [...needed, ...place.journals.filter((dir) => !old.includes(dir))];
    this.#ports.degraded.clear('host', place.desk.name);
    this.#ports.log.warn({ host: place.no, away_ms: this.#ports.clock.now() - since }, 'the host is back');
    retireJournals(
      old.filter((path) => !needed.includes(path)),
      hasJournalCopy(this.#ports.platform),
    );
    this.warmSpare();
  }

  async #startOne(child: ChildRow): Promise<void> {
    const thread = this.#parkedOrNew(child);
    const present = this.#others.get(child.name);
    const desk = present?.desk ?? new Desk(child.name);
    this.#others.set(child.name, { desk, child: thread });
    if (child.opens !== null) await thread.channel.ask(child.opens, null);
    await this.#ports.room(child.name).opened?.(thread);
    desk.connect(thread.channel, (batch) => this.#ports.replies(batch), this.#ports.clock.now());
    void thread.gone.then((reason) => this.#oneGone(child, desk, reason));
  }

  async #oneGone(child: ChildRow, desk: Desk, reason: string): Promise<void> {
    if (this.#stopping || this.#endedAhead.has(child.name)) return;
    desk.outbox = null;
    this.#ports.lost(desk);
    this.#ports.log.error({ thread: child.name, reason }, 'a thread is gone; it is started again');
    this.#away('thread', child.name, reason);
    if (!this.#mayRestart(child.name, reason)) return;
    try {
      await this.#startOne(child);
      this.#ports.degraded.clear('thread', child.name);
    } catch (error) {
      this.#ports.giveUp(`${child.name} could not be started again: ${(error as Error).message}`);
    }
  }

  #away(scope: 'host' | 'thread', name: string, reason: string): void {
    const [why] = reason.split('\n');
    const meaning = 'its callers get 503 until another thread has taken its place';
    this.#ports.degraded.report({ scope, name, reason: `its thread has ended (${why}); ${meaning}`, lasts: 'cleared' });
  }

  #mayRestart(name: ChildRow['name'], reason: string): boolean {
    this.#ports.restarted(name, reason);
    if (this.#budgets.get(name)!.spend()) return true;
    this.#ports.giveUp(`${name} ended more often than its restart budget allows`);
    return false;
  }
}
