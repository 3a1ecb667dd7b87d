/** Replaces all recovery codes by new ones; only the answer has them as text. */
import type { Call } from '#actors/host/call.ts';
import { reply, type Reply } from '#actors/protocol/route.ts';
import type { BodyOf } from '#actors/protocol/body.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import type { enableReply } from './shapes.ts';
import { replaceRecoveryCodes } from './store.ts';

export function issueRecoveryCodes(call: Call, subject: string): Reply<200, BodyOf<typeof enableReply>> {
  const { context } = call.activation;
  const { codes, digests } = newRecoveryCodes((bytes) => context.random(bytes));
  replaceRecoveryCodes(call.turn(), subject, digests);
  return reply(200, { ok: true, recovery_codes: codes }, { 'Cache-Control': 'no-store' });
}
