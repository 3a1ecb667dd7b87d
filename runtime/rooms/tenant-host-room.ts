/** The room of the tenant hosts: messages to all of them, asks of one tenant's host, and answers to what hosts ask of the node. */
import { ChannelFault, type Channel } from '#actors/protocol/channel.ts';
import type { PublicKeyRecord, RingRecord } from '#actors/kit/token/ring.ts';
import type { RelayedAnswer, RelayedCall } from '#actors/protocol/relay.ts';
import type { HostUsage, OutsideLeft } from '#actors/protocol/usage.ts';
import type { BodyOf, NodeAsk, TenantChanges, TenantEntry } from '#actors/protocol/topics.ts';
import type { Job, Place, Step } from '#runtime/copies/job.ts';
import { HOST_ITSELF, type HostBody, type HostReply, type HostVerb, type WebAnswer } from '#runtime/host-verbs.ts';
import type { Attached, ThreadRoom } from '#runtime/supervisor/room.ts';
import type { Shared } from '#runtime/supervisor/shared.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';
import type { AuditSealerRoom } from './audit-sealer-room.ts';
import type { VaultKeeperRoom } from './vault-keeper-room.ts';

export interface TenantHostRoomPorts {
  readonly threads: Pick<Supervisor, 'hold' | 'hosts' | 'host' | 'spare' | 'shardCount'>;
  readonly shared: Shared;
  readonly vault: Pick<VaultKeeperRoom, 'tenantSecret'>;
  readonly sealer: Pick<AuditSealerRoom, 'tellKeys' | 'tellSuspended'>;
  /** Answers asks that concern the whole node. */
  ask(ask: NodeAsk): Promise<unknown>;
  /** Relays a superadmin's request to another tenant's admin plane. */
  relay(call: BodyOf<'node.call'>): Promise<RelayedAnswer | null>;
  /** Whether no other node has the place of this one, by a round to the log that begins now. */
  confirm(): Promise<boolean>;
}

/** Jobs that read or write a file whose path is one of this machine. */
const HERE: ReadonlySet<Job['kind']> = new Set(['backup', 'verify', 'product', 'restore', 'export']);

export class TenantHostRoom implements ThreadRoom {
  readonly #ports: TenantHostRoomPorts;

  constructor(ports: TenantHostRoomPorts) {
    this.#ports = ports;
  }

