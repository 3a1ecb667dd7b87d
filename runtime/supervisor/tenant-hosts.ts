/**
 * The tenant hosts by place: which thread has which shards. A thread that is gone is replaced; one whose place moves to another node, or comes back, is ended in order first.
 * Life of a host: warm (modules imported) → open (its shards replayed and opened) → draining → gone.
 */
import { limits } from '#config/limits.ts';
import { hasLog } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import { hasJournalCopy } from '#config/resolve-backups.ts';
import { journalPath, nextEpoch, retireJournals } from '#storage/journal/directories.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import type { HostOpen, StoppedShard } from '#actors/protocol/topics.ts';
import { Desk } from '#runtime/door/desk.ts';
import type { ChildRow } from './children.ts';
import type { Shared } from './shared.ts';
import { neededJournals, reportStopped } from './stopped-shards.ts';
import { isCarried, type CarriedThread, type Thread } from './thread.ts';

/** A place that another node carries: which start of its thread, and where. */
export type CarriedAt = CarriedThread['carrier'] & { readonly place: number; readonly start: number };

/** What starting and replacing threads needs of the node. */
export interface ThreadPorts {
  readonly platform: Platform;
  readonly clock: Clock;
  readonly log: Log;
  /** Reports a place that has no thread, until it has one again. */
  readonly degraded: Degraded;
  /** What every host must know; given to a host that opens. */
  readonly shared: Pick<Shared, 'all' | 'edition' | 'catchUp'>;
  /** Replies of any thread. */
  readonly replies: (batch: Flat) => void;
  /** A desk's thread is gone. */
  lost(desk: Desk): void;
  /** A thread has ended and is replaced. */
  restarted(name: ChildRow['name'], reason: string): void;
  /** A restart budget is spent, or a restart failed: the node cannot go on. */
  giveUp(reason: string): void;
}

export interface TenantHostsPorts extends ThreadPorts {
  readonly shardCount: number;
  readonly placeCount: number;
  /** A thread for a dead one's place: the spare, or one that is started now. */
  next(): Thread;
  /** There is no spare any more. */
  warmSpare(): void;
  /** Counts an exit; false where the budget is spent, and the node ends. */
  mayRestart(reason: string): boolean;
  /** Resolves when all that a thread took is answered and durable. */
  sealing(thread: Thread): Promise<void>;
  /** Closes a thread and ends it; never rejects. */
  drain(thread: Thread): Promise<void>;
}

/** One of the hosts, whichever thread holds its place now. */
export interface HostPlace {
  readonly no: number;
  readonly desk: Desk;
  child: Thread;
  /** Journals that the next thread of this place has to replay. */
  journals: string[];
  /** Its thread is ended in order, and another one opens the shards: the end of the first is no crash. */
  isMoving: boolean;
}

const UNENDABLE =
  'the thread does not end: it is in native code or waits for the disk; its tenants get no answer until the node is restarted';

export class TenantHosts {
  readonly all: HostPlace[] = [];
  readonly #ports: TenantHostsPorts;
  /** The hosts that were ended because they stood still, with the reason. */
  readonly #replaced = new WeakMap<Thread, string>();
  #isStopping = false;
  #carriedEnd: Promise<void> | null = null;

  constructor(ports: TenantHostsPorts) {
    this.#ports = ports;
  }

  /** From now on no thread that ends is replaced. */
  stop(): void {
    this.#isStopping = true;
  }

  /** How many places there are. */
  get count(): number {
    return this.#ports.placeCount;
  }

  /** Of a shard. */
  of(shard: number): HostPlace {
    return this.all[shard % this.all.length]!;
  }

  /** The place of a shard, where another node carries it and it answers; null otherwise. */
  carriedAt(shard: number): CarriedAt | null {
    const { child, desk, isMoving, no } = this.of(shard);
    if (!isCarried(child) || isMoving || desk.outbox === null || desk.isClosed) return null;
    return { ...child.carrier, place: no, start: child.start };
  }

  shardsOf(place: number): number[] {
    const { placeCount, shardCount } = this.#ports;
    return Array.from({ length: shardCount }, (_, shard) => shard).filter((shard) => shard % placeCount === place);
  }

