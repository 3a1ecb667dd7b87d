/** Which callers use a consumer group (docs/contract/changes.md §8.2): those that its declaration names, and unless it is shared the one that has it. Pure. */
import type { ChangeGroup } from '#config/definitions/change-groups.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { refuse } from '../../refusals.ts';
import type { GroupPlace } from './store.ts';

/** The refusal of a caller that may not use the group; null for one that may. */
export function refusedMember(name: string, group: ChangeGroup, place: GroupPlace | undefined, principal: Principal) {
  const say = (message: string) => refuse('v2.changes_group_denied', { message, details: { group: name } });
  if (!isMember(group, principal)) return say(`this caller has no role that uses the group ${name}`);
  if (place === undefined || group.shared === true || isOf(place, principal)) return null;
  return say(
    `another caller has the group ${name}: declare it \`shared\`, or have an administrator remove its place and go on from there`,
  );
}

function isMember({ services, roles = [] }: ChangeGroup, { type, roles: held }: Principal): boolean {
  if (type === 'service') return services === true;
  return roles.some((role) => held.includes(role));
}

const isOf = (place: GroupPlace, { type, subject }: Principal): boolean =>
  place.type === type && place.subject === subject;
