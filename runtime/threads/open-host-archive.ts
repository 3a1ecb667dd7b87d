/** Opens the archive of a host, and logs the state of the journals that earlier owners left. */
import { hasJournalCopy } from '#config/resolve-backups.ts';
import { ArchiveCells } from '#storage/archive-cells.ts';
import { openArchive, type Archive, type ArchiveOptions } from '#storage/archive.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { degradedOver } from '#runtime/observe/degraded.ts';
import type { HostOpen, StoppedShard } from '#actors/protocol/topics.ts';
import { syncObserver, tellCuts, tellHarmless } from '#runtime/observe/host-gauges.ts';
import type { Meter } from '#runtime/observe/meter.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { mayClaimBy } from '#runtime/cluster/lease-cell.ts';
import { fatalIn } from './fatal.ts';
import { loadLogCode, type LogAhead } from './log-ahead.ts';
import type { TenantHostData } from './tenant-host-data.ts';

export interface HostArchive {
  readonly archive: Archive;
  /** Shards that are not served, since a damaged journal lost records of them. */
  readonly stopped: readonly StoppedShard[];
}

/** `name`: of the host. */
export type OpenHostArchive = (name: string, body: HostOpen, meter: Meter) => Promise<HostArchive>;

/** `archives`: the shared memory in which each host shows how far its archive is. */
export function hostArchives(
  { platform, archives, lease }: Pick<TenantHostData, 'platform' | 'archives' | 'lease'>,
  channel: Channel,
  ahead: LogAhead,
): OpenHostArchive {
  return async (name, { host, epoch, shards, replay }, meter) => {
    const degraded = degradedOver(channel);
    const { dir, segment_bytes, free_bytes_min, ballast_bytes } = platform.storage;
    const fatal = await fatalIn(name);
    const onSynced = syncObserver(meter);
    const loaded = await loadLogCode(platform);
    const log = loaded?.journals ?? null;
    const lines = threadLogger(platform, name);
    const options: ArchiveOptions = {
      dataDir: dir,
      shards: [...shards],
      epoch,
      name,
      replay: [...replay],
      onFatal: fatal,
      keeps: hasJournalCopy(platform),
      cells: new ArchiveCells(archives, host),
      onSynced,
      limits: { segmentBytes: segment_bytes, freeBytesMin: free_bytes_min, ballastBytes: ballast_bytes },
      ...(log !== null && {
        journals: log.hostJournals({
          platform,
          engine: (await ahead.take()) ?? log.logEngine(platform),
          host: name,
          degraded,
          onSynced,
          mayClaim: mayClaimBy(lease!, platform.cluster, channel),
        }),
        onLost: (shard: number) => fatal(log.lostShard(shard)),
      }),
    };
    const open = (): Promise<Archive> => openArchive(options);
    const archive = await (loaded === null ? open() : loaded.copies.openWithCopies(platform, shards, lines, open));
    tellCuts(lines, meter, archive);
    tellHarmless(lines, archive);
    const stopped = [...archive.stats().stopped].map(([shard, { journal, what }]) => ({ shard, journal, what }));
    // Another node that starts at the same time was faster.
    if (log !== null && stopped.length > 0) fatal(log.lostShard(stopped[0]!.shard));
    return { archive, stopped };
  };
}
