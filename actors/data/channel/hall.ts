/**
 * The members of a tenant's channels, in the memory of its thread alone. What is sent is put into the queue of each member, and leaves in slices between the
 * turns of callers, in each of which credential, declaration and row are judged first (docs/contract/channels.md §4, §5).
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { measured } from '#actors/host/pace/own-turns.ts';
import { sessionGateOf } from '#actors/host/service-kit.ts';
import { Work } from '#actors/host/work.ts';
import type { Bound } from '#actors/kit/bound.ts';
import { hasFuelForRow, inFuel } from '#actors/kit/pace/fuel.ts';
import type { Authorize } from '../changes/round.ts';
import { EndpointRates, type Taken } from '../endpoint/rate.ts';
import type { LiveCounts } from '../live-counts.ts';
import { LiveSlices } from '../live-slices.ts';
import type { EndReason } from '../live-wait.ts';
import { ownerOf, PerOwner } from '../per-owner.ts';
import type { Admitted } from './address.ts';
import { judged } from './judged.ts';
import { Member, type Round } from './member.ts';
import { Allowance, Queue } from './queue.ts';
import { Topic } from './topic.ts';

export interface HallPorts {
  readonly authorize: Authorize;
  /** Places of the thread. */
  readonly places: Bound;
  /** Where members are counted. */
  readonly counts: Pick<LiveCounts, 'members'>;
  /** Bytes that may wait for members of the thread. */
  readonly waiting: Allowance;
  /** Runs a function every so many milliseconds until what it gives is called. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/** Which bound keeps another member out. */
export type Full = 'caller' | 'channel' | 'tenant' | 'node';

export class Hall {
  readonly #activation: Activation;
  readonly #ports: HallPorts;
  readonly #waiting: Allowance;
  readonly #rates = new EndpointRates();
  readonly #topics = new Map<string, Topic>();
  readonly #open = new Map<Member, Topic>();
  /** Members that are to be judged, and told what waits for them. */
  readonly #ready = new Set<Member>();
  readonly #perOwner = new PerOwner();
  readonly #slices: LiveSlices;
  #stopTicking: (() => void) | null = null;
  #hearsLeaving = false;
  #hearsSessions = false;

  constructor(activation: Activation, ports: HallPorts) {
    this.#activation = activation;
    this.#ports = ports;
    this.#waiting = new Allowance(limits.channels.tenantQueueBytes, ports.waiting);
    this.#slices = new LiveSlices(activation, { isWanted: () => this.#ready.size > 0, slice: () => this.#slice() });
  }

  get size(): number {
    return this.#open.size;
  }

  /** The members under one address; undefined where there are none. */
  topic(name: string): Topic | undefined {
    return this.#topics.get(name);
  }

  /** Whether the caller may do something more in a channel now; where the caller may not, what the refusal says. */
  rate(topic: string, call: Call): Taken {
    const { callerRate, channelRate } = limits.channels;
    const { now } = call;
    const own = this.#rates.take(`caller ${topic} ${ownerOf(call)}`, callerRate, now);
    return own.granted ? this.#rates.take(`channel ${topic}`, channelRate, now) : own;
  }

