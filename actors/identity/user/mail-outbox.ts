/** The outbox of mails to a tenant's users. */
import { limits } from '#config/limits.ts';
import { Outbox, type Judged, type OutboxKind } from '#actors/host/outbox/outbox.ts';
import type { Work } from '#actors/host/work.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Mail, MailSettled } from '#actors/protocol/mail.ts';
import { judgeAccountMail, type AccountLinks } from '../account/account-mail.ts';
import { findUser, type UserRecord } from '../store.ts';
import { drawCode } from '../code/one-time-code.ts';
import { composeMail, linkOf } from './compose-mail.ts';
import { drawOneTime } from './one-time-token.ts';
import { parcelOf } from './parcel.ts';
import { mailRows, type MailEntry } from './store.ts';

/** The link templates, and the notice to main that hands mail to the courier. */
export interface MailPort {
  /** URL templates with `{token}`, by the purpose of the link. */
  readonly links: AccountLinks & { readonly magic_link: string };
  /** Notifies main that a tenant's outbox has mail, which is durable by then. */
  pending(tenantNo: number): void;
}

export type MailOutbox = Outbox<MailEntry, Mail, MailSettled>;

/** The outboxes of a thread's tenants. Where the node sends no mail (`port` null), entries of an earlier configuration end. */
export function mailOutbox(port: MailPort | null): MailOutbox {
  const kind: OutboxKind<MailEntry, Mail, MailSettled> = {
    ...mailRows,
    entriesMax: limits.mail.outboxEntriesMax,
    takeMax: limits.mail.takeEntriesMax,
    judge: (work, entry) => judge(port, work, entry),
    ended,
  };
  return new Outbox(kind, (tenantNo) => port?.pending(tenantNo));
}

/** An entry ends when it has expired or its user is gone or disabled. */
function judge(port: MailPort | null, work: Work, entry: MailEntry): Judged<Mail> {
  if (port === null || work.activation.context.clock.now() >= instantMs(entry.expires_at)) return 'ended';
  const judged = judgeAccountMail(port.links, work, entry);
  if (judged !== null) return judged;
  const user = findUser(work.turn(), entry.user);
  const isReached = user !== undefined && user.disabled_at === undefined;
  return isReached ? () => open(port, work, entry, user) : 'ended';
}

/** Draws the secret of the link, or the code, which only the mail has; its digest is durable before the courier gets the mail. */
function open(port: MailPort, work: Work, entry: MailEntry, user: UserRecord): Mail {
  const kind = entry.kind as 'reset' | 'magic_link' | 'code';
  return parcelOf(work, entry, composeMail(work.activation, kind, entry, user, secretOf(port, work, entry, kind)));
}

function secretOf(
  port: MailPort,
  work: Work,
  { user, expires_at }: MailEntry,
  kind: 'reset' | 'magic_link' | 'code',
): Readonly<Record<string, string>> {
  const { context, position } = work.activation;
  if (kind === 'code') return { code: drawCode(work.turn(), context, user, expires_at) };
  return { link: linkOf(port.links[kind], position, drawOneTime(work.turn(), context, kind, user, expires_at)) };
}

function ended(work: Work, { id, kind }: MailEntry, answer: MailSettled | null): void {
  if (answer === null || answer.outcome === 'sent') return;
  const fields = { service: 'identity', mail: id, kind, outcome: answer.outcome };
  work.activation.context.log.warn(
    fields,
    'a mail was not sent and is not tried again: its user gets no link and may ask for another one',
  );
}
