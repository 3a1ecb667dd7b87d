/** The parts of a node on the main thread, put together and not started: node.ts starts them, opens the doors, and stops them. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import type { Platform } from '#config/platform.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { DiskWatch } from './disk-watch.ts';
import type { JoinedLog } from './cluster/join-log.ts';
import { ShardCopies } from './cluster/shard-copies.ts';
import type { JwksClient } from './jwks-client.ts';
import { outsideMarkKeeper, type OutsideMarkKeeper } from './mark-keeper.ts';
import { answerNodeAsk, type Sealer } from './node-asks.ts';
import { NodeCarrying, nodeLink, selfOf } from './node-carrying.ts';
import { groundOf, spawn, type Ground, type Live } from './node-ground.ts';
import { nodeViews } from './node-view/node-views.ts';
import { NodeWatchdog } from './node-watchdog.ts';
import { NodeBackups } from './backups/node-backups.ts';
import type { DegradedRegistry } from './observe/degraded.ts';
import type { OwnDoor } from './link/hosted.ts';
import type { NodeLink } from './link/node-link.ts';
import { cellOf } from './observe/metric-table.ts';
import { Relays } from './relays/relays.ts';
import { RingKeys } from './ring-keys.ts';
import { nodeRooms, type NodeRooms } from './rooms/node-rooms.ts';
import { childRow, type ChildRow } from './supervisor/children.ts';
import { Shared } from './supervisor/shared.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import type { Thread } from './supervisor/thread.ts';
import { Tenants } from './tenants.ts';
import { TraceRelay } from './trace-relay.ts';
import { UsageKeeper } from './usage/usage-keeper.ts';
import { FATAL_EXIT, loadExit } from './threads/fatal.ts';
import { trustedIssuer } from './trusted-issuer.ts';

export interface NodeParts extends Ground {
  readonly live: Live;
  readonly supervisor: Supervisor;
  readonly relays: Relays;
  readonly traceRelay: TraceRelay;
  readonly rooms: NodeRooms;
  readonly tenants: Tenants;
  readonly usageKeeper: UsageKeeper;
  readonly watchdog: NodeWatchdog;
  readonly disk: DiskWatch;
  /** Null where the platform file has no `cluster.link`. */
  readonly link: NodeLink | null;
  /** Null unless it says `cluster.carry`. */
  readonly carrying: NodeCarrying | null;
  readonly backups: NodeBackups;
  readonly shardCopies: ShardCopies;
  /** Null where the platform file names none. */
  readonly mark: OutsideMarkKeeper | null;
  /** Null where the platform file trusts this node alone. */
  readonly issuer: JwksClient | null;
}

/** Builds the parts. `markId`: the id of the directory for the mark outside it; null where no mark is kept. `joined`: null where files acknowledge. */
export async function nodeParts(
  platform: Platform,
  markId: string | null,
  joined: JoinedLog | null,
): Promise<NodeParts> {
  const exit = await loadExit();
  const ground = groundOf(platform, joined);
  const { archives, degraded, directory, events, keyCall, log } = ground;
  const live: Live = { platform, doors: null, doorsAhead: null, standing: null, mirror: null, certificates: null };
  const shared = new Shared();
  const adopted = (thread: Thread): void => {
    degraded.attach(thread.channel, thread.gone);
    relays.attach(thread);
    traceRelay.attach(thread.row.name, thread.channel, thread.gone);
  };
  const supervisor: Supervisor = new Supervisor(
    {
      platform,
      clock: systemClock,
      log,
      degraded,
      shared,
      spawn: (row) => {
        const thread = spawn(row, live, ground);
        adopted(thread);
        return thread;
      },
      adopted,
      room: (name) => rooms.byThread[name],
      restarted: (name, reason) => restarted(name, reason, ground),
      replies: (batch) => live.doors?.gate.replies(batch),
      lost: (desk) => {
        live.doors?.gate.lost(desk);
        const place = supervisor.placeAt(desk);
        if (place !== null) parts.link?.referrals.recallPlace(place);
      },
      giveUp: (reason) => {
        log.error({ reason }, 'the node cannot go on');
        exit(FATAL_EXIT);
      },
    },
    shardsPresent(platform.storage.dir),
    joined?.facts.shards ?? null,
  );
  const relays = new Relays({
    noticeDepth: platform.intake.notify.queue_depth,
    directory,
    hostOf: (shard) => supervisor.host(shard),
    left: ({ localdir, position, quota }, kind) =>
      localdir === null ? Infinity : ground.usage.left(position.key, kind, quota),
    sent: (tenant, kind) => ground.usage.used(tenant, kind),
    after: (ms, run) => void setTimeout(run, ms).unref(),
    log,
  });
  const traceRelay = new TraceRelay({
    isOn: platform.service === null && platform.telemetry.traces !== undefined,
    meter: ground.meter,
    courier: () => supervisor.channel('courier'),
  });
  const sealer: Sealer = () => {
    if (!platform.audit.enabled) return undefined;
    const channel = supervisor.channel('audit-sealer');
    if (channel === undefined) throw new Error('the thread of the audit logs is being started');
    return channel;
  };
  const rooms = nodeRooms({
    threads: supervisor,
    shared,
    events,
    relays,
    traceRelay,
    published: () => live.doors?.gate.forgetKept(),
    copied: (news) => ground.copy.heard(news),
    ask: (ask) => answerNodeAsk(tenants, sealer, views, ask),
    relay: (call) => tenants.relay(call),
    confirm: () => ground.cluster?.confirm() ?? Promise.resolve(true),
  });
  const tenants = tenantsOf(platform, rooms, ground);
  directory.onChange = () => relays.tenantsChanged();
  directory.onFirstRequest = (key) => tenants.registerConfigured(key);
  directory.onGone = (key) => degraded.forgetTenant(key);
  const carrying = carryingOf(live, joined, ground, () => parts.usageKeeper.flush());
  const parts: NodeParts = {
    ...ground,
    live,
    supervisor,
    relays,
    traceRelay,
    rooms,
    tenants,
    usageKeeper: new UsageKeeper({
      meter: ground.usage,
      control: (verb, body) => tenants.control(verb, body),
      hosts: () => rooms.hosts.usage(),
      allowOutside: (lefts) => rooms.hosts.allowOutside(lefts),
      tenants: directory,
      now: () => systemClock.now(),
      log,
    }),
    link: nodeLink(joined, platform, {
      hosting: carrying?.hosting ?? null,
      log,
      ...doorOf(live),
      doors: () => live.doors,
      supervisor,
      directory,
      usage: ground.usage,
      refuses: () => parts.watchdog.suspensions.active > 0,
    }),
    carrying,
    disk: diskWatch(platform, degraded),
    backups: nodeBackups(live, supervisor, rooms, ground),
    shardCopies: shardCopies(live, rooms, ground),
    watchdog: new NodeWatchdog({
      platform,
      supervisor,
      directory,
      degraded,
      refused: () => parts.link?.referrals.recallAll(),
      log,
    }),
    mark: outsideMarkKeeper(platform.storage, markId, archives, degraded),
    issuer: trustedIssuer(platform, rooms.hosts, keyCall, log),
  };
  const views = nodeViews(parts);
  return parts;
}

