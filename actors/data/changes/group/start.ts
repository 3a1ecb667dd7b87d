/** Where a request that names a consumer group begins: at the group's place (docs/contract/changes.md §8.2). It moves nothing. */
import type { Call } from '#actors/host/call.ts';
import { Work } from '#actors/host/work.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { failure } from '#actors/engine/rows/failure.ts';
import { refuse } from '../../refusals.ts';
import { failed } from '../../rest/failed.ts';
import type { Wish } from '../wish.ts';
import { refusedMember } from './member.ts';
import { findPlace, type GroupPlace } from './store.ts';

/** The group that a product declares under this name, or 404. */
export function groupNamed({ activation: { product } }: Call, name: string) {
  const groups = product.settings.changes?.groups ?? {};
  const message = `the product declares no group ${shown(name)}`;
  return Object.hasOwn(groups, name) ? groups[name]! : refuse('v2.changes_group_not_found', { message });
}

/**
 * The position behind which the changes of a wish begin: null where it names no group. A place in the changes of another entity is 0, which is
 * too old.
 */
export function startOf(call: Call, { group: name, entity, after, snapshot }: Wish) {
  if (name === undefined) return null;
  const group = groupNamed(call, name);
  if (isRefusal(group)) return group;
  const place = placeNow(call, name);
  const refused = refusedMember(name, group, place, call.principal!);
  if (refused !== null) return refused;
  if (entity !== group.entity) return unfit(`the group ${name} follows ${group.entity}, not ${entity}`);
  if (after !== null || snapshot)
    return unfit('a group has its place: ask without the group for changes behind another one');
  if (place === undefined) {
    const message = `the group ${name} has no place yet: POST /data/changes/groups/${name} gives it one`;
    return refuse('v2.changes_group_unplaced', { message, details: { group: name } });
  }
  return place.entity === entity ? place.after : 0;
}

/** Read in a turn of its own: a poll waits, and a stream goes on, without one. */
function placeNow(call: Call, name: string): GroupPlace | undefined {
  const work = new Work(call.activation);
  const place = findPlace(work.turn(), name);
  call.saw(work.commit());
  return place;
}

const unfit = (message: string) => failed('v2.query_failed', failure(422, message, { parameter: 'group' }));
