/** GET …/changes/groups, DELETE …/changes/groups/{name} (docs/contract/changes.md §8.4). */
import type { ChangeGroup } from '#config/definitions/change-groups.ts';
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { allPlaces, dropPlace, findPlace } from '../../changes/group/store.ts';
import type { GroupPlace } from '../../changes/group/store.ts';
import { isLive } from '../../changes/group/verdict.ts';
import { findHead } from '../../changes/store.ts';
import type { ChangeHead } from '../../changes/store.ts';
import { refuse } from '../../refusals.ts';
import { placeOf } from '../gate.ts';
import type { ChangeGroupRows } from './routes.ts';

export const changeGroupHandlers: Handlers<ChangeGroupRows> = { change_groups: list, change_group_remove: remove };

function list(call: Call): Outcome<ChangeGroupRows['change_groups']> {
  const turn = call.turn();
  const head = findHead(turn);
  const places = new Map(allPlaces(turn));
  const declared = call.activation.product.settings.changes?.groups ?? {};
  const names = [...new Set([...Object.keys(declared), ...places.keys()])].sort();
  const groups = names.map((name) => shownGroup(name, declared[name], places.get(name), head, call.now));
  return reply(200, { ...placeOf(call), groups });
}

function shownGroup(
  name: string,
  group: ChangeGroup | undefined,
  place: GroupPlace | undefined,
  head: ChangeHead | undefined,
  nowMs: number,
) {
  const entity = group?.entity ?? place!.entity;
  return {
    name,
    declared: group !== undefined,
    entity,
    services: group?.services ?? false,
    roles: [...(group?.roles ?? [])],
    shared: group?.shared ?? false,
    after: place?.after ?? null,
    over: place !== undefined && (head === undefined || !isLive(place, entity, head, nowMs)),
    acknowledged_at: place === undefined ? null : timestamp(place.at),
    acknowledged_by: place === undefined ? null : `${place.type} ${place.subject}`,
  };
}

/** Removing a place lets another caller have the group, wherever it begins: it is on record. */
function remove(call: Call): Outcome<ChangeGroupRows['change_group_remove']> {
  const name = call.param('name');
  const place = findPlace(call.turn(), name);
  if (place === undefined)
    return refuse('v2.changes_group_not_found', { message: `no group ${shown(name)} has a place` });
  dropPlace(call.turn(), name);
  const data = { entity: place.entity, after: place.after, subject: place.subject };
  call.record(() => call.event({ outcome: 'ok', action: 'data.changes.group_remove', target: name, data }));
  return reply(200, { ...placeOf(call), name, after: place.after });
}
