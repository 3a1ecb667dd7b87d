/** `GET /auth/captcha`: for any caller the same work, and nothing is stored. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { accountsOf } from '../account/rules.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';
import { deskOf } from './desk.ts';
import type { captchaRoutes } from './routes.ts';
import { PURPOSES } from './shapes.ts';

export function giveChallenge(call: Call): Outcome<typeof captchaRoutes.captchaChallenge> {
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const rules = accountsOf(call.activation);
  if (isRefusal(rules)) return rules;
  const { captcha } = rules.accounts;
  if (captcha?.provider !== 'altcha') return refuse('no_captcha');
  const purpose = PURPOSES.find((known) => known === call.query.get('for'));
  if (purpose === undefined) return refuse('bad_request', { message: `?for=: expected one of ${PURPOSES.join(', ')}` });
  const { activation } = call;
  const challenge = deskOf(activation).give({ position: activation.position.key, purpose }, captcha.difficulty);
  return reply(200, challenge, { 'Cache-Control': 'no-store' });
}
