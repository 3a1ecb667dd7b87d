/** `PATCH /auth/me`: names, the language of mails, and the consent to impersonation. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { closeImpersonations } from '../session/follow-session.ts';
import { putUser, type UserRecord } from '../store.ts';
import type { meRoutes } from './me-routes.ts';
import { ownAccount } from './own-account.ts';
import { changeMeRequest } from './shapes.ts';
import { meOf } from './show-me.ts';

/** Null empties a name or a language, an absent member leaves it. A withdrawn consent ends the impersonations at once, as when an operator withdraws it. */
export function changeMe(identity: Identity, call: Call): Outcome<typeof meRoutes.changeMe> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  const body = readBody(call, changeMeRequest);
  if (!body.ok) return body.refusal;
  const { locale: before, ...rest } = own.user;
  const { firstname, lastname, locale = before ?? null, allow_impersonation = rest.allow_impersonation } = body.value;
  const changed: UserRecord = {
    ...rest,
    ...(locale === null ? {} : { locale }),
    ...(firstname === undefined ? {} : { firstname }),
    ...(lastname === undefined ? {} : { lastname }),
    allow_impersonation,
  };
  putUser(call.turn(), changed, own.user);
  if (!allow_impersonation) closeImpersonations(identity, call, changed.id, 'consent_withdrawn');
  call.involve({ data: { changed: Object.keys(body.value), allow_impersonation } });
  return reply(200, meOf(call.turn(), changed));
}
