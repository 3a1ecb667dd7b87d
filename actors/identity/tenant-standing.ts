/** How a tenant stands with its operators, in the registry: `skep tenant suspend|read-only|resume`. Spec: docs/contract/tenants.md §1. */
import type { Work } from '#actors/host/work.ts';
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isPlane, parsePosition } from '#actors/protocol/position.ts';
import type { Standing } from '#actors/protocol/standing.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { entryOf } from './registry.ts';
import { findTenant, putTenant, type TenantRecord } from './store.ts';

export interface StandingWish {
  readonly key: string;
  /** Null: it serves again. */
  readonly standing: Standing | null;
  readonly reason: string | null;
}

/**
 * Writes how a tenant stands. A tenant that stands so already keeps the time since when, and gets the new reason. Throws an error for the
 * operator: no such tenant, a plane, a tenant whose deletion has begun.
 */
export function setStanding(work: Work, { key, standing, reason }: StandingWish): TenantEntry {
  const turn = work.turn();
  const present = findTenant(turn, key);
  if (present === undefined) throw new Error(`no tenant ${key} in the registry`);
  const position = parsePosition(key);
  if (position === null || isPlane(position))
    throw new Error(`${key} is a plane of operators: only tenants are suspended or made read-only`);
  if (present.state === 'deleting') throw new Error(`${key} is being deleted`);
  if (reason !== null && !isReason(reason))
    throw new Error(`the reason is one line of at most ${limits.identity.reasonCharsMax} characters`);
  const { standing: before, ...rest } = present;
  const since = before?.as === standing ? before.since : timestamp(work.activation.context.clock.now());
  const record: TenantRecord = standing === null ? rest : { ...rest, standing: { as: standing, since, reason } };
  putTenant(turn, record);
  return entryOf(record);
}

/** It is shown on terminals and kept in the audit log. */
function isReason(text: string): boolean {
  return text.length > 0 && text.length <= limits.identity.reasonCharsMax && !/\p{Cc}/u.test(text);
}