  /** The threads of this node. */
  get own(): readonly Thread[] {
    return this.all.flatMap(({ child }) => (isCarried(child) ? [] : [child]));
  }

  get channels(): readonly Channel[] {
    return this.all.map(({ child }) => child.channel);
  }

  async start(
    child: Thread,
    no: number,
    replay: readonly string[],
    wakes: readonly number[],
  ): Promise<readonly StoppedShard[]> {
    const place: HostPlace = { no, desk: new Desk(`host-${no}`), child, journals: [], isMoving: false };
    this.all[no] = place;
    return this.#open(place, child, replay, wakes);
  }

  /** Ends a host that stands still. It costs nothing of the restart budget: what callers can bring about must not end the node. */
  replace(name: string, reason: string): void {
    const place = this.all.find(({ desk }) => desk.name === name);
    if (place === undefined || place.isMoving) return;
    const { child } = place;
    this.#replaced.set(child, reason);
    const late = setTimeout(() => this.#ports.log.error({ thread: name }, UNENDABLE), limits.watchdog.replaceMs);
    void child.gone.then(() => clearTimeout(late));
    void child.kill();
  }

  /**
   * Ends the thread of a place in order and opens its shards with another one: of another node, or of this one where that is null or may not have them. Callers of the place get 503 meanwhile. Resolves with
   * whether it is where it should be; where no thread opens the shards, the node ends.
   */
  async move(place: HostPlace, to: CarriedThread | null): Promise<boolean> {
    const from = place.child;
    const since = this.#ports.clock.now();
    if (place.desk.outbox === null) {
      void to?.kill(); // its thread has died meanwhile, and another one opens it
      return false;
    }
    place.isMoving = true;
    place.desk.close();
    if (isCarried(from)) from.recall();
    await this.#endInOrder(from);
    place.desk.outbox = null;
    this.#ports.lost(place.desk);
    if (isCarried(from) && !(await isReleased(from))) return false;
    const isThere = to !== null && (await this.#openedAt(place, to));
    if (!isThere && (to === null || (await isReleased(to)))) await this.#openHere(place);
    const fields = { host: place.no, node: nodeOf(place.child), away_ms: this.#ports.clock.now() - since };
    this.#ports.log.info(fields, 'a place has moved to another node, or come back');
    return isThere || to === null;
  }

  /** The hosts that other nodes carry have made everything durable: they are ended. Resolves when each is gone, or its node is. */
  endCarried(): Promise<void> {
    this.#carriedEnd ??= Promise.all(this.all.map(({ child }) => this.#endCarried(child))).then(() => undefined);
    return this.#carriedEnd;
  }

  async #endCarried(child: Thread): Promise<void> {
    if (!isCarried(child)) return;
    child.recall();
    await this.#ports.drain(child);
  }

  /** All that the thread took is answered; one that does not come to that is ended all the same, and its callers do not know. */
  async #endInOrder(thread: Thread): Promise<void> {
    try {
      await this.#ports.sealing(thread);
      await this.#ports.drain(thread);
    } catch (error) {
      this.#ports.log.error({ err: error }, 'a host whose place moves did not answer all that it took');
      await thread.kill();
    }
    await thread.gone;
  }

  /** Whether a thread of another node has opened the shards. Where it has not, it ends. */
  async #openedAt(place: HostPlace, to: CarriedThread): Promise<boolean> {
    try {
      if (await to.begin(this.shardsOf(place.no))) {
        await this.#open(place, to, []);
        return true;
      }
    } catch (error) {
      this.#ports.log.error({ err: error, host: place.no, node: to.carrier.node }, 'a place could not be opened there');
    }
    void to.kill();
    return false;
  }

  async #openHere(place: HostPlace): Promise<void> {
    if (this.#isStopping) return;
    try {
      await this.#open(place, this.#ports.next(), []);
    } catch (error) {
      this.#ports.giveUp(`host ${place.no} could not be opened again: ${(error as Error).message}`);
    }
    this.#ports.warmSpare();
  }

