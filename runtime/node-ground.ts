/** The parts of a node on the main thread that need no other thread, the memory that threads share, and a thread with it. */
import { placeCount, placeRoom } from '#config/places.ts';
import type { Platform } from '#config/platform.ts';
import { firstRoutes } from './compile-routes.ts';
import { hasJournalCopy } from '#config/resolve-backups.ts';
import { durationMs } from '#config/values/duration.ts';
import { createArchiveCells } from '#storage/archive-cells.ts';
import type { Log } from '#actors/host/activation.ts';
import { createClockFloor, standOnFloor, systemClock } from '#actors/kit/clock.ts';
import { passwordCells, type PasswordCells } from '#actors/kit/password.ts';
import type { Mirrored } from './acme/certificate-mirror.ts';
import type { AcmeKeeper } from './acme/keeper.ts';
import { ClockFloorKeeper } from './clock-floor.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import type { ClusterNode } from './cluster/cluster-node.ts';
import type { JoinedLog } from './cluster/join-log.ts';
import { Directory } from './door/directory.ts';
import type { Doors } from './door/open-doors.ts';
import { Rates } from './door/rates.ts';
import { NodeEvents } from './node-events.ts';
import { CopyWatch } from './backups/copy-watch.ts';
import { COLUMN, columnNames } from './observe/columns.ts';
import { DegradedRegistry } from './observe/degraded.ts';
import { Meter } from './observe/meter.ts';
import { createMetricTable } from './observe/metric-table.ts';
import { RecentFigures } from './observe/recent-figures.ts';
import { RecentLoad } from './observe/recent-load.ts';
import { threadLogger } from './observe/thread-logger.ts';
import { createReadingCell, type ReadingCell } from './scrub/reading-turn.ts';
import { Child } from './supervisor/child.ts';
import type { ChildRow } from './supervisor/children.ts';
import type { StandingDoors } from './standing-doors.ts';
import { UsageMeter } from './usage/usage-meter.ts';
import { createKeyCall, type KeyCall } from './threads/key-call.ts';

/** What changes while the node starts. */
export interface Live {
  /** Contains the secrets that the vault holds as soon as it was asked for them; threads that start later get them. */
  platform: Platform;
  /** Null until they are open, and on a node without doors. */
  doors: Doors | null;
  /** Those of a node that waits, put together with no listener open; null where it has none of that kind. */
  doorsAhead: Doors | null;
  /** Those of a node with a link that waits, while they may still open; null where it has none of that kind. */
  standing: StandingDoors | null;
  /** Certificates of a node that waits with open doors; null where none are ordered. */
  mirror: Mirrored | null;
  /** Null unless the node orders certificates by itself. */
  certificates: AcmeKeeper | null;
}

/** The parts that need no thread; the others are built on them. */
export interface Ground {
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

/** The clock does not stay behind the latest instant in the log. */
export function groundOf(platform: Platform, joined: JoinedLog | null): Ground {
  const log = threadLogger(platform, 'node');
  const room = placeRoom(platform);
  const metrics = createMetricTable(columnNames(room).length);
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
    passwords: passwordCells(room),
    reading: createReadingCell(),
    archives: createArchiveCells(room),
    clock,
    keyCall: createKeyCall(),
    cluster: joined?.cluster ?? null,
    load: new RecentLoad(),
    figures: new RecentFigures({
      metrics,
      hosts: placeCount(platform),
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

/** Starts a thread with the shared memory that all threads get. */
export function spawn(row: ChildRow, { platform }: Live, ground: Ground): Child {
  const { archives, clock, cluster, keyCall, metrics, passwords, rates, reading } = ground;
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
    life: cluster?.life.id ?? null,
  };
  return new Child(row, data);
}
