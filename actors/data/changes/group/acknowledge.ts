/** POST /data/changes/groups/{name}: a consumer group has done with the changes up to a position (docs/contract/changes.md §8.3). */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { bodyShape, readBody } from '../../admin/read-body.ts';
import { refuse } from '../../refusals.ts';
import type { Routes } from '../../routes.ts';
import type { Changes } from '../changes.ts';
import { headNow } from '../head-now.ts';
import { refusedMember } from './member.ts';
import { groupNamed } from './start.ts';
import { dropPlace, findPlace, placedGroups, putPlace } from './store.ts';
import { verdictOf } from './verdict.ts';

const acknowledged = bodyShape({ after: z.int().nonnegative().optional() });

/** The answer leaves when the place is on the disk. */
export function acknowledge(call: Call, changes: Changes): Outcome<Routes['changes_acknowledge']> {
  const name = call.param('name');
  const group = groupNamed(call, name);
  if (isRefusal(group)) return group;
  const body = readBody(call, acknowledged);
  if (isRefusal(body)) return body;
  const head = headNow(call, changes.of(call.activation));
  const place = findPlace(call.turn(), name);
  const refused = refusedMember(name, group, place, call.principal!);
  if (refused !== null) return refused;
  const { entity } = group;
  const verdict = verdictOf(place, entity, body.after ?? null, head, call.now);
  if (verdict.kind === 'over') return refuse('v2.changes_position_over', { details: { after: head.seq } });
  const { after } = verdict;
  if (verdict.kind === 'moves') {
    if (place === undefined) makeRoom(call);
    const { type, subject } = call.principal!;
    putPlace(call.turn(), name, { after, entity, at: call.now, type, subject });
  }
  return reply(200, { group: name, entity, after });
}

/** Places of groups that are not declared any more stay for a deploy that goes back, until there are as many places as groups may be. */
function makeRoom(call: Call): void {
  const turn = call.turn();
  const placed = placedGroups(turn);
  if (placed.length < limits.changes.groupsMax) return;
  const { groups = {} } = call.activation.product.settings.changes ?? {};
  for (const group of placed) if (!Object.hasOwn(groups, group)) dropPlace(turn, group);
}
