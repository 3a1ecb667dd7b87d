/** What becomes of a queued mail of an account when the courier takes it: only then it is known, and told to the holder alone, whether the address has an account. */
import type { Work } from '#actors/host/work.ts';
import type { Judged } from '#actors/host/outbox/outbox.ts';
import type { Mail } from '#actors/protocol/mail.ts';
import { findLogin, findUser } from '../store.ts';
import { composeMail, linkOf } from '../user/compose-mail.ts';
import { drawOneTime } from '../user/one-time-token.ts';
import { parcelOf } from '../user/parcel.ts';
import type { MailEntry, MailKind, NoticeKind } from '../user/store.ts';
import { findRequest } from './store.ts';

/** URL templates with `{token}`; a mail whose template is gone ends. */
export interface AccountLinks {
  readonly reset: string;
  readonly sign_up?: string | undefined;
  readonly invitation?: string | undefined;
  readonly email_change?: string | undefined;
}

const JUDGES = {
  sign_up: judgeSignUp,
  invitation: judgeInvitation,
  email_change: judgeChange,
  password_changed: judgeNotice,
  email_changed: judgeNotice,
  provider_linked: judgeNotice,
  provider_unlinked: judgeNotice,
  passkey_added: judgeNotice,
  passkey_removed: judgeNotice,
} as const satisfies Partial<Record<MailKind, Judge>>;

type Judge = (links: AccountLinks, work: Work, entry: MailEntry) => Judged<Mail>;

/** Null for a mail that is not of this room. */
export function judgeAccountMail(links: AccountLinks, work: Work, entry: MailEntry): Judged<Mail> | null {
  return entry.kind in JUDGES ? JUDGES[entry.kind as keyof typeof JUDGES](links, work, entry) : null;
}

/** The owner of a known address is told so, with a link to a new password: people who sign up twice have mostly forgotten the first time. */
function judgeSignUp(links: AccountLinks, work: Work, entry: MailEntry): Judged<Mail> {
  const turn = work.turn();
  if (findRequest(turn, 'sign_up', entry.user) === undefined) return 'ended';
  const owner = findUser(turn, findLogin(turn, entry.to) ?? '');
  if (owner === undefined) return linked(links.sign_up, work, entry);
  if (owner.disabled_at !== undefined) return 'ended';
  // To the address as its owner wrote it: another case of it may be another person's mailbox.
  const mail = { ...entry, to: owner.email };
  return () => withLink(links.reset, work, mail, 'reset', owner.id, 'account_exists');
}

function judgeInvitation(links: AccountLinks, work: Work, entry: MailEntry): Judged<Mail> {
  return findRequest(work.turn(), 'invitation', entry.user) === undefined
    ? 'ended'
    : linked(links.invitation, work, entry);
}

/** No mail goes to an address that another user has, or that was replaced by a later wish. */
function judgeChange(links: AccountLinks, work: Work, entry: MailEntry): Judged<Mail> {
  const turn = work.turn();
  const owner = findLogin(turn, entry.to);
  const isWished = findRequest(turn, 'email_change', entry.user)?.email === entry.to;
  if (!isWished || findUser(turn, entry.user) === undefined) return 'ended';
  return owner !== undefined && owner !== entry.user ? 'ended' : linked(links.email_change, work, entry);
}

function judgeNotice(_links: AccountLinks, work: Work, entry: MailEntry): Judged<Mail> {
  const user = findUser(work.turn(), entry.user);
  if (user === undefined) return 'ended';
  const kind = entry.kind as NoticeKind;
  const said: Record<string, string> = entry.provider === undefined ? {} : { provider: entry.provider };
  return () => parcelOf(work, entry, composeMail(work.activation, kind, entry, user, said));
}

function linked(template: string | undefined, work: Work, entry: MailEntry): Judged<Mail> {
  const kind = entry.kind as 'sign_up' | 'invitation' | 'email_change';
  return template === undefined ? 'ended' : () => withLink(template, work, entry, kind, entry.user, kind);
}

function withLink(
  template: string,
  work: Work,
  entry: MailEntry,
  kind: 'reset' | 'sign_up' | 'invitation' | 'email_change',
  holder: string,
  words: 'account_exists' | 'sign_up' | 'invitation' | 'email_change',
): Mail {
  const { activation } = work;
  const token = drawOneTime(work.turn(), activation.context, kind, holder, entry.expires_at);
  const link = linkOf(template, activation.position, token);
  return parcelOf(work, entry, composeMail(activation, words, entry, findUser(work.turn(), holder), { link }));
}
