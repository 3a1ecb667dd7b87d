/** POST /jwt/rotate and POST /pki/ca/renew: an operator starts what otherwise happens by itself in time. */
import { timestamp } from '#actors/kit/clock.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { CertificateRoutes } from './certificate-routes.ts';
import { rotateJwtShape } from './certificate-shapes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { readShape } from '../read-shape.ts';
import { refuse } from '../refusals.ts';

const JWT = 'pki/jwt';
const CA = 'pki/ca';

/** A new key, published now and signing after the lead; with `drop_previous` it signs at once and earlier tokens stop counting. */
export async function rotateJwt(pki: PkiRoom, call: Call): Promise<Outcome<CertificateRoutes['rotateJwt']>> {
  const refused = await pki.keeper.allow(call, 'admin', JWT);
  if (refused !== null) return refused;
  const wish = readShape(call, rotateJwtShape);
  if (isRefusal(wish)) return wish;
  const keys = await pki.jwtKeys.rotate(wish.drop_previous);
  if (keys === null) return refuse('vault.internal');
  const { kid } = keys[0]!.jwk;
  const data = { verb: 'rotate', kid, drop_previous: wish.drop_previous };
  await pki.keeper.report(call, { action: 'operator', target: JWT, outcome: 'ok', tenant: null, data });
  return reply(200, { kid, keys: keys.map(({ jwk, signsMs }) => ({ kid: jwk.kid, signs_from: timestamp(signsMs) })) });
}

/** A certificate that begins now, for the same key and name: it verifies everything that the old one verifies. */
export async function renewAuthority(pki: PkiRoom, call: Call): Promise<Outcome<CertificateRoutes['renewAuthority']>> {
  const refused = await pki.keeper.allow(call, 'admin', CA);
  if (refused !== null) return refused;
  await pki.keys.renew();
  const { facts, pem } = await pki.keys.authority();
  const { serial, notAfterMs } = facts;
  const data = { verb: 'renew', serial };
  await pki.keeper.report(call, { action: 'operator', target: CA, outcome: 'ok', tenant: null, data });
  return reply(200, { serial, not_after: timestamp(notAfterMs), certificate: pem });
}
