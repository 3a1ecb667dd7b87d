/** `POST /auth/password/reset`, `/auth/magic-link` and `/auth/code`: the same answer and the same work for a known and an unknown address. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { askedLanguage } from '../mail/asked-language.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { findAccount, type UserRecord } from '../store.ts';
import { accountGuardOf } from './account-guard.ts';
import { hasMailRoom, tracedBy } from './enqueue-mail.ts';
import type { userRoutes } from './routes.ts';
import { addressRequest } from './shapes.ts';
import type { MailEntry } from './store.ts';

type AskedKind = 'reset' | 'magic_link' | 'code';
type Result = Outcome<typeof userRoutes.requestReset>;

/** The user id of an unknown address; no user has it. */
const NO_USER = '00000000000000000000000000';
const LIFETIME_MS: Readonly<Record<AskedKind, number>> = {
  reset: limits.identity.resetTokenMs,
  magic_link: limits.identity.magicLinkMs,
  code: limits.identity.codeMs,
};

/** Writes one entry to the outbox in both cases, unless the address had too many mails; the entry of an unknown address, or of a disabled user, is never sent. */
export function requestMail(identity: Identity, call: Call, kind: AskedKind): Result {
  const body = readBody(call, addressRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { login } = body.value;
  const user = findAccount(call.turn(), login);
  call.involve({ target: user?.id ?? '', email: login });
  if (identity.mail === null) identity.warnOfNoMail(call.activation);
  else if (accountGuardOf(call.activation).mayMail(kind, body.value.login, identity.context.clock.now()))
    enqueue(identity, call, entryFor(call, kind, login, user));
  return reply(202, { ok: true });
}

function entryFor(call: Call, kind: AskedKind, login: string, user: UserRecord | undefined): MailEntry {
  const { clock, ids } = call.activation.context;
  const expires_at = timestamp(clock.now() + LIFETIME_MS[kind]);
  const reached = user?.disabled_at === undefined ? user?.id : undefined;
  const language = askedLanguage(call, kind);
  return {
    id: ids.next(),
    kind,
    user: reached ?? NO_USER,
    to: user?.email ?? login,
    expires_at,
    language,
    ...tracedBy(call),
  };
}

/** For an address that no user has the outbox is counted and main is notified, too: both take time, and the second finds nothing to send. */
function enqueue(identity: Identity, call: Call, entry: MailEntry): void {
  if (!hasMailRoom(identity, call)) return;
  if (entry.user === NO_USER) identity.outbox.stageDecoy(call.turn(), [entry], [false]);
  else identity.outbox.stage(call.turn(), [entry]);
  identity.outbox.notify(call.activation, call.commit());
}