function restarted(name: ChildRow['name'], reason: string, { events, meter }: Ground): void {
  meter.add(cellOf('threadRestarts'));
  events.platform('platform.thread.replace', name, { reason });
}

function tenantsOf(platform: Platform, { hosts, vault }: NodeRooms, { degraded, directory, events }: Ground): Tenants {
  return new Tenants({
    platform,
    hosts,
    directory,
    ringKeys: new RingKeys({
      place: platform.identity.keyring?.slice('vault:'.length) ?? null,
      signingKey: (path, make) => vault.signingKey(path, make),
      forgetKey: (path) => vault.forgetKey(path),
    }),
    told: (action, key, data, asker) => events.platform(action, key, data, 'ok', asker),
    mended: (key) => degraded.clear('tenant', key),
  });
}

/** The doors as what answers requests sees them, whether or not they are open. */
const doorOf = (live: Live): OwnDoor => ({
  replies: (batch) => live.doors?.gate.replies(batch),
  lost: (desk) => live.doors?.gate.lost(desk),
});

function carryingOf(
  live: Live,
  joined: JoinedLog | null,
  ground: Ground,
  counted: () => Promise<void>,
): NodeCarrying | null {
  const { platform } = live;
  if (joined === null || !platform.cluster.carry) return null;
  const { floor, keyCall, log } = ground;
  return new NodeCarrying({
    platform,
    self: selfOf(joined),
    cluster: joined.cluster,
    keyCall,
    clock: { now: () => systemClock.now(), reach: (ms) => floor.reach(ms) },
    log,
    counted,
    door: doorOf(live),
    spawn: () => spawn(childRow('tenant-host'), live, ground),
  });
}

function nodeBackups(
  live: Live,
  supervisor: Supervisor,
  { hosts }: NodeRooms,
  { copy, degraded, directory, events, log }: Ground,
): NodeBackups {
  return new NodeBackups({
    platform: () => live.platform,
    hosts,
    directory,
    channel: (name) => supervisor.channel(name),
    clock: systemClock,
    log,
    degraded,
    copy,
    told: (action, target, data) => events.platform(action, target, data),
  });
}

function shardCopies(live: Live, { hosts }: NodeRooms, { degraded, log }: Ground): ShardCopies {
  return new ShardCopies({
    platform: () => live.platform,
    hosts,
    open: async () => (await import('./cluster/copied-log.ts')).copiedLog(live.platform),
    clock: systemClock,
    log,
    degraded,
    wait: passed,
  });
}

function diskWatch({ service, storage }: Platform, degraded: DegradedRegistry): DiskWatch {
  return new DiskWatch({
    path: storage.dir,
    freeBytesMin: service === 'audit' ? 0 : storage.free_bytes_min, // the audit service watches the disk of its logs itself
    degraded,
  });
}

function shardsPresent(dataDir: string): number {
  const dir = join(dataDir, 'shards');
  return existsSync(dir) ? readdirSync(dir).length : 0;
}
