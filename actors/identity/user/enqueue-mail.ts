/** Puts a mail into the tenant's outbox, in the turn of what it tells. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Identity } from '../identity.ts';
import type { MailEntry } from './store.ts';

/** Whether one more mail finds room among `most` that wait; says so in the log, and counts it, when it does not. */
export function hasMailRoom(identity: Identity, call: Call, most: number = limits.mail.outboxEntriesMax): boolean {
  const { context } = call.activation;
  const kept = limits.mail.outboxEntriesMax - most;
  if (identity.outbox.room(call.turn(), kept + 1) > kept) return true;
  identity.mailDropped++;
  context.log.warn(
    { service: 'identity', dropped: identity.mailDropped },
    'the mail outbox is full, so a mail was dropped and its user gets no link: see whether the mail server takes mail',
  );
  return false;
}

/** Commits the turn with the mail, or, where the outbox holds `most` or more, without it. */
export function enqueueMail(identity: Identity, call: Call, mail: Omit<MailEntry, 'id'>, most?: number): void {
  const { activation } = call;
  const leaves = hasMailRoom(identity, call, most);
  if (leaves) identity.outbox.stage(call.turn(), [{ id: activation.context.ids.next(), ...mail }]);
  const newest = call.commit();
  if (leaves) identity.outbox.notify(activation, newest);
}
