/** Everything that `skep upgrade check` looks at. It reads: it takes no lock and writes nothing to the directory. */
import type { Platform } from '#config/platform.ts';
import { examineDirectory } from '#runtime/doctor/directory.ts';
import { examineRoom } from '#runtime/doctor/disk.ts';
import { serves } from '#runtime/doctor/examine.ts';
import type { Finding } from '#runtime/doctor/finding.ts';
import { examineListeners } from '#runtime/doctor/listeners.ts';
import { examineMachine, machineFacts } from '#runtime/doctor/machine.ts';
import { examineRunning } from '#runtime/doctor/running.ts';
import { skepVersion } from '#runtime/version.ts';
import { examineBackups, type BackupWish } from './backups.ts';
import { examineProducts } from './products.ts';
import { examineVersions } from './versions.ts';

/** `nowMs`: milliseconds since 1970. */
export async function examineUpgrade(platform: Platform, backups: BackupWish, nowMs: number): Promise<Finding[]> {
  const { dir, free_bytes_min: freeBytesMin } = platform.storage;
  const isRunning = await serves(dir);
  const tenants = platform.hives.tenant.map(({ key }) => key);
  return [
    ...examineDirectory(dir).filter(({ check }) => check !== 'format'), // `examineVersions` says more of it
    ...examineVersions(dir, skepVersion()),
    ...examineRoom(dir, freeBytesMin),
    ...examineMachine(await machineFacts()),
    ...(await examineListeners(platform, isRunning, nowMs)),
    ...(await examineProducts(platform)),
    ...(await examineBackups(tenants, backups, nowMs)),
    ...(await examineRunning(platform, isRunning)).map(asTold),
  ];
}

/** What the old version says of itself does not hinder a new one: it may be the reason for the upgrade. */
function asTold(finding: Finding): Finding {
  return finding.state === 'fault' ? { ...finding, state: 'warning' } : finding;
}
