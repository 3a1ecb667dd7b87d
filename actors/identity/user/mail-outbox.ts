/** The outbox of mails to a tenant's users. */
import { limits } from '#config/limits.ts';
import { Outbox } from '#actors/host/outbox/outbox.ts';
import type { Judged, OutboxKind } from '#actors/host/outbox/outbox.ts';
import type { Work } from '#actors/host/work.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Mail, MailSettled } from '#actors/protocol/mail.ts';
import { judgeAccountMail } from '../account/account-mail.ts';
import type { AccountLinks } from '../account/account-mail.ts';
import { findUser } from '../store.ts';
import { composeMail } from './compose-mail.ts';
import { drawOneTime } from './one-time-token.ts';
import { parcelOf } from './parcel.ts';
import { mailRows } from './store.ts';
import type { MailEntry } from './store.ts';

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
  if (user === undefined || user.disabled_at !== undefined) return 'ended';
  return () => open(port, work, entry);
}

/** Draws the secret of the link, which only the mail has; its digest is durable before the courier gets the mail. */
function open(port: MailPort, work: Work, entry: MailEntry): Mail {
  const { context, position } = work.activation;
  const kind = entry.kind as 'reset' | 'magic_link';
  const token = drawOneTime(work.turn(), context, kind, entry.user, entry.expires_at);
  return parcelOf(work, entry, composeMail(kind, port.links[kind], position, token, entry.expires_at));
}

function ended(work: Work, { id, kind }: MailEntry, answer: MailSettled | null): void {
  if (answer === null || answer.outcome === 'sent') return;
  const fields = { service: 'identity', mail: id, kind, outcome: answer.outcome };
  work.activation.context.log.warn(
    fields,
    'a mail was not sent and is not tried again: its user gets no link and may ask for another one',
  );
}
