/**
 * The subscribers of a tenant that is awake. Each is no more than a position in the kept changes: nothing is queued for it, so a slow one costs no
 * memory and is told `reset` once its position is too old. They are served in slices between the turns of callers, in each from one view of
 * the store: credential first, then rules, then the changes behind the position (docs/contract/changes.md §5, §6).
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { measured } from '#actors/host/pace/own-turns.ts';
import { sessionGateOf } from '#actors/host/service-kit.ts';
import { Work } from '#actors/host/work.ts';
import { hasFuelForRow, inFuel } from '#actors/kit/pace/fuel.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Bound } from '#actors/kit/bound.ts';
import type { LiveCounts, SubscriberKind } from '../live-counts.ts';
import { LiveSlices } from '../live-slices.ts';
import type { EndReason } from '../live-wait.ts';
import { ownerOf, PerOwner } from '../per-owner.ts';
import { Gather, type GatherPorts } from './gather.ts';
import type { ChangeLog } from './log.ts';
import { LogView } from './log-view.ts';
import { roundOf, type Authorize } from './round.ts';
import { Spread } from './spread.ts';
import { Subscription, type Round } from './subscription.ts';
import type { Sweeper } from './sweep.ts';
import type { Wish } from './wish.ts';

export interface HubPorts {
  readonly log: ChangeLog;
  readonly sweeper: Sweeper;
  readonly authorize: Authorize;
  /** Places of the thread. */
  readonly places: Bound;
  /** Subscribers of the thread, by kind. */
  readonly counts: LiveCounts['subscribers'];
  /** Runs a function every so many milliseconds until what it gives is called. */
  readonly every: (ms: number, run: () => void) => () => void;
  /** Runs a function after so many milliseconds; without it each change is told at once. */
  readonly after: GatherPorts['after'];
}

/** A subscriber that a slice has looked at, and what it is told. */
interface Served {
  readonly subscription: Subscription;
  round: Round | null;
}

/** Which bound keeps another subscriber out. */
export type Full = 'caller' | 'tenant' | 'node';

export class Hub {
  readonly #activation: Activation;
  readonly #ports: HubPorts;
  readonly #open = new Set<Subscription>();
  /** Waiting subscribers for which there may be something. */
  readonly #ready = new Set<Subscription>();
  readonly #perOwner = new PerOwner();
  readonly #news: Gather;
  readonly #spread: Spread;
  readonly #slices: LiveSlices;
  /** Counts what may give subscribers something to be told, or end them. */
  #occasions = 0;
  #stopTicking: (() => void) | null = null;
  #listens = false;
  #hearsSessions = false;

