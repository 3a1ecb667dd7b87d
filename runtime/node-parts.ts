/** The parts of a node on the main thread, put together and not started: node.ts starts them, opens the doors, and stops them. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import type { Platform } from '#config/platform.ts';
import { firstRoutes } from './compile-routes.ts';
import { hasJournalCopy } from '#config/resolve-backups.ts';
import { durationMs } from '#config/values/duration.ts';
import { createArchiveCells } from '#storage/archive-cells.ts';
import type { Log } from '#actors/host/activation.ts';
import { createClockFloor, standOnFloor, systemClock } from '#actors/kit/clock.ts';
import { passwordCells } from '#actors/kit/password.ts';
import type { PasswordCells } from '#actors/kit/password.ts';
import type { AcmeKeeper } from './acme/keeper.ts';
import { ClockFloorKeeper } from './clock-floor.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import { DiskWatch } from './disk-watch.ts';
import type { ClusterNode } from './cluster/cluster-node.ts';
import type { JoinedLog } from './cluster/join-log.ts';
import { ShardCopies } from './cluster/shard-copies.ts';
import { Directory } from './door/directory.ts';
import type { Doors } from './door/open-doors.ts';
import { Rates } from './door/rates.ts';
import type { JwksClient } from './jwks-client.ts';
import { outsideMarkKeeper } from './mark-keeper.ts';
import type { OutsideMarkKeeper } from './mark-keeper.ts';
import { answerNodeAsk } from './node-asks.ts';
import type { Sealer } from './node-asks.ts';
import { NodeEvents } from './node-events.ts';
import { nodeViews } from './node-view/node-views.ts';
import { NodeWatchdog } from './node-watchdog.ts';
import { CopyWatch } from './backups/copy-watch.ts';
import { NodeBackups } from './backups/node-backups.ts';
import { COLUMN, columnNames } from './observe/columns.ts';
import { DegradedRegistry } from './observe/degraded.ts';
import { LINK_PROTOCOLS } from './link/hello.ts';
import { NodeLink } from './link/node-link.ts';
import { Meter } from './observe/meter.ts';
import { cellOf, createMetricTable } from './observe/metric-table.ts';
import { RecentFigures } from './observe/recent-figures.ts';
import { RecentLoad } from './observe/recent-load.ts';
import { threadLogger } from './observe/thread-logger.ts';
import { Relays } from './relays/relays.ts';
import { RingKeys } from './ring-keys.ts';
import { createReadingCell } from './scrub/reading-turn.ts';
import type { ReadingCell } from './scrub/reading-turn.ts';
import { nodeRooms } from './rooms/node-rooms.ts';
import type { NodeRooms } from './rooms/node-rooms.ts';
import { Child } from './supervisor/child.ts';
import type { ChildRow } from './supervisor/children.ts';
import { Shared } from './supervisor/shared.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import type { Thread } from './supervisor/thread.ts';
import { Tenants } from './tenants.ts';
import { TraceRelay } from './trace-relay.ts';
import { UsageKeeper } from './usage/usage-keeper.ts';
import { UsageMeter } from './usage/usage-meter.ts';
import { skepVersion } from './version.ts';
import { createKeyCall } from './threads/key-call.ts';
import type { KeyCall } from './threads/key-call.ts';
import { FATAL_EXIT, loadExit } from './threads/fatal.ts';
import { trustedIssuer } from './trusted-issuer.ts';

/** What changes while the node starts. */
interface Live {
  /** Contains the secrets that the vault holds as soon as it was asked for them; threads that start later get them. */
  platform: Platform;
  /** Null until they are open, and on a node without doors. */
  doors: Doors | null;
  /** Null unless the node orders certificates by itself. */
  certificates: AcmeKeeper | null;
}

