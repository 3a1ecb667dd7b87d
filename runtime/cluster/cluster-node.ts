/** This process among the nodes on its log, on main: it registers, waits while another one serves, beats as long as it serves, and leaves. */
import { hash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Follows, Incarnation, NodeEngine, NodeSight, Sight } from '#storage/log-engine/nodes-port.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';
import { PostgresNodes } from '#storage/log-engine/postgres/nodes.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import { oneSample, type MetricFamily } from '#runtime/observe/exposition.ts';
import { SeenCarriers, type Carriers } from './carriers.ts';
import { OwnCarrying, type Carrying, type Follower } from './carrying.ts';
import { ConfirmRounds } from './confirm-rounds.ts';
import { createLeaseCell, machineMs, writeLease } from './lease-cell.ts';
import { Lease, Suspends, Watch } from './lease.ts';
import { sessionOf } from './log-of.ts';
import { nodeNameOf } from './node-name.ts';
import { Membership, type Cause, type Look, type Standing } from './membership.ts';

const { beatsPerLease, heirBeatMs, heirBeatsMsMax, releaseLookMs, standbyBeatMs, suspendLookMs, suspendMsMin } =
  limits.cluster;
const { logPauseMs } = limits.storage;

export interface ClusterNodePorts {
  readonly nodes: NodeEngine;
  readonly life: Incarnation;
  /** Where the end of the lease is written. */
  readonly cell: SharedArrayBuffer;
  readonly log: Log;
}

/** This process's part in the log of a platform. The data directory is locked by the caller. */
export function clusterNode(platform: Platform, log: Log): ClusterNode {
  const leaseMs = durationMs(platform.cluster.lease);
  const options = { ...sessionOf(platform), answerMs: leaseMs };
  const node = nodeNameOf(platform);
  const link = platform.cluster.link?.address;
  const place = placeOf(platform.storage.dir);
  const life = { id: randomUUID(), node, place, leaseMs, ...(link !== undefined && { link }) };
  return new ClusterNode({ nodes: new PostgresNodes(options), life, cell: createLeaseCell(), log });
}

/** Equal for two processes only where the lock of the data directory keeps them apart: one kernel since it was started, and one directory in it. */
function placeOf(dataDir: string): string {
  const boot = bootId();
  const { dev, ino } = statSync(dataDir);
  return hash('sha256', `${boot} ${dev} ${ino}`, 'hex').slice(0, 32);
}

/** Of the running kernel; a new one where there is none to read, so that no other process has the same place. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return randomUUID();
  }
}

/** What this process knows of its own place. */
export interface OwnPlace {
  readonly node: string;
  readonly leaseMs: number;
  /** How long it may answer reads without a further beat; below 0 it may not. */
  readonly leftMs: number;
  /** How long it has served; null while it waits. */
  readonly servedMs: number | null;
  /** The node for which it waited; null where it found the place free. */
  readonly before: string | null;
  readonly cause: Cause | null;
}

export class ClusterNode {
  /** The end of the lease, for `readLease`. */
  readonly cell: SharedArrayBuffer;
  readonly #ports: ClusterNodePorts;
  readonly #lease: Lease;
  readonly #membership: Membership;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #confirms: ConfirmRounds;
  /** Lives that run hosts for this one, once it serves. */
  readonly carriers: Carriers;
  #carrying: OwnCarrying | null = null;
  #suspends: Suspends | null = null;
  /** Whether it has the place and waits for lives that carry for the one before. */
  #waitsForCarriers = false;
  #follows: () => Follows | null = () => null;
  #linked: () => boolean | null = () => null;
  #isNext: () => void = () => undefined;
  #seen: (serving: NodeSight | null) => void = () => undefined;
  #handsOver: ((heir: string) => void) | null = null;
  /** The heir as it was first seen. */
  #heir: NodeSight | null = null;
  #isOver = false;
  /** Since when it serves, by `machineMs`, and the node for which it waited. */
  #serves: { readonly since: number; readonly before: string | null } | null = null;
  /** Beats with an outcome. */
  #beatsDone = 0;

