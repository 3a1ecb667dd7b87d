/** `POST /auth/password/reset`, `/auth/magic-link` and `/auth/code`: the same answer and the same work for a known and an unknown address. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { chooseLanguage, languagesOf, mailLanguageOf } from '../mail/choose-language.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { findLogin, findUser } from '../store.ts';
import { accountGuardOf } from './account-guard.ts';
import type { userRoutes } from './routes.ts';
import { addressRequest } from './shapes.ts';
import { putDecoyMail } from './store.ts';
import type { MailEntry, OneTimeKind } from './store.ts';

type Result = Outcome<typeof userRoutes.requestReset>;

/** The user id of an unknown address; no user has it. */
const NO_USER = '00000000000000000000000000';
const LIFETIME_MS: Readonly<Record<OneTimeKind, number>> = {
  reset: limits.identity.resetTokenMs,
  magic_link: limits.identity.magicLinkMs,
  code: limits.identity.codeMs,
};

/** Writes one entry to the outbox in both cases, unless the address had too many mails; the entry of an unknown address is never sent. */
export function requestMail(identity: Identity, call: Call, kind: OneTimeKind): Result {
  const body = readBody(call, addressRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { login } = body.value;
  call.involve({ target: findLogin(call.turn(), login) ?? '', email: login });
  if (identity.mail === null) identity.warnOfNoMail(call.activation);
  else if (accountGuardOf(call.activation).mayMail(kind, body.value.login, identity.context.clock.now()))
    enqueue(identity, call, entryFor(call, kind, login));
  return reply(202, { ok: true });
}

function entryFor(call: Call, kind: OneTimeKind, login: string): MailEntry {
  const { clock, ids } = call.activation.context;
  const turn = call.turn();
  const user = findUser(turn, findLogin(turn, login) ?? NO_USER);
  const expires_at = timestamp(clock.now() + LIFETIME_MS[kind]);
  const language = languageOf(call, kind);
  return { id: ids.next(), kind, user: user?.id ?? NO_USER, to: user?.email ?? login, expires_at, language };
}

/** By the request alone, also where the user has a language: for an unknown address the work is the same. */
function languageOf(call: Call, kind: OneTimeKind): string {
  const { product } = call.activation;
  return chooseLanguage(languagesOf(product, kind), call.header('accept-language') ?? '', mailLanguageOf(product));
}

function enqueue(identity: Identity, call: Call, entry: MailEntry): void {
  const { context } = call.activation;
  if (identity.outbox.room(call.turn(), 1) === 0) {
    identity.mailDropped++;
    context.log.warn(
      { service: 'identity', dropped: identity.mailDropped },
      'the mail outbox is full, so a mail was dropped and its user gets no link: see whether the mail server takes mail',
    );
    return;
  }
  const leaves = entry.user !== NO_USER;
  if (leaves) identity.outbox.stage(call.turn(), [entry]);
  else putDecoyMail(call.turn(), entry);
  const newest = call.commit();
  if (leaves) identity.outbox.notify(call.activation, newest);
}
