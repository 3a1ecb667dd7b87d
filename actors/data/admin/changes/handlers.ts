/** GET …/changes/groups, DELETE …/changes/groups/{name} (docs/contract/changes.md §8.4). */
import type { ChangeGroup } from '#config/definitions/change-groups.ts';
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { dropPlace, placedGroups, readablePlace, type GroupPlace } from '../../changes/group/store.ts';
import { isLive } from '../../changes/group/verdict.ts';
import { findHead, type ChangeHead } from '../../changes/store.ts';
import { refuse } from '../../refusals.ts';
import { placeOf } from '../gate.ts';
import type { ChangeGroupRows } from './routes.ts';

export const changeGroupHandlers: Handlers<ChangeGroupRows> = { change_groups: list, change_group_remove: remove };

function list(call: Call): Outcome<ChangeGroupRows['change_groups']> {
  const turn = call.turn();
  const head = findHead(turn);
  const placed = new Set(placedGroups(turn));
  const declared = new Map(Object.entries(call.activation.product.settings.changes?.groups ?? {}));
  const names = [...new Set([...declared.keys(), ...placed])].sort();
  const groups = names.map((name) => {
    const group = declared.get(name);
    const place = placed.has(name) ? readablePlace(turn, name) : undefined;
    const over = placed.has(name) && !goesOn(place, group, head, call.now);
    return { ...shownGroup(name, group, place), over };
  });
  return reply(200, { ...placeOf(call), groups });
}

/** A place that cannot be read is none to go on from: removing it mends the group. */
function goesOn(
  place: GroupPlace | undefined,
  group: ChangeGroup | undefined,
  head: ChangeHead | undefined,
  nowMs: number,
): boolean {
  return place !== undefined && head !== undefined && isLive(place, group?.entity ?? place.entity, head, nowMs);
}

function shownGroup(name: string, group: ChangeGroup | undefined, place: GroupPlace | undefined) {
  return {
    name,
    declared: group !== undefined,
    entity: group?.entity ?? place?.entity ?? null,
    services: group?.services ?? false,
    roles: [...(group?.roles ?? [])],
    shared: group?.shared ?? false,
    after: place?.after ?? null,
    acknowledged_at: place === undefined ? null : timestamp(place.at),
    acknowledged_by: place === undefined ? null : `${place.type} ${place.subject}`,
  };
}

/** Removing a place lets another caller have the group, wherever it begins: it is on record. */
function remove(call: Call): Outcome<ChangeGroupRows['change_group_remove']> {
  const name = call.param('name');
  if (!placedGroups(call.turn()).includes(name))
    return refuse('v2.changes_group_not_found', { message: `no group ${shown(name)} has a place` });
  const place = readablePlace(call.turn(), name);
  dropPlace(call.turn(), name);
  const after = place?.after ?? null;
  const data = { entity: place?.entity ?? '', after, subject: place?.subject ?? '' };
  call.record(() => call.event({ outcome: 'ok', action: 'data.changes.group_remove', target: name, data }));
  return reply(200, { ...placeOf(call), name, after });
}
