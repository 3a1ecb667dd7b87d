/** docs/contract/identity.md §6, §8, row by row. What only a fault inside can cause is driven in the host, over the same handlers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import { openArchive } from '#storage/archive.ts';
import { deleteSigningKey, readSigningKeys } from '#actors/identity/store.ts';
import { expect } from 'vitest';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { writeManagedProduct } from '#test/kit/managed-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, type Headers } from '#test/kit/test-node.ts';
import type { Proofs } from './rows.ts';
import { callNode, codeOf, field, keyHeader, PASSWORD, SLEEPING, type Contract } from './world.ts';

const IN_HOST = 'test/actors/identity/errors.test.ts';
const EVENTS = 'test/actors/identity/events.test.ts';
const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const SLEEPER: Headers = { ...positionHeaders(SLEEPING), ...keyHeader('x') };

/** Takes the signing keys out of a stopped node's stores. */
async function emptyRing(dataDir: string, shards: number): Promise<void> {
  const archive = await openArchive({
    dataDir,
    shards: Array.from({ length: shards }, (_, shard) => shard),
    replay: findJournals(dataDir),
    epoch: nextEpoch(dataDir),
    name: 'test',
    onFatal: (error) => {
      throw error;
    },
    limits: { segmentBytes: 1024 * 1024, freeBytesMin: 1 },
  });
  const turn = archive.store(CONTROL_ENTRY.shard, CONTROL_ENTRY.no).begin();
  for (const { kid } of readSigningKeys(turn)) deleteSigningKey(turn, kid);
  turn.commit();
  await archive.close();
}

