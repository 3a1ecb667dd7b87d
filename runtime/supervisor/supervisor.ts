/** Starts the threads in list order, stops them in reverse, and starts one that is gone again; tenant hosts have places (tenant-hosts.ts). */
import { limits } from '#config/limits.ts';
import { placeCount } from '#config/places.ts';
import { hasJournalCopy } from '#config/resolve-backups.ts';
import { findJournals, retireJournals } from '#storage/journal/directories.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { StoppedShard } from '#actors/protocol/topics.ts';
import { Desk } from '#runtime/door/desk.ts';
import { RestartBudget } from './budget.ts';
import { CHILDREN, childRow, childrenOf, type ChildRow } from './children.ts';
import { Drills } from './drills.ts';
import type { ThreadRoom } from './room.ts';
import { Parked } from './parked.ts';
import type { FarPlaces } from './far-places.ts';
import { PlaceMoves, type MovedPlace, type PlaceMovesPorts, type PlannedMove } from './place-moves.ts';
import { Spare, WARM_SPARE } from './spare.ts';
import { neededJournals, reportStopped } from './stopped-shards.ts';
import { TenantHosts, nodeOf, type CarriedAt, type ThreadPorts } from './tenant-hosts.ts';
import type { Thread } from './thread.ts';
import { watchedOf, type Watched } from './watchdog.ts';

export interface SupervisorPorts extends ThreadPorts {
  /** Starts a thread. */
  spawn(row: ChildRow): Thread;
  /** Another node has started a thread for this one: what `spawn` does with one behind its start. */
  adopted(thread: Thread): void;
  /** The room of a kind of thread. */
  room(name: ChildRow['name']): ThreadRoom;
}

/** A place of a thread as others see it. */
interface ThreadPlace {
  readonly desk: Desk;
  readonly channel: Channel;
  /** Of a host; null of the other threads. */
  readonly shards: readonly number[] | null;
  /** The node that runs it; null where this one does. */
  readonly node: string | null;
}

export class Supervisor {
  readonly #ports: SupervisorPorts;
  readonly #hosts: TenantHosts;
  readonly #budgets = new Map<string, RestartBudget>();
  readonly #shardCount: number;
  readonly #others = new Map<ChildRow['name'], { desk: Desk; child: Thread }>();
  readonly drills = new Drills({
    host: (no) => this.#hosts.all[no]!.child,
    other: (name) => this.#others.get(name)?.child,
  });
  readonly #spare: Spare;
  readonly #parked: Parked;
  #moves: PlaceMoves | null = null;
  #far: FarPlaces | null = null;
  #stopping = false;
  /** Kinds that were ended before the others. */
  readonly #endedAhead = new Set<ChildRow['name']>();

  /** `shards`: how many there must be, or null for as many as the hosts need and are there. */
  constructor(ports: SupervisorPorts, shardsPresent: number, shards: number | null = null) {
    this.#ports = ports;
    this.#shardCount = shards ?? Math.max(shardsPresent, ports.platform.hosts * limits.storage.shardsPerHost);
    this.#hosts = new TenantHosts({
      ...ports,
      shardCount: this.#shardCount,
      placeCount: Math.min(placeCount(ports.platform), this.#shardCount),
      next: () => this.#spare.take() ?? this.#spawn(childRow('tenant-host')),
      warmSpare: () => this.warmSpare(),
      mayRestart: (reason) => this.#mayRestart('tenant-host', reason),
      sealing: async (thread) => this.#ports.room('tenant-host').sealing?.(thread),
      drain: (thread) => this.#drain(thread),
    });
    this.#spare = new Spare({
      ...ports,
      use: WARM_SPARE,
      spawn: () => this.#spawn(childRow('tenant-host')),
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

