/** What the node has for its backups. */
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { Directory } from '#runtime/door/directory.ts';
import type { TenantHostRoom } from '#runtime/rooms/tenant-host-room.ts';
import type { CopyWatch } from './copy-watch.ts';
import type { NodePartsPorts } from './parts-of-node.ts';

export interface NodeBackupsPorts {
  readonly platform: () => Platform;
  readonly hosts: Pick<TenantHostRoom, 'beginJob' | 'lookAtJob' | 'shardCount'>;
  readonly directory: Pick<Directory, 'all'>;
  readonly channel: NodePartsPorts['channel'];
  readonly clock: Clock;
  readonly log: Log;
  readonly degraded: Degraded;
  readonly copy: Pick<CopyWatch, 'setMade' | 'status' | 'families'>;
  /** Reports operations, for the node's audit log. */
  readonly told: (action: string, target: string, data: Readonly<Record<string, unknown>>) => void;
}