  constructor(activation: Activation, ports: HubPorts) {
    this.#activation = activation;
    this.#ports = ports;
    const { gatherMs: ms, spreadParts: parts, spreadLeast: least } = limits.changes;
    const { after } = ports;
    this.#news = new Gather({ ms, after, run: (isSteady) => this.#lookAtAll(isSteady) });
    this.#spread = new Spread({ parts, ms, least, after });
    this.#slices = new LiveSlices(activation, {
      isWanted: () => this.#ready.size > 0,
      slice: () => this.#slice(),
      pause: () => this.#spread.pause(),
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** A new subscriber, which is to be closed; or the bound that keeps it out. */
  open(call: Call, wish: Wish, kind: SubscriberKind, from: number): Subscription | Full {
    const owner = ownerOf(call);
    if (this.#perOwner.count(owner) >= limits.changes.perCallerMax) return 'caller';
    if (this.#open.size >= limits.changes.perTenantMax) return 'tenant';
    if (!this.#ports.places.take()) return 'node';
    const subscription = new Subscription(call, wish, owner, kind, from);
    this.#ports.counts[kind]++;
    this.#open.add(subscription);
    this.#perOwner.add(owner);
    this.#listen();
    return subscription;
  }

  /** What comes next: changes, or what ends it; `idle` once `ms` are over without any. */
  next(subscription: Subscription, ms: number): Promise<Round> {
    if (subscription.ended !== null) return Promise.resolve(subscription.over());
    const round = subscription.wait(this.#activation.context.clock.fine() + ms);
    // One that has been told everything waits for the next occasion, as if it had waited all the time; while changes are gathered it is looked at with the others.
    if (!subscription.isCaughtUp) this.#makeReady(subscription);
    else if (subscription.lookedAt === this.#occasions) return round;
    else if (this.#news.isGathering) this.#news.call();
    else this.#makeReady(subscription);
    return round;
  }

  /** Whether its caller may be sent more of what was read before: its credential counts, and nothing has ended it. */
  stillCounts(subscription: Subscription): boolean {
    if (subscription.ended !== null) return false;
    const principal = this.#ports.authorize(subscription.call);
    if (principal !== null && !isRefusal(principal)) return true;
    subscription.end('session');
    return false;
  }

  close(subscription: Subscription): void {
    if (!this.#open.delete(subscription)) return;
    subscription.end('gone');
    this.#ready.delete(subscription);
    this.#ports.places.give();
    this.#ports.counts[subscription.kind]--;
    this.#perOwner.remove(subscription.owner);
    if (this.#open.size > 0) return;
    this.#stopTicking?.();
    this.#stopTicking = null;
  }

  /** Changes are durable: all that wait are looked at, at once or a few milliseconds later. */
  changed(): void {
    this.#occasions++;
    this.#news.call();
  }

  /** A session has ended, or positions are too old: all that wait are looked at, and those on their way when they next ask. */
  stir(): void {
    this.#occasions++;
    this.#lookAtAll(false);
  }

  end(reason: EndReason): void {
    for (const subscription of this.#open) subscription.end(reason);
    this.#ready.clear();
  }

  #lookAtAll(isSteady: boolean): void {
    if (isSteady) this.#spread.begin(this.#open.size);
    else this.#spread.hurry();
    for (const subscription of this.#open) if (subscription.isWaiting) this.#makeReady(subscription);
  }

  #listen(): void {
    this.#stopTicking ??= this.#ports.every(limits.changes.tickMs, () => this.#tick());
    const { exclusive } = this.#activation;
    if (!this.#hearsSessions) sessionGateOf(this.#activation).onEnded?.(() => this.stir());
    this.#hearsSessions = true;
    if (this.#listens) return;
    this.#listens = true;
    exclusive.onWanted(() => {
      this.#listens = false;
      this.end('leaving');
    });
  }

  #tick(): void {
    const now = this.#activation.context.clock.fine();
    for (const subscription of this.#open) if (subscription.isDue(now)) this.#makeReady(subscription);
    this.#ports.sweeper.look(null);
  }

  #makeReady(subscription: Subscription): void {
    this.#ready.add(subscription);
    this.#slices.start();
  }

  /** Serves some subscribers from one view. What they are told leaves no earlier than all that the view has is durable. */
  #slice(): void {
    const work = new Work(this.#activation);
    const rounds: Served[] = [];
    try {
      measured(work, () => inFuel(() => this.#serve(work, rounds)));
      work.commit();
    } catch (error) {
      work.abort();
      this.#failed(error, rounds);
      return;
    }
    for (const { subscription, round } of rounds) {
      if (round === null) continue;
      subscription.call.saw(work.seen);
      subscription.deliver(round);
    }
  }

  #serve(work: Work, rounds: Served[]): void {
    const { clock } = this.#activation.context;
    const end = clock.fine() + limits.changes.sliceMsMax;
    const turn = work.turn();
    const head = this.#ports.log.ready(turn);
    const view = new LogView(turn, head);
    let isFirst = true;
    for (const subscription of this.#ready) {
      if (rounds.length === this.#spread.share || clock.fine() >= end || !hasFuelForRow()) return;
      this.#ready.delete(subscription);
      const served: Served = { subscription, round: null };
      rounds.push(served);
      const round = roundOf(subscription, work, head, view, { authorize: this.#ports.authorize, isFirst });
      isFirst = false;
      subscription.lookedAt = this.#occasions;
      subscription.isCaughtUp = round !== 'more' && !(round?.kind === 'told' && round.more);
      // One that is behind falls further behind while it waits for its part.
      if (!subscription.isCaughtUp) this.#spread.hurry();
      if (round === 'more') this.#ready.add(subscription);
      else served.round = round;
    }
  }

  /** Nothing of the slice is told: its subscribers are ended, also those who count as told, and come back where they were. */
  #failed(error: unknown, rounds: readonly Served[]): void {
    const { context, position } = this.#activation;
    context.log.error(
      { err: error, tenant: position.key },
      'subscribers of changes could not be served: they are ended, and may come back',
    );
    for (const { subscription } of rounds) subscription.end('fault');
    for (const subscription of this.#ready) subscription.end('fault');
    this.#ready.clear();
  }
}
