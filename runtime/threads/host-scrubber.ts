/** Starts the scrubber of a tenant host. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { durationMs } from '#config/values/duration.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Archive } from '#storage/archive.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Host } from '#actors/host/host.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import { heldState } from '#actors/protocol/held-state.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Meter } from '#runtime/observe/meter.ts';
import { cellOf } from '#runtime/observe/metric-table.ts';
import { Findings } from '#runtime/scrub/findings.ts';
import { HostScrub } from '#runtime/scrub/host-scrub.ts';
import { ScrubPace } from '#runtime/scrub/pace.ts';
import { ReadingTurn, type ReadingCell } from '#runtime/scrub/reading-turn.ts';
import { scrubMeter } from '#runtime/scrub/scrub-meter.ts';
import type { BlobRooms } from './blob-rooms.ts';

export interface HostScrubberParts {
  readonly platform: Platform;
  readonly shards: readonly number[];
  readonly reading: ReadingCell;
  readonly archive: Archive;
  readonly host: Host;
  readonly blobs: BlobRooms;
  /** All tenants of the node, by number. */
  readonly tenants: ReadonlyMap<number, TenantEntry>;
  readonly meter: Meter;
  readonly degraded: Degraded;
  readonly log: Log;
}

/** Starts the scrubber; null where `storage.scrub_percent` is 0. */
export function startHostScrub(parts: HostScrubberParts): HostScrub | null {
  const { archive, blobs, degraded, host, log, meter, platform, reading, shards, tenants } = parts;
  const { dir, scrub_percent: percent, scrub_every } = platform.storage;
  if (percent === 0) return null;
  const isHere = (entry: TenantEntry | undefined): entry is TenantEntry =>
    entry !== undefined && shards.includes(entry.shard) && heldState(entry.state) === null;
  const figures = scrubMeter(meter);
  const scrub = new HostScrub({
    dataDir: dir,
    shards,
    archive,
    tenants: () => [...tenants.values()].filter(isHere),
    isServed: (no) => isHere(tenants.get(no)),
    files: (no) => blobs.of(no),
    content: ({ no, position }) => blobs.onDisk({ tenantNo: no, position }),
    pace: new ScrubPace({
      percent,
      fine: () => performance.now(),
      sleep: (ms, signal) => sleep(ms, undefined, { ref: false, signal }).catch(() => undefined),
      yieldLoop: nextTurn,
      isBusy: () => host.waiting > 0,
    }),
    turn: new ReadingTurn(reading, (ms) => sleep(ms, undefined, { ref: false })),
    findings: new Findings({ log, degraded, gauge: figures.fault }),
    looks: figures,
    clock: systemClock,
    everyMs: durationMs(scrub_every),
    log,
  });
  const age = cellOf('scrubAge');
  setInterval(() => meter.set(age, scrub.ageSeconds), limits.scrub.lookMs).unref();
  scrub.start();
  return scrub;
}