  attach({ channel }: Pick<Attached, 'channel'>): void {
    const { vault } = this.#ports;
    channel.answer('node.ask', (ask) => this.#ports.ask(ask));
    channel.answer('cluster.confirm', () => this.#ports.confirm());
    channel.answer('node.call', (call) => this.#ports.relay(call));
    channel.answer('vault.tenant-secret', (asked) => vault.tenantSecret(asked));
  }

  /** The number of shards; they are numbered from 0. */
  get shardCount(): number {
    return this.#ports.threads.shardCount;
  }

  /** What lasts ends first: streams of events, whose subscribers come again. */
  async sealing({ channel }: Pick<Attached, 'channel'>): Promise<void> {
    await askItself(channel, 0, 'retire', null);
    await channel.ask('host.seal', null);
  }

  /** Tells every host of all tenants, and remembers them for threads that open later in a dead one's place. */
  async share(tenants: readonly TenantEntry[], ring: readonly RingRecord[]): Promise<void> {
    this.#ports.shared.replace(tenants, ring);
    await this.#ports.sealer.tellSuspended();
    await this.#tell('host.tenants', tenants, ring);
  }

  /** Tells every host of the tenants that have changed. The ring is told only where it has other keys, since a new ring empties the hosts' caches of verified tokens. */
  async change(changes: TenantChanges, ring: readonly RingRecord[]): Promise<void> {
    const { sealer, shared } = this.#ports;
    const before = shared.suspended.join();
    const isNewRing = shared.change(changes, ring);
    if (shared.suspended.join() !== before) await sealer.tellSuspended();
    await this.#tell('host.changed', changes, isNewRing ? ring : null);
  }

  /** Tells every host the keys of the trusted issuer, and remembers them. A host that is dying is no failure: its successor gets them. */
  async trust(keys: readonly PublicKeyRecord[]): Promise<void> {
    const { sealer, shared, threads } = this.#ports;
    shared.trust(keys);
    await sealer.tellKeys();
    await Promise.allSettled(threads.hosts.map((host) => host.ask('host.trust', keys)));
  }

  /** Asks one tenant's actor; resolves when what it wrote is durable. */
  ask(shard: number, tenantNo: number, service: string, verb: string, body: unknown): Promise<unknown> {
    return this.#ports.threads.host(shard).ask('actor.ask', { tenantNo, service, verb, body });
  }

  /** Ends a tenant's activation; its next request wakes it anew. */
  forget(shard: number, tenantNo: number): Promise<null> {
    return askItself(this.#ports.threads.host(shard), tenantNo, 'forget', null);
  }

  /** Begins a copy or a sweep on the host of a place and gives its number. Its thread is one of this node where the job has files of this machine. */
  async beginJob({ shard, no }: Place, job: Job): Promise<number> {
    await this.#ports.threads.hold(shard, HERE.has(job.kind));
    return askItself(this.#ports.threads.host(shard), no, 'copies.begin', job);
  }

  /** Waits for a bounded time for the end of one. */
  async lookAtJob({ shard, no }: Place, id: number): Promise<Step> {
    await this.#ports.threads.hold(shard, false);
    return askItself(this.#ports.threads.host(shard), no, 'copies.look', id);
  }

  /** The files of a tenant's site, unless the known revision is still the one that it serves. */
  webIndex({ shard, no }: Place, known: string | null): Promise<WebAnswer> {
    return askItself(this.#ports.threads.host(shard), no, 'web.index', known);
  }

  /** Numbers of the tenants that are awake, by host. */
  awake(): Promise<readonly (readonly number[])[]> {
    return this.#askAll('awake', null);
  }

  /** Revisions that tenants serve, by host. Rejects unless every host has answered. */
  revisions(): Promise<readonly (readonly string[])[]> {
    return this.#askAll('revisions', null);
  }

  /** The revision that each of these tenants of one shard serves; null for one that serves none. */
  revisionsOf(shard: number, tenantNos: readonly number[]): Promise<readonly (string | null)[]> {
    return askItself(this.#ports.threads.host(shard), 0, 'revisions.of', tenantNos);
  }

  /** Asks every host what its tenants have used since it was asked last; each host answers by itself. */
  usage(): readonly Promise<readonly HostUsage[]>[] {
    return this.#ports.threads.hosts.map((host) => askItself(host, 0, 'usage.take', null));
  }

  /** Tells every host how many calls outside its tenants have left. A host that is gone is no failure. */
  async allowOutside(lefts: readonly (OutsideLeft & { readonly shard: number })[]): Promise<void> {
    const { threads } = this.#ports;
    const byHost = new Map<Channel, OutsideLeft[]>(threads.hosts.map((host) => [host, []]));
    for (const { shard, tenantNo, left } of lefts) byHost.get(threads.host(shard))?.push({ tenantNo, left });
    await Promise.allSettled([...byHost].map(([host, own]) => askItself(host, 0, 'usage.allow', own)));
  }

  /** Tells every host that the node is about to stop. A host that is gone is no failure. */
  async retire(): Promise<void> {
    const { hosts } = this.#ports.threads;
    await Promise.allSettled(hosts.map((host) => askItself(host, 0, 'retire', null)));
  }

  /** Has every host answer what it took and make it durable; none writes anything behind it. */
  async seal(): Promise<void> {
    const sealed = await Promise.allSettled(this.#ports.threads.hosts.map((host) => host.ask('host.seal', null)));
    const failed = sealed.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  /** Relays a superadmin's request to the host of a tenant. */
  relay(shard: number, tenantNo: number, call: RelayedCall): Promise<RelayedAnswer> {
    return this.#ports.threads.host(shard).ask('actor.call', { tenantNo, call });
  }

  #askAll<V extends HostVerb>(verb: V, body: HostBody<V>): Promise<HostReply<V>[]> {
    return Promise.all(this.#ports.threads.hosts.map((host) => askItself(host, 0, verb, body)));
  }

  async #tell<T extends 'host.tenants' | 'host.changed'>(
    topic: T,
    news: BodyOf<T>,
    ring: readonly RingRecord[] | null,
  ): Promise<void> {
    const { sealer, threads } = this.#ports;
    // The spare reads the products that it may have to serve. A spare that cannot be told ends, and its successor is told everything.
    threads.spare?.ask(topic, news).catch(() => undefined);
    if (ring !== null) await sealer.tellKeys();
    await Promise.all(threads.hosts.map((host) => tellHost(host, topic, news, ring)));
  }
}

/** Tells one host. A host that is gone is no failure: the thread that takes its place is told when it opens. */
async function tellHost<T extends 'host.tenants' | 'host.changed'>(
  host: Channel,
  topic: T,
  news: BodyOf<T>,
  ring: readonly RingRecord[] | null,
): Promise<void> {
  try {
    if (ring !== null) await host.ask('host.ring', ring);
    await host.ask(topic, news);
  } catch (error) {
    if (!(error instanceof ChannelFault) || error.why !== 'closed') throw error;
  }
}

/** Asks a host something that it answers by itself. Answers between threads are untyped; threads/answer-host-ask.ts holds the host's handlers to the same row. */
function askItself<V extends HostVerb>(
  host: Channel,
  tenantNo: number,
  verb: V,
  body: HostBody<V>,
): Promise<HostReply<V>> {
  return host.ask('actor.ask', { tenantNo, service: HOST_ITSELF, verb, body }) as Promise<HostReply<V>>;
}
