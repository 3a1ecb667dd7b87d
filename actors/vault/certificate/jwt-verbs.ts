/** POST /jwt, POST /jwt/verify, GET /.well-known/jwks.json. */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { flawOfClaims } from '../authority/web-tokens.ts';
import type { CertificateRoutes } from './certificate-routes.ts';
import { newJwtShape, verifyJwtShape } from './certificate-shapes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { bad, lifetimeOf, readShape } from '../read-shape.ts';
import { NO_STORE } from './show-certificate.ts';

export async function issueJwt(pki: PkiRoom, call: Call): Promise<Outcome<CertificateRoutes['issueJwt']>> {
  const wish = readShape(call, newJwtShape);
  if (isRefusal(wish)) return wish;
  const { audience, claims = {} } = wish;
  const refused = await pki.keeper.allow(call, 'issue', `jwt/${audience}`);
  if (refused !== null) return refused;
  const lifetimeMs = lifetimeOf(wish.ttl, limits.pki.jwtMs, limits.pki.jwtMsMax);
  if (isRefusal(lifetimeMs)) return lifetimeMs;
  const flaw = flawOfClaims(claims);
  if (flaw !== null) return bad(`claims: ${flaw}`);
  const { subject } = call.principal!;
  const { token, expiresAtMs } = await pki.jwts.issue({ subject, audience, lifetimeMs, claims });
  const expires_at = timestamp(expiresAtMs);
  const event = { action: 'jwt.issue', target: audience, outcome: 'ok', tenant: null } as const;
  await pki.keeper.report(call, { ...event, data: { subject, expires_at } });
  const expires_in = Math.floor(lifetimeMs / 1000);
  return reply(200, { token, token_type: 'JWT', subject, expires_in, expires_at }, NO_STORE);
}

export async function verifyJwtVerb(pki: PkiRoom, call: Call): Promise<Outcome<CertificateRoutes['verifyJwt']>> {
  const refused = await pki.keeper.allow(call, 'verify', 'jwt');
  if (refused !== null) return refused;
  const wish = readShape(call, verifyJwtShape);
  if (isRefusal(wish)) return wish;
  const judged = await pki.jwts.verify(wish.token, wish.audience);
  const isValid = typeof judged !== 'string';
  const event = { action: 'jwt.verify', target: isValid ? judged.sub : 'jwt', tenant: null } as const;
  await pki.keeper.report(call, { ...event, outcome: isValid ? 'ok' : 'failed', data: isValid ? {} : { why: judged } });
  return reply(200, isValid ? { valid: true, claims: judged } : { valid: false, reason: judged }, NO_STORE);
}

export async function showKeySet(pki: PkiRoom): Promise<Outcome<CertificateRoutes['jwks']>> {
  return reply(200, await pki.jwts.keySet(), { 'Cache-Control': 'public, max-age=300' });
}
