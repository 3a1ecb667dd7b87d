/** The shell of the thread that copies the journals into the place of the backups. */
import { statfsSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { durationMs } from '#config/values/duration.ts';
import { encryptionFor } from '#storage/backup-set/encryption.ts';
import { JournalCopier } from '#storage/journal-copy/copier.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { Channel } from '#actors/protocol/channel.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { CopyLoop } from '#runtime/backups/copy-loop.ts';
import { placeOf } from '#runtime/backups/place-of.ts';
import { keepBeat, type BeatingData } from './keep-beat.ts';

export interface JournalCopierData extends BeatingData {
  readonly platform: Platform;
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

export function runJournalCopier(port: MessagePort, { platform, pulse }: JournalCopierData): void {
  const channel = new Channel(port, 'journal-copier', 'main');
  keepBeat(channel, new Pulse(pulse));
  const { encrypt, journal } = platform.backups;
  const loop = new CopyLoop({
    open: () =>
      JournalCopier.open({
        dataDir: platform.storage.dir,
        place: placeOf(platform),
        encryption: encryptionFor(encrypt.recipients),
        now: () => systemClock.now(),
        bytesMax: limits.backup.chunkBytes,
        keptBytesMax: journal.kept_bytes_max,
        firstTold: CONTROL_ENTRY.shard,
        isDiskFull: () => freeBytes(platform.storage.dir) < 2 * platform.storage.free_bytes_min,
      }),
    everyMs: durationMs(journal.every),
    drainMs: limits.backup.copyDrainMs,
    now: () => systemClock.now(),
    after: (ms, run) => void setTimeout(run, ms),
    told: (news) => channel.tell('journal.copied', news),
  });
  loop.start();
  channel.answer('thread.drain', async () => {
    await loop.drain();
    return null;
  });
}
