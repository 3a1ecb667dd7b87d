/** The control plane's place: the first tenant of the first shard, there before any registry can say so. */
import { CONTROL_PLANE, parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';

export const CONTROL_ENTRY: TenantEntry = {
  no: 1,
  position: parsePosition(CONTROL_PLANE)!,
  shard: 0,
  state: 'active',
  localdir: null,
};
