/** The directory entry of the control plane: the first tenant of the first shard. It is fixed here because the registry itself lives in it. */
import { CONTROL_PLANE, parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';

export const CONTROL_ENTRY: TenantEntry = {
  no: 1,
  position: parsePosition(CONTROL_PLANE)!,
  shard: 0,
  state: 'active',
  localdir: null,
};
