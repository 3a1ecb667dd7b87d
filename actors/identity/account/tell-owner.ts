/** Tells a user by mail what was changed in the account: the only warning that an owner gets whose account is being taken over. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Identity } from '../identity.ts';
import type { UserRecord } from '../store.ts';
import { enqueueMail } from '../user/enqueue-mail.ts';
import type { MailEntry, NoticeKind } from '../user/store.ts';

/** `user`: with the address that the notice goes to. Commits the turn with the notice, or without one where the node sends no mail or the user has no address. It is no use after a day. */
export function commitAndTellOwner(
  identity: Identity,
  call: Call,
  kind: NoticeKind,
  { id, email: to }: UserRecord,
  said: Pick<MailEntry, 'provider'> = {},
): void {
  const expires_at = timestamp(identity.context.clock.now() + limits.account.noticeMs);
  if (identity.mail === null || to === '') call.commit();
  else enqueueMail(identity, call, { kind, user: id, to, expires_at, ...said });
}
