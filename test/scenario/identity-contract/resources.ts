/** docs/contract/identity.md §2, §3, row by row. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import { writeManagedProduct } from '#test/kit/managed-product.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import type { Proofs } from './rows.ts';
import { claimsOf, codeOf, field, HERE, keyHeader, ULID, type Contract } from './world.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Every file under a directory. */
function filesUnder(dir: string): string[] {
  const paths = readdirSync(dir, { recursive: true }).map((name) => join(dir, name as string));
  return paths.filter((path) => statSync(path).isFile());
}

export function resources(contract: Contract): Proofs<'Resources'> {
  /** What `key show` tells of a key that was issued with this body. */
  const shown = async (body: object): Promise<Record<string, unknown>> => {
    const place = await contract.plain();
    const admin = keyHeader(await place.key({ is_superadmin: true, roles: ['platform_admin'] }));
    const issued = await place.issue(place.at(admin), body);
    expect(issued.status).toBe(201);
    return (await place.ask(TENANT, 'key.show', { id: field(issued, 'id') })) as Record<string, unknown>;
  };
  const lifetimeDays = async (expires_in_days: unknown): Promise<number> => {
    const { expires_at } = await shown({ expires_in_days });
    return Math.round((Date.parse(expires_at as string) - Date.now()) / DAY_MS);
  };
  const exchanged = async (query = ''): Promise<Record<string, unknown>> => {
    const place = await contract.plain();
    const answer = await place.exchange(place.at(keyHeader(place.it.serviceKey)), query);
    return claimsOf(field(answer, 'token'));
  };
  return {
    'issue request: service is free-form, platform-v2 when absent': async () => {
      expect(await shown({ service: 'café 1' })).toMatchObject({ service: 'café 1' });
      expect(await shown({})).toMatchObject({ service: 'platform-v2' });
    },
    'issue request: capabilities, empty when absent': async () => {
      expect(await shown({})).toMatchObject({ roles: [], scope: [], is_superadmin: false });
    },
    'issue request: expires_in_days; absent, 0 or negative is 365; no upper bound': async () => {
      for (const days of [undefined, 0, -1]) expect(await lifetimeDays(days)).toBe(365);
      expect(await lifetimeDays(40_000)).toBe(40_000);
      expect(await shown({ expires_in_days: 1e9 })).toMatchObject({ expires_at: '9999-12-31T23:59:59Z' });
    },
    'capabilities: roles are projected into the principal': async () => {
      const place = await contract.plain();
      const editor = place.at(keyHeader(await place.key({ roles: ['editor'] })));
      expect((await place.issue(editor, { capabilities: { roles: ['editor'] } })).status).toBe(201);
      expect(codeOf(await place.issue(editor, { capabilities: { roles: ['author'] } }))).toEqual([
        403,
        'scope_exceeds_authority',
      ]);
    },
    'capabilities: scope makes the key a service key, * is a wildcard at any segment': async () => {
      const place = await contract.plain();
      for (const grant of [HERE, '*:dev:shop:main', 'acme:*:shop:main', 'acme:dev:*:main', 'acme:dev:shop:*']) {
        const exchangedKey = await place.exchange(place.at(keyHeader(await place.key({ scope: [grant] }))));
        const bearer = { Authorization: `Bearer ${field(exchangedKey, 'token')}` };
        expect((await place.it.call('GET', '/data/rest/item', place.at(bearer))).status, grant).toBe(200);
      }
    },
    'capabilities: is_superadmin marks the principal': async () => {
      const place = await contract.plain();
      const body = { capabilities: { roles: ['any role'] } };
      for (const [is_superadmin, status] of [
        [true, 201],
        [false, 403],
      ] as const)
        expect((await place.issue(place.at(keyHeader(await place.key({ is_superadmin }))), body)).status).toBe(status);
    },
    'issue response: id is a ULID and the key id': async () => {
      const place = await contract.plain();
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)));
      expect(field(issued, 'id')).toMatch(ULID);
      expect(field(issued, 'key').split('.')[0]).toBe(field(issued, 'id'));
    },
    'issue response: key is <key-id>.<secret>, the only time the plaintext exists': async () => {
      const place = await contract.plain();
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)));
      expect(Object.keys(issued.json)).toEqual(['id', 'key', 'expires_at', 'capabilities']);
      const secret = field(issued, 'key').split('.')[1]!;
      expect((await place.issue(place.at(keyHeader(field(issued, 'key'))))).text).not.toContain(secret);
      expect(JSON.stringify(await place.ask(TENANT, 'key.show', { id: field(issued, 'id') }))).not.toContain(secret);
    },
    'issue response: expires_at is UTC in ISO 8601': async () => {
      const place = await contract.plain();
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)));
      expect(field(issued, 'expires_at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    },
    'issue response: capabilities as stored': async () => {
      const place = await contract.plain();
      const capabilities = { roles: ['tenant_user'] };
      const body = { capabilities: { ...capabilities, colour: 'blue' } };
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)), body);
      expect(field<object>(issued, 'capabilities')).toEqual(capabilities);
    },
    'secret: 32 bytes, base64url without padding; only its SHA-256 is stored': async () => {
      const place = await contract.plain();
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)));
      const secret = field(issued, 'key').split('.')[1]!;
      expect(Buffer.from(secret, 'base64url').toString('base64url')).toBe(secret);
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
      const written = filesUnder(join(place.it.dir, 'data')).map((path) => readFileSync(path));
      const id = field(issued, 'id');
      expect(written.some((bytes) => bytes.includes(id))).toBe(true);
      for (const form of [secret, Buffer.from(secret, 'base64url')])
        expect(written.some((bytes) => bytes.includes(form))).toBe(false);
    },
    'secret: a wrong secret and an unknown key are one answer': async () => {
      const place = await contract.plain();
      const [id, secret] = (await place.key()).split('.') as [string, string];
      const shapes = [`${id}.${secret.slice(1)}A`, `01ARZ3NDEKTSV4RRFFQ69G5FAV.${secret}`, 'malformed', `${id}.`];
      const answers = await Promise.all(shapes.map((key) => place.issue(place.at(keyHeader(key)))));
      const told = (answer: (typeof answers)[number]): string => {
        const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(answer.headers);
        return JSON.stringify([answer.status, answer.text, headers]);
      };
      expect(new Set(answers.map(told)).size).toBe(1);
      expect(codeOf(answers[0]!)).toEqual([401, 'invalid_api_key']);
    },
    'record: the entity api_key is out of reach of the generic entity surface': async () => {
      const place = await contract.plain();
      const headers = await place.it.service();
      const id = place.it.apiKey.split('.')[0]!;
      for (const path of ['/data/rest/api_key', `/data/rest/api_key/id/${id}`, '/data/rest/user', '/data/rest/keyring'])
        expect((await place.it.call('GET', path, headers)).status, path).toBe(404);
      const invented = await place.it.call('POST', '/data/rest/api_key', headers, { id, expiresat: '2999-01-01' });
      expect(invented.status).toBe(404);
      const body = { expiresat: '2999-01-01' };
      expect((await place.it.call('PATCH', `/data/rest/api_key/id/${id}`, headers, body)).status).toBe(404);
      expect((await place.it.call('DELETE', `/data/rest/api_key/id/${id}`, headers)).status).toBe(404);
      expect((await place.it.call('POST', '/data/bulk?entity=api_key&format=json', headers, [{ id }])).status).toBe(
        404,
      );
      expect((await place.it.call('PATCH', '/data/bulk?entity=api_key&format=json', headers)).status).toBe(404);
      expect((await place.it.call('GET', '/data/schema/entities/api_key', headers)).status).toBe(404);
      expect((await place.it.call('POST', '/data/rest/api_key/search', headers, { filter: {} })).status).toBe(404);
      const operation = { entity: 'api_key', action: 'delete', data: { id } };
      expect((await place.it.call('POST', '/data/rest', headers, { operations: [operation] })).status).toBe(422);
      const graphql = await place.it.call('POST', '/data/graphql', headers, {
        query: '{ __schema { types { name } } }',
      });
      expect([graphql.status, /api_?key/i.test(graphql.text)]).toEqual([200, false]);
      expect((await place.issue(place.at(keyHeader(place.it.apiKey)))).status).toBe(201);
    },
    'principal: subject is the key id, tenant the position, roles the key’s, no actor': async () => {
      const claims = await exchanged();
      const place = await contract.plain();
      expect(claims).toMatchObject({ sub: `apikey:${place.it.serviceKey.split('.')[0]!}`, tenant: TENANT });
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)));
      const view = await place.ask(TENANT, 'key.show', { id: field(issued, 'id') });
      expect(view).toMatchObject({ created_by: place.it.apiKey.split('.')[0] });
      expect((await place.issue({ ...place.at({}, OTHER_TENANT), ...keyHeader(place.it.apiKey) })).status).toBe(401);
    },
    'exchange response: token, token_type Bearer, expires_in 900': async () => {
      const place = await contract.plain();
      const answer = await place.exchange(place.at(keyHeader(place.it.serviceKey)));
      expect([answer.status, answer.json]).toEqual([
        200,
        { token: expect.stringMatching(/^v4\.public\./), token_type: 'Bearer', expires_in: 900 },
      ]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
    'claims: iss iam, sub apikey:<key-id>, type service, tenant, scope, iat, nbf, exp': async () => {
      const place = await contract.plain();
      const { iat, nbf, exp, ...claims } = await exchanged();
      const sub = `apikey:${place.it.serviceKey.split('.')[0]!}`;
      expect(claims).toEqual({ iss: 'iam', sub, type: 'service', tenant: TENANT, scope: [HERE] });
      expect(iat).toBe(nbf);
      expect(Date.parse(exp as string) - Date.parse(iat as string)).toBe(900_000);
    },
    'claims: aud only when audience was supplied': async () => {
      expect(await exchanged('?audience=data')).toMatchObject({ aud: 'data' });
      expect(await exchanged('?audience=')).not.toHaveProperty('aud');
      expect(await exchanged()).not.toHaveProperty('aud');
    },
    'claims: no realm, roles or act': async () => {
      const place = await contract.plain();
      const key = await place.key({ scope: [HERE], roles: ['tenant_admin'], is_superadmin: true });
      const claims = claimsOf(field(await place.exchange(place.at(keyHeader(key))), 'token'));
      for (const name of ['realm', 'roles', 'act', 'is_superadmin', 'sid']) expect(claims).not.toHaveProperty(name);
    },
    'claims: scope counts only where type is service; token.claims cannot set it': async () => {
      const settings = 'token: { claims: { scope: ["*:*:*:*"] } }';
      const loaded = loadProduct(writeManagedProduct(contract.directory(), settings));
      expect(JSON.stringify('problems' in loaded ? loaded.problems : [])).toContain('the platform sets this claim');
      const place = await contract.plain();
      const { headers } = await place.user(['tenant_admin']);
      expect(codeOf(await place.exchange(headers))).toEqual([401, 'apikey_required']);
      const elsewhere = { ...headers, ...place.at({}, OTHER_TENANT), Authorization: headers['Authorization']! };
      expect(codeOf(await place.issue(elsewhere))).toEqual([401, 'invalid_token']);
    },
    'rate-limit rejection: body and headers': async () => {
      const place = await contract.limited();
      const asked = () => place.issue({ ...place.at({}, OTHER_TENANT), ...keyHeader('x') }, '{');
      let answer = await asked();
      for (let i = 0; i < 20 && answer.status !== 429; i++) answer = await asked();
      expect(answer.status).toBe(429);
      const retry = Number(answer.headers.get('retry-after'));
      expect(answer.json).toEqual({ error: 'rate_limited', profile: 'auth_apikey', retry_after_seconds: retry });
      expect(answer.headers.get('x-ratelimit-limit')).toBe('15');
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
      expect(retry).toBeGreaterThanOrEqual(1);
    },
    'sessions: tenants are managed or stateless': async () => {
      const [stateless, managed] = [await contract.plain(), await contract.managed('evict_oldest')];
      expect((await stateless.user(['tenant_user'])).tokens.json).not.toHaveProperty('session_id');
      expect((await managed.user(['tenant_user'])).tokens.json).toHaveProperty('session_id');
    },
  };
}