export function errors(contract: Contract): Proofs<'Errors'> {
  /** Answers of a node whose disk is too full for a row. */
  const onFullDisk = async () => {
    const place = await contract.own();
    await place.ask(TENANT, 'person.ensure', { email: 'ann@example.org', password: PASSWORD, roles: [] });
    const node = await contract.restart(place.it, (platform) => ({
      ...platform,
      storage: { ...platform.storage, free_bytes_min: Number.MAX_SAFE_INTEGER },
    }));
    const login = { login: 'ann@example.org', password: PASSWORD };
    return {
      issued: await callNode(node, 'POST', '/auth/apikey', place.at(keyHeader(place.it.apiKey)), {}),
      login: await callNode(node, 'POST', '/auth/login', place.at(), login),
    };
  };
  let full: ReturnType<typeof onFullDisk> | undefined;
  const fullDisk = () => (full ??= onFullDisk());
  const userHere = async () => (await (await contract.plain()).user(['tenant_user'])).headers;
  const userNowhere = async (): Promise<Headers> => ({ Authorization: (await userHere())['Authorization']! });

  return {
    'issue 401 auth_required': async () => {
      const place = await contract.plain();
      expect(codeOf(await place.issue(place.at(), '{'))).toEqual([401, 'auth_required']);
    },
    'issue 400 bad_request': async () => {
      const place = await contract.plain();
      for (const body of [
        '{',
        '[]',
        '{"a":1,"a":1}',
        '{"expires_in_days":"1"}',
        '{"capabilities":{"scope":["a:b:c"]}}',
      ])
        expect(codeOf(await place.issue(await userHere(), body)), body).toEqual([400, 'bad_request']);
    },
    'issue 400 no_tenant': async () => {
      const place = await contract.plain();
      expect(codeOf(await place.issue(await userNowhere()))).toEqual([400, 'no_tenant']);
    },
    'issue 403 scope_exceeds_authority': async () => {
      const place = await contract.plain();
      const answer = await place.issue(await userHere(), { capabilities: { scope: ['*:*:*:*'] } });
      expect(codeOf(answer)).toEqual([403, 'scope_exceeds_authority']);
    },
    'issue 403 hook_denied': { file: IN_HOST, title: 'before_apikey_issue aborted' },
    'issue 500 engine_unavailable': async () => {
      expect(codeOf(await (await contract.plain()).issue(SLEEPER))).toEqual([500, 'engine_unavailable']);
    },
    'issue 500 generate_failed': { file: IN_HOST, title: 'key generation failed' },
    'issue 500 persist_failed': async () => {
      expect(codeOf((await fullDisk()).issued)).toEqual([500, 'persist_failed']);
    },
    'revoke 401 auth_required': async () => {
      const place = await contract.plain();
      expect(codeOf(await place.revoke(place.at(), UNKNOWN))).toEqual([401, 'auth_required']);
    },
    'revoke 400 missing_id': async () => {
      const place = await contract.plain();
      for (const path of ['/auth/apikey', '/auth/apikey/'])
        expect(codeOf(await place.it.call('DELETE', path, await userHere())), path).toEqual([400, 'missing_id']);
    },
    'revoke 400 no_tenant': async () => {
      const place = await contract.plain();
      expect(codeOf(await place.revoke(await userNowhere(), UNKNOWN))).toEqual([400, 'no_tenant']);
    },
    'revoke 403 hook_denied': { file: IN_HOST, title: 'before_apikey_revoke aborted' },
    'revoke 500 engine_unavailable': async () => {
      expect(codeOf(await (await contract.plain()).revoke(SLEEPER, UNKNOWN))).toEqual([500, 'engine_unavailable']);
    },
    'present 401 invalid_api_key': async () => {
      const place = await contract.plain();
      for (const key of ['', '.', 'x', `${UNKNOWN}.${'A'.repeat(43)}`, `${place.it.apiKey}=`])
        expect(codeOf(await place.revoke(place.at(keyHeader(key)), UNKNOWN)), key).toEqual([401, 'invalid_api_key']);
    },
    'present 401 no_tenant': async () => {
      const place = await contract.plain();
      for (const key of [place.it.apiKey, 'x'])
        expect(codeOf(await place.issue(keyHeader(key)))).toEqual([401, 'no_tenant']);
    },
    'present 500 engine_unavailable': async () => {
      expect(codeOf(await (await contract.plain()).exchange(SLEEPER))).toEqual([500, 'engine_unavailable']);
    },
    'exchange 401 apikey_required': async () => {
      const place = await contract.plain();
      for (const who of [place.at(), await userHere(), {}])
        expect(codeOf(await place.exchange(who))).toEqual([401, 'apikey_required']);
    },
    'exchange 400 no_tenant': {
      unreachable: 'a key without a position is 401 no_tenant before, anything else 401 apikey_required',
    },
    'exchange 403 not_a_service_key': async () => {
      const place = await contract.plain();
      for (const capabilities of [{}, { scope: [] }, { roles: ['tenant_admin'], is_superadmin: true }])
        expect(codeOf(await place.exchange(place.at(keyHeader(await place.key(capabilities)))))).toEqual([
          403,
          'not_a_service_key',
        ]);
    },
    'exchange 500 engine_unavailable': async () => {
      expect(codeOf(await (await contract.plain()).exchange(SLEEPER))).toEqual([500, 'engine_unavailable']);
    },
    'exchange 500 mint_failed': async () => {
      const place = await contract.own();
      const { dir } = place.it.platform.storage;
      await place.it.node.stop();
      await emptyRing(dir, 4);
      // A start makes a key where there is none; here the disk has no room for one.
      const node = await contract.restart(
        { ...place.it, node: { ...place.it.node, stop: async () => undefined } },
        (platform) => ({ ...platform, storage: { ...platform.storage, free_bytes_min: Number.MAX_SAFE_INTEGER } }),
      );
      const answer = await callNode(node, 'POST', '/auth/token', place.at(keyHeader(place.it.serviceKey)));
      expect(codeOf(answer)).toEqual([500, 'mint_failed']);
      expect((await callNode(node, 'GET', '/.well-known/jwks.json', {})).json).toEqual({ keys: [] });
    },
    'exchange 401 apikey_invalid': {
      unreachable: 'pre-empted by 401 invalid_api_key, which the contract calls equivalent',
    },
    'operational 500 issue_failed': async () => {
      expect(codeOf((await fullDisk()).login)).toEqual([500, 'issue_failed']);
    },
    'operational 400 invalid tenant': async () => {
      const place = await contract.plain();
      for (const tenant of ['absent', 'ABSENT', 'a'.repeat(64), '*']) {
        const answer = await place.issue({ ...(await userHere()), 'X-Tenant': tenant });
        expect([answer.status, field(answer, 'error')], tenant).toEqual([400, 'invalid tenant']);
      }
    },
    'operational 500 engine_unavailable: no resolvable tenant, or its store is down': async () => {
      const place = await contract.plain();
      for (const answer of [
        await place.issue(SLEEPER),
        await place.revoke(SLEEPER, UNKNOWN),
        await place.exchange(SLEEPER),
      ])
        expect(codeOf(answer)).toEqual([500, 'engine_unavailable']);
    },
    'operational 403 v2.requires_superadmin on plan apply': async () => {
      const place = await contract.plain();
      const { headers } = await place.user(['tenant_admin']);
      const path = `/data/admin/data/plans/${UNKNOWN}/apply`;
      const answer = await place.it.call('POST', path, headers, { confirm_risk: 'low' });
      expect(codeOf(answer)).toEqual([403, 'v2.requires_superadmin']);
    },
    'coded envelope: error and code; rate limits have their own body': async () => {
      const place = await contract.plain();
      const answers = [await place.issue(place.at()), await place.issue(SLEEPER), await place.exchange({})];
      for (const { json, headers } of answers) {
        expect(json).toEqual({ error: expect.any(String), code: expect.any(String) });
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      }
    },
  };
}

export function events(contract: Contract): Proofs<'Events'> {
  return {
    'every exchange: key id, audience, exact scope; a failed one is recorded, the caller sees an opaque answer': {
      file: EVENTS,
      title: 'an exchange tells key id, audience and the exact scope',
    },
    'every auth flow: before and after; the default logger is a no-op': {
      file: EVENTS,
      title: 'every flow tells before and after, with the code of its answer',
    },
    'before_apikey_issue and before_apikey_revoke abort with 403 hook_denied; only embedded hooks': async () => {
      // That embedded hooks abort is shown in the host, with hooks given to it; a product's are not even read.
      const checkout = writeManagedProduct(contract.directory(), '');
      mkdirSync(join(checkout, 'hooks'));
      for (const name of ['before_apikey_issue', 'before_apikey_revoke'])
        writeFileSync(join(checkout, 'hooks', `${name}.js`), 'throw new Error("denied")');
      writeFileSync(join(checkout, 'pointcuts.yaml'), 'before_apikey_issue: hooks/before_apikey_issue.js');
      const place = await contract.own({ localdir: checkout });
      const issued = await place.issue(place.at(keyHeader(place.it.apiKey)));
      expect(issued.status).toBe(201);
      expect((await place.revoke(place.at(keyHeader(place.it.apiKey)), field(issued, 'id'))).status).toBe(200);
      await place.it.stop();
    },
  };
}
