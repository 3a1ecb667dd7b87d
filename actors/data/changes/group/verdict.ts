/**
 * What an acknowledgement does to the place of a consumer group (docs/contract/changes.md §8.3). A place only moves forwards, over changes that are
 * there or were, and stays behind all later numbers: so no change is passed that no caller acknowledged. Pure.
 */
import { idlePosition, isKnown } from '../position.ts';
import type { ChangeHead } from '../store.ts';
import type { GroupPlace } from './store.ts';

/** `stays`: it is there already, or further. `moves`: to `after`. `over`: the place, or the position that was acknowledged, is too old or unknown. */
export type Verdict = { readonly kind: 'stays' | 'moves'; readonly after: number } | { readonly kind: 'over' };

type Head = Pick<ChangeHead, 'seq' | 'floor'>;

/** Whether a group can go on from its place: a place in the changes of another entity is none in those of this one. */
export function isLive(place: GroupPlace, entity: string, head: Head, nowMs: number): boolean {
  return place.entity === entity && isKnown(place.after, head, nowMs);
}

/** `after`: the position that is acknowledged; null asks for a place without acknowledging anything. `entity`: the one that the group follows now. */
export function verdictOf(
  place: GroupPlace | undefined,
  entity: string,
  after: number | null,
  head: Head,
  nowMs: number,
): Verdict {
  const live = place !== undefined && isLive(place, entity, head, nowMs) ? place.after : null;
  if (live !== null && (after === null || after <= live)) return { kind: 'stays', after: live };
  if (after === null) return place === undefined ? { kind: 'moves', after: head.seq } : { kind: 'over' };
  if (!isKnown(after, head, nowMs)) return { kind: 'over' };
  const to = Math.min(after, idlePosition(head.seq, nowMs));
  return live !== null && to <= live ? { kind: 'stays', after: live } : { kind: 'moves', after: to };
}
