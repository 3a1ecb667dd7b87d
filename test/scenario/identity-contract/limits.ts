/** docs/contract/identity.md §9, §11, row by row. */
import { expect } from 'vitest';
import { routes } from '#actors/identity/routes.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import type { Answer } from '#test/kit/test-node.ts';
import type { Proofs } from './rows.ts';
import { callNode, claimsOf, field, HERE, keyHeader, type Contract } from './world.ts';

const DAY_MS = 24 * 60 * 60_000;
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

export function limits(contract: Contract): Proofs<'Limits'> {
  return {
    'key lifetime default 365 days, no upper bound': async () => {
      const place = await contract.plain();
      const who = place.at(keyHeader(place.it.apiKey));
      const year = Date.parse(field(await place.issue(who), 'expires_at'));
      expect(Math.round((year - Date.now()) / DAY_MS)).toBe(365);
      const long = Date.parse(field(await place.issue(who, { expires_in_days: 365_000 }), 'expires_at'));
      expect(Math.round((long - Date.now()) / DAY_MS)).toBe(365_000);
    },
    'secret size 32 bytes': async () => {
      const place = await contract.plain();
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)));
      expect(Buffer.from(field(issued, 'key').split('.')[1]!, 'base64url')).toHaveLength(32);
    },
    'service token 900 s, token.expiry does not apply': async () => {
      const place = await contract.managed('evict_oldest');
      const answer = await place.exchange(place.at(keyHeader(await place.key({ scope: [HERE] }))));
      expect(field(answer, 'expires_in')).toBe(900);
      const { iat, exp, ...claims } = claimsOf(field(answer, 'token')) as { iat: string; exp: string };
      expect(Date.parse(exp) - Date.parse(iat)).toBe(900_000);
      expect(claims).not.toHaveProperty('plan');
      expect(field((await place.user(['tenant_user'])).tokens, 'expires_in')).toBe(60);
    },
    'user access token 15 minutes, which a stateless tenant cannot revoke': async () => {
      const place = await contract.plain();
      const { headers, tokens } = await place.user(['tenant_user']);
      expect(field(tokens, 'expires_in')).toBe(900);
      expect((await place.post('/auth/logout', headers)).status).toBe(200);
      expect((await place.issue(headers)).status).toBe(201);
    },
    'auth_apikey: burst 15, one per 4 seconds': async () => {
      const place = await contract.limited();
      const who = place.at(keyHeader(place.it.apiKey));
      const answers = await Promise.all(Array.from({ length: 17 }, () => place.issue(who, '{')));
      expect(statuses(answers).filter((status) => status !== 429)).toHaveLength(15);
      const last = await place.issue(who, '{');
      expect([last.status, last.headers.get('x-ratelimit-limit')]).toEqual([429, '15']);
      const waitS = Number(last.headers.get('retry-after'));
      expect(waitS).toBeLessThanOrEqual(4);
      // When that time is over one more is let in, and no second one.
      await new Promise((resolve) => void setTimeout(resolve, waitS * 1000));
      expect((await place.issue(who, '{')).status).not.toBe(429);
      expect((await place.issue(who, '{')).status).toBe(429);
    },
    'auth_token: burst 60, one per second': async () => {
      const place = await contract.limited();
      const who = { ...place.at({}, OTHER_TENANT), ...keyHeader('x') };
      const first = await place.exchange(who);
      expect(first.headers.get('x-ratelimit-limit') ?? '60').toBe('60');
      let answer = first;
      let passed = 0;
      for (const began = performance.now(); answer.status !== 429; passed++) {
        answer = await place.exchange(who);
        // What was refilled meanwhile may pass too.
        expect(passed).toBeLessThanOrEqual(61 + (performance.now() - began) / 1000);
      }
      expect(passed).toBeGreaterThanOrEqual(60);
      expect(answer.json).toEqual({ error: 'rate_limited', profile: 'auth_token', retry_after_seconds: 1 });
    },
    'rate buckets: per tenant and caller, in memory, per instance; no tenant, no bucket': async () => {
      const place = await contract.own({ rates: '  auth_apikey: { burst: 2, per_second: 0.001 }\n' });
      const ask = (tenant: string) => place.issue({ ...place.at({}, tenant), ...keyHeader('x') }, '{');
      expect(statuses([await ask(TENANT), await ask(TENANT), await ask(TENANT)])).toEqual([401, 401, 429]);
      expect((await ask(OTHER_TENANT)).status).toBe(401);
      for (let time = 0; time < 4; time++) expect((await ask('acme:shop:dev:absent')).status).toBe(400);
      for (let time = 0; time < 4; time++) expect((await place.issue({}, '{')).status).toBe(401);
      const again = await contract.restart(place.it);
      const headers = place.at(keyHeader('x'));
      expect((await callNode(again, 'POST', '/auth/apikey', headers, '{')).status).toBe(401);
    },
    'OAuth state 10 minutes': {
      file: 'test/actors/identity/oauth/refused.test.ts',
      title: 'lives ten minutes: after %i ms',
    },
    'JWKS keys capped at 100, silently': async () => {
      const place = await contract.own();
      const kids: string[] = [];
      for (let time = 0; time < 101; time++) kids.push(((await place.it.node.rotateRing()) as { kid: string }).kid);
      const jwks = await place.it.call('GET', '/.well-known/jwks.json');
      const keys = field<{ kid: string }[]>(jwks, 'keys');
      expect([jwks.status, Object.keys(jwks.json), keys.length]).toEqual([200, ['keys'], 100]);
      expect(keys[0]!.kid).toBe(kids.at(-1));
      await place.it.stop();
    },
    'WebAuthn credentials capped at 50, silently': {
      file: 'test/actors/identity/passkey/register.test.ts',
      title: 'a 51st passkey is answered like the others, and left out',
    },
    'paths carry no version segment': () => {
      for (const { path } of Object.values<{ path: string }>(routes)) expect(path).not.toMatch(/\/v\d/);
    },
  };
}
