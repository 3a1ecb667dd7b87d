/** Ends logins: families of refresh tokens and their sessions. */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Identity } from '../identity.ts';
import { closeSession, presentSid } from '../session/follow-session.ts';
import { putFamily, readFamilies, type RefreshFamilyRecord } from './store.ts';

/** Stages the end of one family and of its session. */
export function endFamily(identity: Identity, work: Work, family: RefreshFamilyRecord, reason: string): void {
  if (family.sid !== null) closeSession(identity, work, family.sid, reason);
  if (family.ended_at !== null) return;
  putFamily(work.turn(), { ...family, ended_at: timestamp(identity.context.clock.now()) });
}

/** Stages the end of a user's families: those of the session whose present id is `sid`, or all for null. */
export function endFamilies(identity: Identity, work: Work, user: string, sid: string | null, reason: string): void {
  for (const family of readFamilies(work.turn(), user))
    if (sid === null || (family.sid !== null && presentSid(work, family.sid) === sid))
      endFamily(identity, work, family, reason);
}
