/** docs/contract/identity.md §2.6, row by row. */
import { expect } from 'vitest';
import type { Proofs } from './rows.ts';
import { codeOf, field, HERE, keyHeader, PASSWORD, type Contract, type Place } from './world.ts';

/** Two logins of one user where one session is allowed. */
async function loginTwice(place: Place) {
  const { tokens, headers } = await place.user(['tenant_user']);
  const body = { login: `tenant_user.acme.shop.dev.main@example.org`, password: PASSWORD };
  return { first: tokens, headers, second: await place.post('/auth/login', place.at(), body) };
}

export function states(contract: Contract): Proofs<'States'> {
  return {
    'none → valid: POST /auth/apikey': async () => {
      const place = await contract.plain();
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)));
      expect((await place.issue(place.at(keyHeader(field(issued, 'key'))))).status).toBe(201);
    },
    'valid → valid: presented before its expiry': async () => {
      const place = await contract.plain();
      const key = await place.key();
      for (let time = 0; time < 3; time++) expect((await place.issue(place.at(keyHeader(key)))).status).toBe(201);
    },
    'valid → expired: expiresat missing, null, no timestamp or past; 401 invalid_api_key': {
      file: 'test/actors/identity/present-key.test.ts',
      title: 'expiresat %j reads as expired',
    },
    'valid or expired → revoked: DELETE, the next presentation is 401': async () => {
      const place = await contract.plain();
      const key = await place.key();
      expect((await place.revoke(place.at(keyHeader(key)), key.split('.')[0]!)).status).toBe(200);
      expect(codeOf(await place.issue(place.at(keyHeader(key))))).toEqual([401, 'invalid_api_key']);
    },
    'valid → valid: POST /auth/token mints a service token': async () => {
      const place = await contract.plain();
      const key = place.at(keyHeader(await place.key({ scope: [HERE] })));
      const answers = [await place.exchange(key), await place.exchange(key)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    },
    'the service token has no states: revoking its key stops later exchanges only': async () => {
      const place = await contract.plain();
      const text = await place.key({ scope: [HERE] });
      const token = field(await place.exchange(place.at(keyHeader(text))), 'token');
      await place.revoke(place.at(keyHeader(place.it.apiKey)), text.split('.')[0]!);
      expect(codeOf(await place.exchange(place.at(keyHeader(text))))).toEqual([401, 'invalid_api_key']);
      const bearer = place.at({ Authorization: `Bearer ${token}` });
      expect((await place.it.call('GET', '/data/rest/item', bearer)).status).toBe(200);
    },
    'sessions: on_limit reject is a 409': async () => {
      const place = await contract.managed('reject');
      const { second, headers } = await loginTwice(place);
      expect(codeOf(second)).toEqual([409, 'session_limit']);
      expect((await place.post('/internal/session/list', headers)).status).toBe(200);
    },
    'sessions: on_limit evict_oldest revokes the oldest with reason concurrent_evict': async () => {
      const place = await contract.managed('evict_oldest');
      const { first, headers, second } = await loginTwice(place);
      expect(second.status).toBe(200);
      expect(codeOf(await place.post('/internal/session/list', headers))).toEqual([401, 'invalid_token']);
      const now = place.at({ Authorization: `Bearer ${field(second, 'access_token')}` });
      const { sessions } = (await place.post('/internal/session/list', now)).json as { sessions: object[] };
      const evicted = { id: field(first, 'session_id'), reason: 'concurrent_evict', revoked_at: expect.any(String) };
      expect(sessions).toContainEqual(expect.objectContaining(evicted));
    },
    'sessions: POST /internal/session/revoke revokes': async () => {
      const place = await contract.managed('evict_oldest');
      const { headers, tokens } = await place.user(['editor']);
      const id = field(tokens, 'session_id');
      expect((await place.post('/internal/session/revoke', headers, { id })).json).toEqual({ ok: true });
      expect((await place.post('/internal/session/list', headers)).status).toBe(401);
    },
  };
}