  constructor(ports: ClusterNodePorts) {
    const { nodes, life, cell } = ports;
    this.cell = cell;
    this.#ports = ports;
    this.#lease = new Lease(life.leaseMs, writeLease(cell));
    const watch = new Watch(life.leaseMs, life.leaseMs / 2);
    const follows = (): Follows | null => this.#follows();
    const linked = (): boolean | null => this.#linked();
    this.#membership = new Membership({ nodes, life, lease: this.#lease, watch, now: machineMs, follows, linked });
    this.#confirms = new ConfirmRounds(() => this.#hasPlace(), Number.POSITIVE_INFINITY);
    this.carriers = new SeenCarriers(this.#membership, () => this.#look(), this.#pause);
  }

  /**
   * Resolves when this process may claim the shards: no other one serves the log, or runs hosts for one that did. `waits` is told the name of the one that does, again where it is another; without it the call rejects
   * when that one beats, and waits for its lease when it does not. A database that does not answer is waited for.
   */
  async serve(waits: ((serving: string) => Promise<void>) | null): Promise<void> {
    const pause = async (): Promise<void> => sleep(logPauseMs);
    await untilKnown(() => this.#membership.register(), pause);
    let before: NodeSight | null = null;
    let heirSince: number | null = null;
    for (;;) {
      const { standing, sight } = await untilKnown(() => this.#look(), pause);
      if (sight === null) throw new Error('this life of the node was ended by another node: start it again');
      if (standing === 'serves') {
        if (await untilKnown(() => this.#mayClaim(sight), pause)) {
          this.#serves = { since: machineMs(), before: before?.node ?? null };
          return;
        }
        await sleep(releaseLookMs);
        continue;
      }
      await untilKnown(() => this.#membership.buries(sight), pause);
      const { serving } = this.#membership;
      this.#seen(serving);
      if (waits === null) refuseBeside(serving, before);
      else if (serving !== null && serving.node !== before?.node) await waits(serving.node);
      before = serving;
      const isHeir = this.#membership.heir?.id === this.#ports.life.id;
      if (isHeir && heirSince === null) this.#isNext();
      heirSince = isHeir ? (heirSince ?? machineMs()) : null;
      const isSoon = heirSince !== null && machineMs() - heirSince < heirBeatsMsMax;
      await sleep(isSoon ? heirBeatMs : Math.min(standbyBeatMs, this.#beatMs));
    }
  }

  /** Whether no host is open any more that ran for a life before, here or elsewhere. */
  async #mayClaim(sight: Sight): Promise<boolean> {
    const isAlone = await this.#membership.outlives(sight);
    const isIdle = this.#carrying?.isIdle ?? true;
    if (!(isAlone && isIdle) && !this.#waitsForCarriers) {
      this.#waitsForCarriers = true;
      const says =
        'this node has the place, and waits until the hosts are gone that other nodes ran for the one before';
      this.#ports.log.info({}, says);
    }
    return isAlone && isIdle;
  }

  /** What lets this process run hosts for the node that serves, while it stands by itself. Called once. */
  carrying(follower: Follower): Carrying {
    const { nodes, life } = this.#ports;
    this.#carrying = new OwnCarrying({ nodes, id: life.id, follower, pause: this.#pause });
    this.#watchSuspends();
    return this.#carrying;
  }

  /** Why the place was free when this node took it. */
  get cause(): Cause | null {
    return this.#membership.cause;
  }

  /** `then` is called when the node that serves was told to hand over to this one, which waits: its place comes within moments. */
  whenNext(then: () => void): void {
    this.#isNext = then;
  }

  /** `then` is told of the node that serves, with each beat of this one while it waits. */
  whenSeen(then: (serving: NodeSight | null) => void): void {
    this.#seen = then;
  }

  /** The life that serves, as the newest beat of this one saw it; null where none does. */
  get serving(): NodeSight | null {
    return this.#membership.serving;
  }

  /** Of this process, as the others see it. */
  get life(): Incarnation {
    return this.#ports.life;
  }

  /** As of now, from memory. */
  get own(): OwnPlace {
    const { node, leaseMs } = this.#ports.life;
    const now = machineMs();
    return {
      node,
      leaseMs,
      leftMs: this.#lease.leftMs(now),
      servedMs: this.#serves === null ? null : now - this.#serves.since,
      before: this.#serves?.before ?? null,
      cause: this.#serves === null ? null : this.cause,
    };
  }

  /** `then` is called once when this node was told to hand over to one that lives, with its name. A node that cannot become a standby leaves it out, and goes on. */
  whenToldToHandOver(then: (heir: string) => void): void {
    this.#handsOver = then;
  }

  /** What this process says of how far it has followed the log, from its next beat on. */
  tells(follows: () => Follows | null): void {
    this.#follows = follows;
  }

  /** What this process says of its doors: whether they reach the node that serves; null where they are closed, or serve. */
  tellsLinked(linked: () => boolean | null): void {
    this.#linked = linked;
  }

  /** Whether this process serves, or runs hosts for the one that does, by a beat that begins behind the call. False, too, where it has no outcome. */
  confirm(): Promise<boolean> {
    return this.#confirms.ask();
  }

  /** Beats from now on. `onOver` is called once when this process must answer nothing any more: it does not return. */
  keep(onOver: (error: Error) => never): void {
    void this.#beats().catch((error: unknown) => {
      this.#lease.end();
      if (!this.#isOver) onOver(error as Error);
    });
    this.#watchSuspends();
  }

  #watchSuspends(): void {
    if (this.#suspends !== null) return;
    const suspends = (this.#suspends = new Suspends(suspendMsMin));
    this.#timers.push(
      setInterval(() => {
        if (suspends.slept(uptime() * 1000, machineMs())) this.#lapse();
      }, suspendLookMs).unref(),
    );
  }

  /** For the operations listener, while this process serves. */
  families(): MetricFamily[] {
    const leftS = this.#lease.leftMs(machineMs()) / 1000;
    const { life } = this.#ports;
    return [
      oneSample('skep_lease_seconds', 'gauge', 'cluster.lease.', life.leaseMs / 1000),
      oneSample(
        'skep_lease_left_seconds',
        'gauge',
        'How long this node may answer reads without a further beat.',
        leftS,
      ),
      oneSample(
        'skep_lease_beats_total',
        'counter',
        'Beats that the database has acknowledged; rounds for confirmed reads are among them.',
        this.#beatsDone,
      ),
      oneSample(
        'skep_standbys',
        'gauge',
        'Nodes that follow the log and can take the place of this one, as its newest beat saw them.',
        this.#membership.standbys,
      ),
    ];
  }

  /** Lists it while the lease has run out. */
  report(degraded: Degraded): void {
    this.#timers.push(setInterval(() => this.#tell(degraded), suspendLookMs).unref());
  }

  /** Gives the place up, so that a standby need not wait. It takes over all the same where that has no outcome. */
  async leave(): Promise<void> {
    this.#isOver = true;
    for (const timer of this.#timers) clearInterval(timer);
    const left = this.#membership.leave().catch((error: unknown) => {
      if (!(error instanceof OutcomeUnknown)) throw error;
    });
    await Promise.race([left, sleep(logPauseMs * 4)]);
    await this.#ports.nodes.close();
  }

  get #beatMs(): number {
    return this.#ports.life.leaseMs / beatsPerLease;
  }

  async #beats(): Promise<void> {
    while (!this.#isOver) {
      const standing = await this.#step();
      if (standing !== null && standing !== 'serves') throw new Error(this.#overtaken());
      if (standing === 'serves') this.#lookAtHeir();
      await sleep(standing === null ? logPauseMs : this.#heir === null ? this.#beatMs : heirBeatMs, false);
    }
  }

  async #beat(): Promise<Standing> {
    return (await this.#look()).standing;
  }

  async #look(): Promise<Look> {
    const look = await this.#membership.look();
    if (this.#serves !== null) this.#beatsDone++;
    this.#carrying?.saw(look.sight);
    return look;
  }

  /** While the row of a life says that it carries, no other one claims what it may have open. */
  async #hasPlace(): Promise<boolean> {
    const { standing, sight } = await this.#look();
    const carries = sight?.nodes.find(({ id }) => id === this.#ports.life.id)?.carries ?? null;
    return standing === 'serves' || carries !== null;
  }

  /** For calls that are made again: not when this process has left. */
  readonly #pause = async (): Promise<void> => {
    await sleep(logPauseMs, false);
    if (this.#isOver) throw new Error('this node has left the log');
  };

  /** It is told when the heir has seen the word, too, and looks often: until then callers are served on here. Of two beats behind the word the second one saw it. */
  #lookAtHeir(): void {
    const { heir } = this.#membership;
    const then = this.#handsOver;
    if (heir === null || then === null || this.#isOver) {
      this.#heir = null;
      return;
    }
    if (this.#heir?.id !== heir.id) this.#heir = heir;
    if (heir.beat < this.#heir.beat + 2) return;
    this.#handsOver = null;
    then(heir.node);
  }

  /** Null where a beat has no outcome: the lease may run out meanwhile. */
  async #step(): Promise<Standing | null> {
    try {
      return await this.#beat();
    } catch (error) {
      if (error instanceof OutcomeUnknown || this.#isOver) return null;
      throw error;
    }
  }

  #overtaken(): string {
    const { node, leaseMs } = this.#ports.life;
    return `another node has taken the place of ${node}, which was silent for its lease of ${leaseMs / 1000} s, and this process must not answer for the log any more: started again it waits as a standby (skep cluster status shows the nodes)`;
  }

  #lapse(): void {
    this.#lease.lapse();
    // One that only waits answers nothing.
    if (this.#serves === null && this.#carrying?.isIdle !== false) return;
    this.#ports.log.warn(
      {},
      'the machine was suspended: reads are refused until the database has acknowledged a beat of this node',
    );
  }

  #tell(degraded: Degraded): void {
    if (this.#lease.holds(machineMs())) return degraded.clear('journal', 'lease');
    const reason =
      'the database has acknowledged no beat of this node within its lease, so another node may have taken its place: reads get 503 until it does. ' +
      'See to the database and the network to it (skep cluster check): the node goes on by itself';
    degraded.report({ scope: 'journal', name: 'lease', reason, lasts: 'cleared' });
  }
}

/** A command does not wait for a node that lives: its beat has moved. */
function refuseBeside(serving: NodeSight | null, before: NodeSight | null): void {
  if (serving === null || serving.id !== before?.id || serving.beat === before.beat) return;
  const mend = 'run the command there, or stop that node: skep cluster status shows the nodes';
  throw new Error(`node ${serving.node} serves the log\n    ${mend}`);
}

/** `isAwaited`: a process that has nothing else to do waits for it. */
function sleep(ms: number, isAwaited = true): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (!isAwaited) timer.unref();
  });
}
