/** Bodies of the session routes. Spec: docs/contract/identity-users.md §4. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';

const id = z.string().min(1).max(limits.session.idCharsMax);

export const listRequest = z.object({ principal: id.nullish() });

/** Why and how an operator acts for a person; null in sessions that were begun before that was kept. */
export const shownPurpose = z.object({
  reason: z.string().nullable(),
  mode: z.enum(['readonly', 'full']).nullable(),
});

const session = z.object({
  id: z.string(),
  principal: z.string(),
  created_at: z.string(),
  last_seen_at: z.string(),
  expires_at: z.string(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  kind: z.enum(['user', 'impersonation']),
  revoked_at: z.string().nullable(),
  reason: z.string().nullable(),
  /** The operator; on impersonations only. */
  actor: z.string().optional(),
  impersonation: shownPurpose.optional(),
});

export type ShownSession = z.output<typeof session>;

export const listReply = z.object({ sessions: z.array(session), count: z.int() });

export const revokeRequest = z.object({ id, reason: z.string().max(limits.session.reasonCharsMax).nullish() });

export const revokeReply = z.object({ ok: z.literal(true) });

export const rotateRequest = z.object({ id });

export const rotateReply = z.object({ id: z.string() });