/** The parts that need no thread; the others are built on them. */
interface Ground {
  readonly log: Log;
  readonly rates: Rates;
  readonly metrics: SharedArrayBuffer;
  readonly meter: Meter;
  readonly degraded: DegradedRegistry;
  readonly directory: Directory;
  readonly events: NodeEvents;
  /** Memory that main and the threads share. */
  readonly passwords: PasswordCells;
  readonly reading: ReadingCell;
  readonly archives: SharedArrayBuffer;
  readonly clock: SharedArrayBuffer;
  readonly keyCall: KeyCall;
  /** Null where files acknowledge. */
  readonly cluster: ClusterNode | null;
  readonly floor: ClockFloorKeeper;
  /** How far the copy of the journals is. */
  readonly copy: CopyWatch;
  readonly usage: UsageMeter;
  /** What the doors were asked in the last minutes. */
  readonly load: RecentLoad;
  /** What the node was like within the last hour. */
  readonly figures: RecentFigures;
}

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
  const live: Live = { platform, doors: null, certificates: null };
  const shared = new Shared();
  const supervisor: Supervisor = new Supervisor(
    {
      platform,
      clock: systemClock,
      log,
      degraded,
      shared,
      spawn: (row) => {
        const thread = spawn(row, live, ground);
        relays.attach(thread);
        traceRelay.attach(row.name, thread.channel, thread.gone);
        return thread;
      },
      room: (name) => rooms.byThread[name],
      restarted: (name, reason) => restarted(name, reason, ground),
      replies: (batch) => live.doors?.gate.replies(batch),
      lost: (desk) => live.doors?.gate.lost(desk),
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
    copied: (news) => ground.copy.heard(news),
    ask: (ask) => answerNodeAsk(tenants, sealer, views, ask),
    relay: (call) => tenants.relay(call),
    confirm: () => ground.cluster?.confirm() ?? Promise.resolve(true),
  });
  const tenants = tenantsOf(platform, rooms, ground);
  directory.onChange = () => relays.tenantsChanged();
  directory.onFirstRequest = (key) => tenants.registerConfigured(key);
  directory.onGone = (key) => degraded.forgetTenant(key);
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
    link: linkOf(live, joined, ground),
    disk: diskWatch(platform, degraded),
    backups: nodeBackups(live, supervisor, rooms, ground),
    shardCopies: shardCopies(live, rooms, ground),
    watchdog: new NodeWatchdog({ platform, supervisor, directory, degraded, log }),
    mark: outsideMarkKeeper(platform.storage, markId, archives, degraded),
    issuer: trustedIssuer(platform, rooms.hosts, keyCall, log),
  };
  const views = nodeViews(parts);
  return parts;
}

/** The clock does not stay behind the latest instant in the log. */
function groundOf(platform: Platform, joined: JoinedLog | null): Ground {
  const log = threadLogger(platform, 'node');
  const metrics = createMetricTable(columnNames(platform.hosts).length);
  const meter = new Meter(metrics, COLUMN.main);
  const degraded = new DegradedRegistry({ clock: systemClock, log, meter });
  const directory = new Directory(platform.hives.tenant.map((tenant) => tenant.key));
  directory.put([CONTROL_ENTRY]);
  const clock = createClockFloor();
  standOnFloor(clock);
  return {
    log,
    rates: new Rates(platform),
    metrics,
    meter,
    degraded,
    directory,
    events: new NodeEvents({
      enabled: platform.audit.enabled,
      clock: systemClock,
      log,
      after: (ms, run) => void setTimeout(run, ms).unref(),
    }),
    passwords: passwordCells(platform.hosts),
    reading: createReadingCell(),
    archives: createArchiveCells(platform.hosts),
    clock,
    keyCall: createKeyCall(),
    cluster: joined?.cluster ?? null,
    load: new RecentLoad(),
    figures: new RecentFigures({
      metrics,
      hosts: platform.hosts,
      rssBytes: () => process.memoryUsage.rss(),
      now: () => systemClock.now(),
      fine: () => performance.now(),
    }),
    usage: new UsageMeter(() => systemClock.now()),
    floor: new ClockFloorKeeper({
      dataDir: platform.storage.dir,
      degraded,
      memory: clock,
      known: joined?.facts.time ?? 0,
    }),
    copy: new CopyWatch({
      log,
      degraded,
      everyMs: hasJournalCopy(platform) ? durationMs(platform.backups.journal.every) : 0,
    }),
  };
}

/** Starts a thread with the shared memory that all threads get; its degradations reach `degraded[]`. */
function spawn(row: ChildRow, { platform }: Live, ground: Ground): Thread {
  const { archives, clock, cluster, degraded, keyCall, metrics, passwords, rates, reading } = ground;
  const firstRoute = firstRoutes();
  const data = {
    platform,
    firstRoute,
    rates: rates.buffer,
    metrics,
    passwords,
    reading,
    archives,
    clock,
    keyCall,
    lease: cluster?.cell ?? null,
  };
  const child = new Child(row, data);
  degraded.attach(child.channel, child.gone);
  return child;
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

function linkOf(live: Live, joined: JoinedLog | null, { log }: Ground): NodeLink | null {
  const { platform } = live;
  const config = platform.cluster.link;
  if (joined === null || config === undefined) return null;
  const { id: life, node } = joined.cluster.life;
  return new NodeLink({
    platform,
    config,
    self: { cluster: joined.facts.id, protocols: LINK_PROTOCOLS, release: skepVersion(), node, life },
    log,
    replies: (batch) => live.doors?.gate.replies(batch),
    lost: (desk) => live.doors?.gate.lost(desk),
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
