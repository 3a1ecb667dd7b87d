/** docs/contract/identity.md §5, row by row; the command line's rows are proven by processes of their own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startNode } from '#runtime/node.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { positionHeaders, type Headers } from '#test/kit/test-node.ts';
import type { Proofs } from './rows.ts';
import { codeOf, field, keyHeader, PASSWORD, SLEEPING, type Contract } from './world.ts';

const CLI = 'test/scenario/cli-operator.test.ts';
const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** Routes that take a position and a credential, as they are asked. */
const PLACED = [
  ['POST', '/auth/apikey'],
  ['DELETE', `/auth/apikey/${UNKNOWN}`],
  ['POST', '/auth/mfa/totp/setup'],
  ['POST', '/auth/mfa/totp/enable'],
  ['POST', '/auth/mfa/totp/disable'],
  ['POST', '/superadmin/impersonate'],
] as const;

export function endpoints(contract: Contract): Proofs<'Endpoints'> {
  return {
    'POST /auth/apikey: issue a key, Bearer or ApiKey': async () => {
      const place = await contract.plain();
      const { headers } = await place.user(['tenant_user']);
      for (const who of [headers, place.at(keyHeader(place.it.apiKey))])
        expect((await place.issue(who, {})).status).toBe(201);
    },
    'DELETE /auth/apikey/:id: 200 ok for any principal, an unknown id, another user’s key': async () => {
      const place = await contract.plain();
      const { headers } = await place.user(['powerless']);
      const others = (await place.key({ roles: ['tenant_admin'] })).split('.')[0]!;
      for (const id of [others, others, UNKNOWN, 'nonsense', '%00', 'x'.repeat(2500)])
        expect((await place.revoke(headers, id)).json, id).toEqual({ ok: true });
    },
    'DELETE /auth/apikey/:id: a failed delete answers ok too': {
      file: 'test/actors/identity/revoke-key.test.ts',
      title: 'a failed delete answers ok, as stated; log and event tell what happened, and the key lives',
    },
    'POST /auth/token: exchange, ApiKey only, keys with scope only': async () => {
      const place = await contract.plain();
      expect((await place.exchange(place.at(keyHeader(place.it.serviceKey)))).status).toBe(200);
      expect(codeOf(await place.exchange(await place.it.service()))).toEqual([401, 'apikey_required']);
      expect(codeOf(await place.exchange(place.at(keyHeader(place.it.apiKey))))).toEqual([403, 'not_a_service_key']);
    },
    'all routes need the four headers': async () => {
      const place = await contract.plain();
      const whole = place.at(keyHeader(place.it.apiKey));
      const { headers } = await place.user(['tenant_user']);
      for (const missing of Object.keys(place.at())) {
        for (const [method, path] of PLACED) {
          const without = (headers: Headers): Headers =>
            Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing));
          const body =
            method === 'DELETE' ? undefined : { code: '1', reason: 'r', tenant: TENANT, user: 'u', mode: 'full' };
          const byKey = await place.it.call(method, path, without(whole), body);
          expect(codeOf(byKey), path).toEqual([401, 'no_tenant']);
          const byBearer = await place.it.call(method, path, without(headers), body);
          expect(codeOf(byBearer), path).toEqual([400, 'no_tenant']);
        }
      }
    },
    'POST /auth/mfa/totp/setup, /enable, /disable: accept an ApiKey principal': async () => {
      const place = await contract.plain();
      const who = place.at(keyHeader(await place.key({ roles: ['tenant_user'] })));
      const setup = await place.post('/auth/mfa/totp/setup', who);
      expect([setup.status, Object.keys(setup.json)]).toEqual([200, ['secret', 'otpauth_uri']]);
      expect(codeOf(await place.post('/auth/mfa/totp/enable', who, { code: '000' }))).toEqual([400, 'invalid_code']);
      expect(codeOf(await place.post('/auth/mfa/totp/disable', who, { code: '000' }))).toEqual([
        409,
        'mfa_not_enabled',
      ]);
    },
    'POST /superadmin/impersonate: a mandatory reason': async () => {
      const place = await contract.plain();
      const who = place.at(keyHeader(place.it.apiKey));
      for (const reason of [undefined, '', ' ', null, 1])
        expect(codeOf(await place.post('/superadmin/impersonate', who, { reason }))).toEqual([400, 'reason_required']);
    },
    'POST /auth/webauthn/register/begin, /finish: always 503 webauthn_disabled': async () => {
      const place = await contract.plain();
      for (const step of ['begin', 'finish'])
        for (const headers of [{}, place.at(), place.at(keyHeader(place.it.apiKey))])
          expect(codeOf(await place.post(`/auth/webauthn/register/${step}`, headers, '{'))).toEqual([
            503,
            'webauthn_disabled',
          ]);
    },
    'POST /auth/bootstrap: the very first superadmin, gated, closes itself': async () => {
      const place = await contract.own({ bootstrapToken: 'let-me-in' });
      const wish = { token: 'let-me-in', email: 'first@example.org', password: PASSWORD };
      expect(codeOf(await place.post('/auth/bootstrap', {}, { ...wish, token: 'x' }))).toEqual([
        401,
        'bootstrap_denied',
      ]);
      expect((await place.post('/auth/bootstrap', {}, wish)).status).toBe(201);
      expect(codeOf(await place.post('/auth/bootstrap', {}, wish))).toEqual([410, 'bootstrap_closed']);
      await place.it.stop();
    },
    'POST /superadmin/registry/tenants and .../provision: superadmin': async () => {
      const place = await contract.plain();
      const root = await place.superadmin();
      const wish = { customer: 'acme', product: 'shop', env: 'dev', tenant: 'contract' };
      const made = await place.post('/superadmin/registry/tenants', root, wish);
      expect([made.status, field(made, 'state')]).toEqual([201, 'registered']);
      const path = '/superadmin/registry/tenants/acme:shop:dev:contract/provision';
      for (let time = 0; time < 2; time++) expect(field(await place.post(path, root), 'state')).toBe('active');
      const { headers } = await place.user(['tenant_admin']);
      expect(codeOf(await place.post(path, headers))).toEqual([403, 'requires_superadmin']);
    },
    'POST /internal/session/revoke, /list, /rotate: managed tenants': async () => {
      const place = await contract.managed('evict_oldest');
      const { headers, tokens } = await place.user(['tenant_user']);
      const listed = await place.post('/internal/session/list', headers);
      const [session] = field<{ id: string }[]>(listed, 'sessions');
      expect(session!.id).toBe(field(tokens, 'session_id'));
      const rotated = await place.post('/internal/session/rotate', headers, { id: session!.id });
      expect(rotated.status).toBe(200);
      expect(field(rotated, 'id')).not.toBe(session!.id);
      expect((await place.post('/internal/session/list', headers)).status).toBe(401);
      const { headers: admin } = await place.user(['tenant_admin']);
      const ended = await place.post('/internal/session/revoke', admin, { id: field(rotated, 'id') });
      expect([ended.status, ended.json]).toEqual([200, { ok: true }]);
    },
    'POST /data/... plan routes: not on this service': async () => {
      const place = await contract.plain();
      const own = place.it.node.listeners['identity']!;
      for (const path of ['/data/superadmin/plan/generate', '/superadmin/plan/generate', '/data/rest/item'])
        expect((await place.it.call('POST', path, await place.it.service(), {}, own)).status).toBe(404);
    },
    'no endpoint to show, list or rotate keys; no health or readiness': async () => {
      const place = await contract.plain();
      const own = place.it.node.listeners['identity']!;
      const who = place.at(keyHeader(place.it.apiKey));
      for (const path of ['/auth/apikey', `/auth/apikey/${UNKNOWN}`])
        expect((await place.it.call('GET', path, who, undefined, own)).status).toBe(405);
      for (const path of ['/auth/apikeys', `/auth/apikey/${UNKNOWN}/rotate`, '/health', '/ready', '/livez', '/readyz'])
        for (const method of ['GET', 'POST'])
          expect((await place.it.call(method, path, who, undefined, own)).status, path).toBe(404);
    },
    'config generate bootstrap-dev: prints a starter config': {
      file: 'test/runtime/cli/program.test.ts',
      title: 'generate bootstrap-dev prints a file that loads',
    },
    'data bootstrap: missing schema, one plan, idempotent': async () => {
      const dir = mkdtempSync(join(tmpdir(), 'skep-bootstrap-'));
      const node = await startNode(platformOf(writePlatformFile(dir)));
      try {
        const wish = { tenant: TENANT, scope: null, person: null };
        const [first] = await node.bootstrap(wish);
        expect(first!.schema_steps).toBeGreaterThan(0);
        expect(await node.bootstrap(wish)).toMatchObject([{ tenant: TENANT, schema_steps: 0 }]);
      } finally {
        await node.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    },
    'data bootstrap --tenant superadmin: control plane, first people': {
      file: CLI,
      title: 'data bootstrap --tenant superadmin seeds the superadmin and tenant administrators',
    },
    'data bootstrap --tenant <c>:<p>:<e>:superadmin, --scope shared': {
      file: CLI,
      title: 'data bootstrap: every tenant, one, its operator plane, the shared planes; as a table and as JSON',
    },
    'tenant provision: register, bootstrap, seed, activate; idempotent': {
      file: CLI,
      title: 'tenant provision generates a password and shows it once; progress goes to standard error',
    },
    'data plan, data seed, data applied': {
      file: 'test/scenario/cli-data.test.ts',
      title: 'a plan is made, applied, shown and listed',
    },
    'no subcommand: serves': {
      file: 'test/scenario/identity-alone.test.ts',
      title: 'skep identity -f serves identity on its own address, and nothing else',
    },
    'data commands take --tenant, --datastore, --output': {
      file: 'test/runtime/cli/operator-usage.test.ts',
      title: 'data bootstrap --datastore other',
    },
    'a product registers itself on its first request': async () => {
      const place = await contract.own();
      const known = () => place.it.node.tenants().find(({ position }) => position.key === SLEEPING)?.state;
      expect(known()).toBeUndefined();
      const asked = await place.issue({ ...positionHeaders(SLEEPING), ...keyHeader('x') });
      expect(codeOf(asked)).toEqual([500, 'engine_unavailable']);
      await expect.poll(known).toBe('registered');
      await place.it.stop();
    },
    'impersonation runbook: role, grant, consent, reason; managed and visible': {
      file: 'test/scenario/identity-operator.test.ts',
      title: '200 with role, grant, consent and reason; the session is shown, and its end ends the token',
    },
  };
}
