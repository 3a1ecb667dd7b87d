/** docs/contract/identity.md §4.4, row by row. */
import { expect } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import type { Headers } from '#test/kit/test-node.ts';
import type { Proofs } from './rows.ts';
import { codeOf, field, HERE, keyHeader, type Contract } from './world.ts';

const EXCEEDED = [403, 'scope_exceeds_authority'];

export function authentication(contract: Contract): Proofs<'Authentication'> {
  /** Statuses of issuing each grant as a user with these roles. */
  const granted = async (roles: readonly string[], grants: readonly string[]): Promise<number[]> => {
    const place = await contract.plain();
    const { headers } = await place.user(roles);
    const answers = grants.map((grant) => place.issue(headers, { capabilities: { scope: [grant] } }));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  const impersonate = async (headers: Headers): Promise<[number, string]> => {
    const place = await contract.plain();
    const body = { tenant: TENANT, user: 'absent', reason: 'r', mode: 'full' };
    return codeOf(await place.post('/superadmin/impersonate', headers, body));
  };
  return {
    'two schemes: Bearer, ApiKey; none at all is 401 auth_required': async () => {
      const place = await contract.plain();
      const { headers } = await place.user(['tenant_user']);
      const token = headers['Authorization']!.slice('Bearer '.length);
      for (const scheme of ['Bearer', 'bearer', 'BEARER'])
        expect((await place.issue(place.at({ Authorization: `${scheme} ${token}` }))).status).toBe(201);
      for (const scheme of ['ApiKey', 'apikey', 'APIKEY'])
        expect((await place.issue(place.at({ Authorization: `${scheme} ${place.it.apiKey}` }))).status).toBe(201);
      for (const text of [undefined, '', 'Basic YTpi', token, place.it.apiKey])
        expect(codeOf(await place.issue(place.at(text === undefined ? {} : { Authorization: text })))).toEqual([
          401,
          'auth_required',
        ]);
    },
    'a key stands in for a bearer on its six routes, and on no others': async () => {
      const place = await contract.plain();
      const key = place.at(keyHeader(await place.key({ roles: ['superadmin', 'tenant_admin'], is_superadmin: true })));
      for (const path of ['/auth/apikey', '/auth/mfa/totp/setup', '/auth/mfa/totp/enable', '/auth/mfa/totp/disable'])
        expect((await place.post(path, key, { code: 'x' })).status, path).not.toBe(401);
      expect((await place.revoke(key, 'x')).status).toBe(200);
      expect(await impersonate(key)).toEqual([403, 'impersonation_denied']);
      for (const [path, body] of [
        ['/superadmin/registry/tenants', {}],
        [`/superadmin/registry/tenants/${TENANT}/provision`, {}],
        ['/internal/session/list', {}],
        ['/internal/session/revoke', { id: 'x' }],
        ['/internal/session/rotate', { id: 'x' }],
        ['/auth/logout', {}],
      ] as const)
        expect(codeOf(await place.post(path, key, body)), path).toEqual([401, 'auth_required']);
    },
    'POST /auth/token takes ApiKey only': async () => {
      const place = await contract.plain();
      const { headers } = await place.user(['tenant_user']);
      for (const who of [headers, place.at(), place.at({ Authorization: 'Bearer x' }), {}])
        expect(codeOf(await place.exchange(who))).toEqual([401, 'apikey_required']);
    },
    'impersonate: tenant equal to the plane, and the exact role': {
      file: 'test/scenario/identity-operator.test.ts',
      title: 'impersonate > 403 with %s',
    },
    'an API key is a plain 401 on the entity surfaces': async () => {
      const place = await contract.plain();
      for (const key of [place.it.apiKey, place.it.serviceKey]) {
        const answer = await place.it.call('GET', '/data/rest/item', place.at(keyHeader(key)));
        expect([answer.status, answer.text]).toEqual([401, 'Unauthorized']);
        expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
      }
    },
    'the static key X-Api-Key is not an issued key': async () => {
      const place = await contract.plain();
      const read = async (key: string): Promise<number> =>
        (await place.it.call('GET', '/data/rest/item', place.at({ 'X-Api-Key': key }))).status;
      expect([await read('shop-static-secret'), await read(place.it.apiKey), await read('')]).toEqual([200, 401, 401]);
    },
    'receivers need jwks.issuers.iam': {
      file: 'test/scenario/identity-trust.test.ts',
      title: 'without an entry data answers 401, and identity takes its own',
    },
    'authority: roles, the issuer must hold each; a superadmin may confer any': async () => {
      const place = await contract.plain();
      const wish = { capabilities: { roles: ['tenant_user', 'editor'] } };
      const { headers } = await place.user(['tenant_user']);
      expect(codeOf(await place.issue(headers, wish))).toEqual(EXCEEDED);
      expect(field(await place.issue(headers, wish), 'error')).toMatch(/^roles: /);
      for (const roles of [['superadmin'], ['editor', 'tenant_user']])
        expect((await place.issue((await place.user(roles)).headers, wish)).status).toBe(201);
      const key = place.at(keyHeader(await place.key({ is_superadmin: true })));
      expect((await place.issue(key, wish)).status).toBe(201);
    },
    'authority: scope, each grant covered; a wildcard is covered by a wildcard only': async () => {
      const place = await contract.plain();
      const { headers } = await place.user(['tenant_admin']);
      expect((await place.issue(headers, { capabilities: { scope: [HERE] } })).status).toBe(201);
      for (const grant of [
        '*:dev:shop:main',
        'acme:*:shop:main',
        'acme:dev:*:main',
        'acme:dev:shop:*',
        'acme:shop:dev:main',
      ]) {
        const answer = await place.issue(headers, { capabilities: { scope: [HERE, grant] } });
        expect(codeOf(answer), grant).toEqual(EXCEEDED);
        expect(field(answer, 'error')).toMatch(/^scope: /);
      }
    },
    'authority: is_superadmin by a superadmin key; a bearer always fails': async () => {
      const place = await contract.plain();
      const wish = { capabilities: { is_superadmin: true } };
      const { headers } = await place.user(['superadmin', 'platform_admin']);
      for (const who of [headers, place.at(keyHeader(await place.key({ roles: ['superadmin'] })))]) {
        const answer = await place.issue(who, wish);
        expect(codeOf(answer)).toEqual(EXCEEDED);
        expect(field(answer, 'error')).toMatch(/^is_superadmin: /);
      }
      expect((await place.issue(place.at(keyHeader(await place.key({ is_superadmin: true }))), wish)).status).toBe(201);
    },
    'ladder: platform_admin *:*:*:*': async () =>
      expect(await granted(['platform_admin'], ['*:*:*:*', 'x:y:z:w'])).toEqual([201, 201]),
    'ladder: customer_admin <customer>:*:*:*': async () =>
      expect(await granted(['customer_admin'], ['acme:*:*:*', 'acme:y:z:w', 'x:*:*:*', '*:*:*:*'])).toEqual([
        201, 201, 403, 403,
      ]),
    'ladder: product_admin <customer>:<product>:*:*': async () =>
      expect(
        await granted(['product_admin'], ['acme:*:shop:*', 'acme:prod:shop:x', 'acme:*:other:*', 'acme:dev:*:*']),
      ).toEqual([201, 201, 403, 403]),
    'ladder: env_admin <customer>:<product>:<env>:*': async () =>
      expect(await granted(['env_admin'], ['acme:dev:shop:*', 'acme:dev:shop:x', 'acme:*:shop:x'])).toEqual([
        201, 201, 403,
      ]),
    'ladder: tenant_admin, tenant_user, tenant_viewer the own position': async () => {
      for (const role of ['tenant_admin', 'tenant_user', 'tenant_viewer'])
        expect(await granted([role], [HERE, 'acme:dev:shop:other', 'acme:dev:shop:*'])).toEqual([201, 403, 403]);
    },
    'ladder: any other role grants nothing': async () =>
      expect(await granted(['superadmin', 'editor'], [HERE, '*:*:*:*'])).toEqual([403, 403]),
    'asking for none of the three channels passes': async () => {
      const place = await contract.plain();
      const { headers } = await place.user(['powerless']);
      for (const who of [headers, await place.it.service()])
        for (const capabilities of [undefined, {}, { roles: [], scope: [], is_superadmin: false }])
          expect((await place.issue(who, { capabilities })).status).toBe(201);
    },
    'constant-cost hashing when the user is unknown': {
      file: 'test/actors/identity/user/login.test.ts',
      title: 'an unknown login waits for its hash in the same queue',
    },
    'PKCE with a ten-minute state': {
      file: 'test/actors/identity/oauth/refused.test.ts',
      title: 'lives ten minutes: after %i ms',
    },
    'TOTP codes count once': {
      file: 'test/actors/identity/mfa/second-factor.test.ts',
      title: 'a code counts once, also for two logins at once',
    },
    'refresh-token reuse is detected': async () => {
      const place = await contract.plain();
      const refresh = (refresh_token: string) => place.post('/auth/refresh', place.at(), { refresh_token });
      const first = field((await place.user(['tenant_user'])).tokens, 'refresh_token');
      const second = field(await refresh(first), 'refresh_token');
      const third = field(await refresh(second), 'refresh_token');
      expect(codeOf(await refresh(first))).toEqual([401, 'refresh_reused']);
      expect(codeOf(await refresh(third))).toEqual([401, 'invalid_refresh_token']);
      expect(codeOf(await place.post('/auth/refresh', place.at({}, OTHER_TENANT), { refresh_token: third }))).toEqual([
        401,
        'invalid_refresh_token',
      ]);
    },
  };
}
