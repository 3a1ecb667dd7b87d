/** The parts of a node that are shown: what node-parts.ts has, as these views need it. */
import type { Platform } from '#config/platform.ts';
import type { CopyWatch } from '#runtime/backups/copy-watch.ts';
import type { OwnPlace } from '#runtime/cluster/cluster-node.ts';
import type { DiskWatch } from '#runtime/disk-watch.ts';
import type { Directory } from '#runtime/door/directory.ts';
import type { Rates } from '#runtime/door/rates.ts';
import type { NodeWatchdog } from '#runtime/node-watchdog.ts';
import type { DegradedRegistry } from '#runtime/observe/degraded.ts';
import type { RecentFigures } from '#runtime/observe/recent-figures.ts';
import type { RecentLoad } from '#runtime/observe/recent-load.ts';
import type { TenantHostRoom } from '#runtime/rooms/tenant-host-room.ts';
import type { VaultKeeperRoom } from '#runtime/rooms/vault-keeper-room.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';

export interface ViewParts {
  /** The platform has the vault's secrets in it as soon as the node serves. */
  readonly live: { readonly platform: Platform; readonly doors: { readonly isDraining: boolean } | null };
  readonly supervisor: Pick<Supervisor, 'isServing' | 'places' | 'spare'>;
  readonly watchdog: Pick<NodeWatchdog, 'quiet' | 'still'>;
  readonly degraded: Pick<DegradedRegistry, 'concernsAll' | 'list' | 'unlisted'>;
  readonly copy: Pick<CopyWatch, 'health'>;
  readonly disk: Pick<DiskWatch, 'health'>;
  readonly figures: Pick<RecentFigures, 'list'>;
  /** Null where files acknowledge. */
  readonly cluster: { readonly own: OwnPlace } | null;
  readonly load: Pick<RecentLoad, 'loads' | 'slow'>;
  readonly rates: Pick<Rates, 'counts' | 'profiles'>;
  readonly directory: Pick<Directory, 'byNo'>;
  readonly metrics: SharedArrayBuffer;
  readonly rooms: {
    readonly hosts: Pick<TenantHostRoom, 'revisionsOf'>;
    readonly vault: Pick<VaultKeeperRoom, 'state'>;
  };
}