  /** Which bound keeps another member out; null where none does. */
  full(call: Call, { topic }: Admitted): Full | null {
    const { membersMax, perCallerMax, perTenantMax } = limits.channels;
    if (this.#perOwner.count(ownerOf(call)) >= perCallerMax) return 'caller';
    if ((this.#topics.get(topic)?.size ?? 0) >= membersMax) return 'channel';
    if (this.#open.size >= perTenantMax) return 'tenant';
    return this.#ports.places.full ? 'node' : null;
  }

  /** A new member where no bound keeps it out, which is to be closed. */
  open(call: Call, { address, channel, topic: name }: Admitted, state: string): Member {
    this.#ports.places.take();
    this.#ports.counts.members++;
    const owner = ownerOf(call);
    const { ids, clock } = this.#activation.context;
    const member = new Member(ids.next(), call, address, owner, new Queue(this.#waiting), state, clock.fine());
    const topic = this.#topics.get(name) ?? new Topic(name, (some) => some.isWaiting && this.#makeReady(some));
    this.#topics.set(name, topic);
    this.#open.set(member, topic);
    this.#perOwner.add(owner);
    topic.add(member, channel.presence === true);
    this.#listen();
    return member;
  }

  /** What comes next: events, or what ends it; `idle` once `ms` are over without any. */
  next(member: Member, ms: number): Promise<Round> {
    if (member.ended !== null) return Promise.resolve(member.over());
    const round = member.wait(this.#activation.context.clock.fine() + ms);
    this.#makeReady(member);
    return round;
  }

  /** Others are told in the same turn, whether or not its caller reads what is left. */
  close(member: Member, reason: EndReason = 'gone'): void {
    const topic = this.#open.get(member);
    if (topic === undefined) return;
    this.#open.delete(member);
    member.end(reason);
    member.queue.take();
    this.#ready.delete(member);
    topic.remove(member);
    if (topic.size === 0) this.#topics.delete(topic.name);
    this.#ports.places.give();
    this.#ports.counts.members--;
    this.#perOwner.remove(member.owner);
    if (this.#open.size > 0) return;
    this.#stopTicking?.();
    this.#stopTicking = null;
  }

  end(reason: EndReason): void {
    for (const member of this.#open.keys()) member.end(reason);
    for (const member of this.#open.keys()) this.close(member, reason);
  }

  #listen(): void {
    this.#stopTicking ??= this.#ports.every(limits.changes.tickMs, () => this.#tick());
    const { exclusive } = this.#activation;
    if (!this.#hearsSessions) sessionGateOf(this.#activation).onEnded?.(() => this.#stir());
    this.#hearsSessions = true;
    if (this.#hearsLeaving) return;
    this.#hearsLeaving = true;
    exclusive.onWanted(() => {
      this.#hearsLeaving = false;
      this.end('leaving');
    });
  }

  /** A session has ended: all are judged. */
  #stir(): void {
    for (const member of this.#open.keys()) this.#makeReady(member);
  }

  #tick(): void {
    const now = this.#activation.context.clock.fine();
    const { heartbeatMs } = limits.changes;
    for (const member of this.#open.keys())
      if (member.isDue(now) || now - member.judgedAt >= heartbeatMs) this.#makeReady(member);
  }

  #makeReady(member: Member): void {
    this.#ready.add(member);
    this.#slices.start();
  }

  /** What members are told leaves no earlier than all that they were judged by is durable. */
  #slice(): void {
    const work = new Work(this.#activation);
    const rounds: [Member, Round][] = [];
    try {
      measured(work, () => inFuel(() => this.#serve(work, rounds)));
      work.commit();
    } catch (error) {
      work.abort();
      this.#failed(error);
      return;
    }
    for (const [member, round] of rounds) {
      member.call.saw(work.seen);
      if (round.kind === 'end') this.close(member, round.reason);
      else member.deliver(round);
    }
  }

  #serve(work: Work, rounds: [Member, Round][]): void {
    const { clock } = this.#activation.context;
    const end = clock.fine() + limits.changes.sliceMsMax;
    let isFirst = true;
    for (const member of this.#ready) {
      if (clock.fine() >= end || !hasFuelForRow()) return;
      this.#ready.delete(member);
      const reason = judged(member, work, this.#ports.authorize);
      if (reason === 'cost' && !isFirst) this.#ready.add(member);
      else this.#tell(member, reason, rounds);
      isFirst = false;
    }
  }

  #tell(member: Member, reason: EndReason | null, rounds: [Member, Round][]): void {
    if (reason !== null) {
      rounds.push([member, { kind: 'end', reason }]);
      return;
    }
    const now = this.#activation.context.clock.fine();
    member.judgedAt = now;
    if (!member.isWaiting) return; // its caller still reads what it was told before
    const text = this.#open.get(member)!.textFor(member);
    if (text !== '') rounds.push([member, { kind: 'told', text }]);
    else if (member.isDue(now)) rounds.push([member, { kind: 'idle' }]);
  }

  #failed(error: unknown): void {
    const { context, position } = this.#activation;
    const fields = { err: error, tenant: position.key };
    context.log.error(fields, 'members of channels could not be served: they have left, and may join again');
    // Others, which are told that these leave, are not among them.
    const failed = Array.from(this.#ready);
    this.#ready.clear();
    for (const member of failed) this.close(member, 'fault');
  }
}
