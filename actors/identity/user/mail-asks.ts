/** What the node asks of a tenant's outbox: to hand mail out, and to forget what was answered for. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Mail, MailTaken, MailWish, Settled } from '#actors/protocol/mail.ts';
import type { Identity } from '../identity.ts';
import { findUser } from '../store.ts';
import { composeMail } from './compose-mail.ts';
import { drawOneTime } from './one-time-token.ts';
import { deleteMail, findMail, hasMail, scanMail } from './store.ts';
import type { MailEntry, Store } from './store.ts';

export function mailAsks(identity: Identity) {
  return {
    'mail.take': (work: Work, wish: MailWish): MailTaken => takeMail(identity, work, wish),
    'mail.settle': settleMail,
  };
}

/**
 * Mail of the tenant that the courier does not hold yet, oldest first. The secret of each link is drawn here and lives in the mail
 * alone; its digest is durable before the mail is handed over. Entries whose time is over, or whose user is gone, are deleted.
 */
function takeMail(identity: Identity, work: Work, wish: MailWish): MailTaken {
  const held = new Set(wish.except);
  const waiting = [...scanMail(work.turn())].filter(({ id }) => !held.has(id));
  const limit = Math.min(wish.limit, limits.mail.takeEntriesMax);
  const mails: Mail[] = [];
  for (const entry of waiting.slice(0, limit)) {
    const mail = openMail(identity, work, entry);
    if (mail === null) deleteMail(work.turn(), entry.id);
    else mails.push(mail);
  }
  return { mails, more: waiting.length > limit };
}

function openMail({ mail }: Identity, work: Work, entry: MailEntry): Mail | null {
  const { context, position, tenantNo } = work.activation;
  const turn = work.turn();
  if (mail === null || context.clock.now() >= instantMs(entry.expires_at)) return null;
  if (findUser(turn, entry.user) === undefined) return null;
  const token = drawOneTime(turn, context, entry.kind, entry.user, entry.expires_at);
  return {
    tenantNo,
    tenant: position.key,
    id: entry.id,
    to: entry.to,
    expiresAtMs: instantMs(entry.expires_at),
    ...composeMail(entry.kind, mail.links[entry.kind], position, token, entry.expires_at),
  };
}

/** The courier has answered for an entry: sent, or never to be. */
function settleMail(work: Work, { id, outcome }: Settled): null {
  const entry = findMail(work.turn(), id);
  if (entry === undefined) return null;
  deleteMail(work.turn(), id);
  const fields = { service: 'identity', mail: id, kind: entry.kind, outcome };
  if (outcome !== 'sent') work.activation.context.log.warn(fields, 'mail not sent');
  return null;
}

/** Tells the node of mail that a crash left in the outbox, without waking the tenant. */
export function resumeMail({ mail }: Identity, store: Store, tenantNo: number): void {
  if (mail === null) return;
  const turn = store.begin();
  const { newest } = turn;
  const waiting = hasMail(turn);
  turn.abort();
  if (waiting) store.whenDurable(newest, () => mail.pending(tenantNo));
}