  /** Opens a host and gives the shards that it does not serve. */
  async #open(
    place: HostPlace,
    child: Thread,
    replay: readonly string[],
    wakes: readonly number[] = [],
  ): Promise<readonly StoppedShard[]> {
    void child.gone.then((reason) => this.#gone(place, child, reason));
    const { clock, platform, replies, shared } = this.#ports;
    const { storage } = platform;
    const epoch = nextEpoch(storage.dir);
    const shards = this.shardsOf(place.no);
    const { edition } = shared;
    const body: HostOpen = { host: place.no, epoch, shards, replay, wakes, ...shared.all };
    if (!hasLog(platform)) place.journals.push(journalPath(storage.dir, epoch, `host-${place.no}`));
    const { stopped } = await child.channel.ask('host.open', body);
    // Changes that were shared while it opened went to its predecessor.
    await shared.catchUp(child.channel, edition);
    place.child = child;
    place.isMoving = false;
    place.desk.connect(child.channel, (batch) => replies(batch), clock.now());
    return stopped;
  }

  /** The spare takes the place: it replays the dead host's journal, opens its shards, and serves. */
  async #gone(place: HostPlace, child: Thread, exit: string): Promise<void> {
    if (this.#isStopping || place.child !== child || place.isMoving) return;
    const { clock, degraded, log } = this.#ports;
    const replaced = this.#replaced.get(child);
    const reason = replaced ?? exit;
    place.desk.outbox = null;
    this.#ports.lost(place.desk);
    this.#told(place, child, reason);
    const since = clock.now();
    if (isCarried(child)) {
      if (!(await isReleased(child))) return;
    } else if (replaced === undefined && !this.#ports.mayRestart(reason)) return;
    if (replaced !== undefined) this.#ports.restarted('tenant-host', reason);
    if (this.#isStopping) return;
    const old = [...place.journals];
    let needed: readonly string[];
    try {
      const stopped = await this.#open(place, this.#ports.next(), old);
      reportStopped(stopped, degraded);
      needed = neededJournals(old, stopped);
    } catch (error) {
      this.#ports.giveUp(`host ${place.no} could not be opened again: ${(error as Error).message}`);
      return;
    }
    place.journals = [...needed, ...place.journals.filter((dir) => !old.includes(dir))];
    degraded.clear('host', place.desk.name);
    log.warn({ host: place.no, away_ms: clock.now() - since }, 'the host is back');
    this.#retire(
      place,
      old.filter((path) => !needed.includes(path)),
    );
    this.#ports.warmSpare();
  }

  /** A disk that fails here ends the process, as at a start and at any other sync. */
  #retire({ no }: HostPlace, journals: readonly string[]): void {
    try {
      retireJournals(journals, hasJournalCopy(this.#ports.platform));
    } catch (error) {
      this.#ports.giveUp(`the journals that host ${no} has replayed could not be removed: ${(error as Error).message}`);
    }
  }

  #told({ desk, no }: HostPlace, child: Thread, reason: string): void {
    const { degraded, log } = this.#ports;
    const [why] = reason.split('\n');
    if (isCarried(child)) {
      const { node } = child.carrier;
      log.error({ host: no, node, reason }, 'a host that another node carried is gone; its place comes home');
      const meaning = 'its callers get 503 until that node runs nothing any more, for its lease at most';
      degraded.report({
        scope: 'host',
        name: desk.name,
        reason: `its thread on node ${node} is gone (${why}); ${meaning}`,
        lasts: 'cleared',
      });
      return;
    }
    log.error({ host: no, reason }, 'a host is gone; the spare takes its place');
    degraded.report({
      scope: 'host',
      name: desk.name,
      reason: `its thread has ended (${why}); its callers get 503 until another thread has taken its place`,
      lasts: 'cleared',
    });
  }
}

/** Whether another thread may open the shards. Not so where this node's own life is over: it opens nothing any more, and is ended by its beat. */
async function isReleased(thread: CarriedThread): Promise<boolean> {
  try {
    await thread.released();
    return true;
  } catch {
    return false;
  }
}

/** Null of a thread of this node. */
export function nodeOf(thread: Thread): string | null {
  return isCarried(thread) ? thread.carrier.node : null;
}