  /** Starts every thread; resolves when all shards are open. `wakes`: tenants that hosts wake before they are asked for, the first one first. */
  async start(wakes: readonly number[] = []): Promise<void> {
    const found = findJournals(this.#ports.platform.storage.dir);
    const opening: Promise<unknown>[] = [];
    const hosts: Promise<readonly StoppedShard[]>[] = [];
    for (const child of childrenOf(this.#ports.platform)) {
      if (this.#others.has(child.name)) continue; // it was started ahead of them
      if (child.count === 'one') opening.push(this.#startOne(child));
      else
        for (let no = 0; no < this.#hosts.count; no++)
          hosts.push(this.#hosts.start(this.#parkedOrNew(child), no, found, wakes));
    }
    await Promise.all([...opening, ...hosts]);
    const stopped = (await Promise.all(hosts)).flat();
    reportStopped(stopped, this.#ports.degraded);
    const needed = neededJournals(found, stopped);
    for (const place of this.#hosts.all) place.journals.unshift(...needed);
    retireJournals(
      found.filter((path) => !needed.includes(path)),
      hasJournalCopy(this.#ports.platform),
    );
  }

  /** Starts the one thread of a kind before the others, which need something of it. */
  async startAhead(name: ChildRow['name']): Promise<void> {
    await this.#startOne(childRow(name));
  }

  /** Starts the warm spare: after the doors are open, so that start-up does not pay for it. */
  warmSpare(): void {
    if (!this.#stopping && this.#hosts.all.length > 0) this.#spare.warm();
  }

  /** Behind the start: places go to other nodes, too. */
  shareOut(among: Pick<PlaceMovesPorts, 'before' | 'far' | 'node' | 'now' | 'self'>): void {
    const { log, platform } = this.#ports;
    this.#far = among.far;
    this.#moves = new PlaceMoves({
      ...among,
      hosts: this.#hosts,
      checkouts: () => [...new Set(platform.hives.tenant.flatMap(({ meta: { localdir } }) => localdir ?? []))],
      attach: (thread) => {
        this.#ports.adopted(thread);
        this.#ports.room('tenant-host').attach(thread);
      },
      log,
    });
    this.#moves.start();
  }

  /** Has the place of a shard run on a node (`PlaceMoves.moveTo`). Throws where no node carries hosts. */
  moveTo(shard: number, node: string): Promise<MovedPlace> {
    const moves = this.#sharing();
    if (shard >= this.#shardCount) throw new Error(`there is no shard ${shard}: they are 0 to ${this.#shardCount - 1}`);
    return moves.moveTo(shard, node);
  }

  /** What would move if nothing were wished (`PlaceMoves.plan`), and, unless it `isTried` alone, moves it. Throws where no node carries hosts. */
  async rebalance(isTried: boolean): Promise<readonly PlannedMove[]> {
    const moves = this.#sharing();
    return isTried ? moves.plan() : moves.rebalance();
  }

  #sharing(): PlaceMoves {
    if (this.#moves !== null) return this.#moves;
    const mend = 'set cluster.carry on each node (docs/how-to/several-doors.md)';
    throw new Error(`this node shares its places with no other one\n    ${mend}`);
  }

  /** The place of a shard stays where it is for a while, here where a job needs files of this machine. */
  async hold(shard: number, isHere: boolean): Promise<void> {
    if (isHere) await this.#moves?.bringHome(shard);
    else this.#moves?.hold(shard);
  }

  /** No place moves from here on, and what other nodes carry ends. To be called when all of it is durable. */
  async endCarried(): Promise<void> {
    this.#hosts.stop();
    await this.#hosts.endCarried();
    this.#far?.stop();
  }

  /** No place moves any more; resolves when none is on its way. */
  async stayPut(): Promise<void> {
    await this.#moves?.stop();
  }

  /** Whether any request can be served: a host that does not stand still has its thread; of a service that runs alone, its threads run. */
  isServing(still: ReadonlySet<string>): boolean {
    const hosts = this.#hosts.all;
    if (hosts.length > 0) return hosts.some(({ desk }) => desk.outbox !== null && !still.has(desk.name));
    return [...this.#others.values()].every(({ desk, child }) => child.row.opens === null || desk.outbox !== null);
  }

  /** The threads that serve now. */
  *watched(): Generator<Watched> {
    for (const { desk, child } of this.#hosts.all) if (desk.outbox !== null) yield watchedOf(desk.name, true, child);
    for (const { desk, child } of this.#others.values())
      if (desk.outbox !== null) yield watchedOf(desk.name, false, child);
  }

  /** The places of all threads, with a thread or without one now. */
  *places(): Generator<ThreadPlace> {
    for (const { no, desk, child } of this.#hosts.all)
      yield { desk, channel: child.channel, shards: this.#hosts.shardsOf(no), node: nodeOf(child) };
    for (const { desk, child } of this.#others.values())
      yield { desk, channel: child.channel, shards: null, node: null };
  }

  /** Ends a host that stands still. It costs nothing of the restart budget: what callers can bring about must not end the node. */
  replaceHost(name: string, reason: string): void {
    this.#hosts.replace(name, reason);
  }

  /** The place of a shard, where another node carries it and it answers; null otherwise. */
  carriedAt(shard: number): CarriedAt | null {
    return this.#hosts.carriedAt(shard);
  }

  /** The number of the place at whose desk hosts answer; null of a desk of another thread. */
  placeAt(desk: Desk): number | null {
    return this.#hosts.all.find((place) => place.desk === desk)?.no ?? null;
  }

  hostDesk(shard: number): Desk {
    return this.#hosts.of(shard).desk;
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
    return this.#hosts.of(shard).child.channel;
  }

  get hosts(): readonly Channel[] {
    return this.#hosts.channels;
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
    await this.stayPut();
    await this.endCarried();
    const warm = this.#spare.stop();
    const spare = warm === null ? null : this.#drain(warm);
    for (const child of childrenOf(this.#ports.platform).toReversed()) {
      if (this.#endedAhead.has(child.name)) continue;
      const threads = child.count === 'one' ? [this.#others.get(child.name)!.child] : this.#hosts.own;
      await this.#ports.room(child.name).draining?.();
      await Promise.all(threads.map((thread) => this.#drain(thread)));
    }
    await spare;
  }

  /** Ends every thread at once: the start has failed. */
  async abort(): Promise<void> {
    this.#stopping = true;
    this.#hosts.stop();
    const children = [
      ...this.#hosts.all.map((host) => host.child),
      ...[...this.#others.values()].map(({ child }) => child),
    ];
    const warm = this.#spare.stop();
    const waiting = [...this.#parked.stop(), ...(warm === null ? [] : [warm])];
    await Promise.all([...children, ...waiting].map((child) => child.kill()));
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
    this.#away(child.name, reason);
    if (!this.#mayRestart(child.name, reason)) return;
    try {
      await this.#startOne(child);
      this.#ports.degraded.clear('thread', child.name);
    } catch (error) {
      this.#ports.giveUp(`${child.name} could not be started again: ${(error as Error).message}`);
    }
  }

  #away(name: string, reason: string): void {
    const [why] = reason.split('\n');
    const meaning = 'its callers get 503 until another thread has taken its place';
    this.#ports.degraded.report({
      scope: 'thread',
      name,
      reason: `its thread has ended (${why}); ${meaning}`,
      lasts: 'cleared',
    });
  }

  #mayRestart(name: ChildRow['name'], reason: string): boolean {
    this.#ports.restarted(name, reason);
    if (this.#budgets.get(name)!.spend()) return true;
    this.#ports.giveUp(`${name} ended more often than its restart budget allows`);
    return false;
  }
}
