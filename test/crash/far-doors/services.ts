/** Every service through the door of a node that stands by: the same answers as at the node that serves. */
import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newCsr } from '#test/kit/hive-vault.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { askSite } from '#test/kit/site-call.ts';
import { answerOf, call, type Answer, type Headers } from '#test/kit/test-node.ts';
import { ADMIN, PAGE_ORIGIN, SITE, type FarWorld } from './world.ts';

const SOON = { timeout: 20_000 };
const PAPERS = 1500;
const NOTE = 'A note that makes the rows of an import some megabyte. '.repeat(10);

export function services(on: () => FarWorld): void {
  describe('every service', () => {
    vaultCases(on);
    auditCases(on);
    graphqlCases(on);
    bulkCases(on);
    keyCases(on);
    pageCases(on);
  });
}

function vaultCases(on: () => FarWorld): void {
  test('the vault knows its callers by the certificates that they show at the far door: operators, nodes, and none', async () => {
    const [near, far] = on().pair.machines;
    const at = async (machine: typeof near, ...[method, path, body, badge]: Parameters<FarWorld['vault']['call']>) => {
      const { status, json } = await on().vaultAt(machine).call(method, path, body, badge);
      return { status, json: json as Record<string, unknown> };
    };
    expect((await at(far, 'PUT', '/secret/far', { value: 'one' })).status).toBe(201);
    expect(await at(near, 'GET', '/secret/far')).toMatchObject({ status: 200, json: { value: 'one' } });
    expect((await at(near, 'PUT', '/secret/far', { value: 'two', cas: 1 })).status).toBe(200);
    expect(await at(far, 'GET', '/secret/far')).toMatchObject({ status: 200, json: { value: 'two', version: 2 } });
    expect((await at(far, 'PUT', '/secret/far', { value: 'three', cas: 1 })).status).toBe(409);
    for (const machine of [near, far])
      expect((await at(machine, 'GET', '/secret/far', undefined, null)).status).toBe(401);
    const { token } = (await at(far, 'POST', '/join-token', { scope: 'dc=dc1,cluster=main' })).json;
    const { csr, key } = newCsr();
    const order = { token, csr, name: 'node-a', datacenter: 'dc1', cluster: 'main' };
    const joined = await at(far, 'POST', '/node/join', order, null);
    expect(joined.status, JSON.stringify(joined.json)).toBe(201);
    const badge = { cert: String(joined.json['certificate']), key };
    const [here, there] = [
      await at(near, 'GET', '/workload/identities', undefined, badge),
      await at(far, 'GET', '/workload/identities', undefined, badge),
    ];
    expect([there.status, there.json]).toEqual([200, here.json]);
    // What a node may not do is refused to it there, too: the certificate counts, and not the link's.
    const [kept, refused] = [
      await at(near, 'GET', '/secret/far', undefined, badge),
      await at(far, 'GET', '/secret/far', undefined, badge),
    ];
    expect(refused).toEqual(kept);
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });
}

interface Records {
  readonly records: readonly { readonly seq: number; readonly action: string }[];
}

function auditCases(on: () => FarWorld): void {
  test('records of a log are read and proved, and a stranger reads none', async () => {
    const { far, near, headers } = on();
    const admin = await on().admin();
    const log = `/audit/logs/${encodeURIComponent('tenant/acme/shop/dev/other')}`;
    const listed = async (door: string): Promise<Records['records']> => {
      const { json, status } = await call(door, 'GET', `${log}/records?limit=100`, admin);
      return status === 200 ? (json as Records).records : [];
    };
    await expect.poll(async () => (await listed(far)).length, SOON).toBeGreaterThan(0);
    expect((await listed(near))[0]).toEqual((await listed(far))[0]);
    // The log grows meanwhile, and a proof is one of its newest checkpoint.
    const proved = (door: string): Promise<Answer> => call(door, 'GET', `${log}/proof/inclusion?index=0`, admin);
    const areEqual = async (): Promise<readonly [number, boolean]> => {
      const [here, there] = await Promise.all([proved(near), proved(far)]);
      return [there.status, here.text === there.text];
    };
    await expect.poll(areEqual, SOON).toEqual([200, true]);
    const stranger = (door: string): Promise<Answer> => call(door, 'GET', `${log}/records`, headers);
    const [here, there] = [await stranger(near), await stranger(far)];
    expect([there.status, there.json]).toEqual([here.status, here.json]);
    expect(there.status).toBeGreaterThanOrEqual(400);
  });
}

const FOLLOW = 'subscription { note_changes { op row { title } } }';
interface Told {
  readonly note_changes: { readonly op: string; readonly row: { readonly title: string } | null };
}

function graphqlCases(on: () => FarWorld): void {
  const ask = (door: string, query: string, variables: object = {}): Promise<Answer> =>
    call(door, 'POST', '/data/graphql', on().headers, { query, variables });

  test('GraphQL: queries, mutations, and what is refused', async () => {
    const { far, near } = on();
    const make = 'mutation ($title: String) { create_note(data: { title: $title, open: true }) { title } }';
    expect((await ask(far, make, { title: 'by graphql' })).json).toEqual({
      data: { create_note: { title: 'by graphql' } },
    });
    const find = '{ note(filter: {title: {eq: "by graphql"}}) { nodes { title } } }';
    for (const query of [find, '{ absent { nodes { id } } }', '{', '{ __schema { queryType { name } } }']) {
      const [here, there] = [await ask(near, query), await ask(far, query)];
      expect([query, there.status, there.json]).toEqual([query, here.status, here.json]);
    }
    expect((await ask(far, find)).json).toEqual({ data: { note: { nodes: [{ title: 'by graphql' }] } } });
  });

  test('subscriptions of GraphQL over events and over a WebSocket, by stock clients', async () => {
    const { far, near, headers } = on();
    const events = createEventClient({ url: `${far}/data/graphql`, headers, retryAttempts: 0 });
    const sockets = createSocketClient({
      url: `${far.replace('http', 'ws')}/data/graphql?position=${TENANT}`,
      connectionParams: { authorization: headers['Authorization'] },
      retryAttempts: 0,
    });
    onTestFinished(async () => {
      events.dispose();
      await sockets.dispose();
    });
    const told: string[][] = [[], []];
    const sinkOf = (heard: string[]) => {
      const over = (error?: unknown): void => void heard.push(`over ${JSON.stringify(error)}`);
      const next = ({ data }: { readonly data?: Told | null }): void => {
        const { op, row } = data!.note_changes;
        heard.push(`${op} ${row?.title ?? ''}`);
      };
      return { next, error: over, complete: over };
    };
    events.subscribe<Told>({ query: FOLLOW }, sinkOf(told[0]!));
    sockets.subscribe<Told>({ query: FOLLOW }, sinkOf(told[1]!));
    for (const heard of told) await expect.poll(() => heard, SOON).toEqual(['idle ']);
    expect((await call(near, 'POST', '/data/rest/note', headers, { title: 'told to all' })).status).toBe(201);
    for (const heard of told) await expect.poll(() => heard, SOON).toEqual(['idle ', 'create told to all']);
  });
}

function bulkCases(on: () => FarWorld): void {
  test('a bulk import of some megabyte goes in through the far door, and the same comes out of both', async () => {
    const { far, near, headers } = on();
    const rows = Array.from({ length: PAPERS }, (_, no) => ({ id: `far-${no}`, title: `paper ${no}`, note: NOTE }));
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    const bulk = async (door: string, method: string, query: string, body?: string): Promise<Answer> =>
      answerOf(await fetch(`${door}/data/bulk?${query}`, { method, headers, ...(body !== undefined && { body }) }));
    const taken = await bulk(far, 'POST', 'entity=paper&format=jsonl', lines);
    expect([taken.status, taken.json]).toMatchObject([200, { imported: PAPERS, errors: [] }]);
    const again = 'entity=paper&format=jsonl';
    const wrong = `${lines.split('\n')[0]!}\n{"id":"x"}\n{`;
    const [here, there] = [await bulk(near, 'POST', again, wrong), await bulk(far, 'POST', again, wrong)];
    expect([there.status, there.json]).toEqual([here.status, here.json]);
    for (const format of ['jsonl', 'csv']) {
      const [from, to] = [
        await bulk(near, 'PATCH', `entity=paper&format=${format}`),
        await bulk(far, 'PATCH', `entity=paper&format=${format}`),
      ];
      expect([to.status, to.text === from.text]).toEqual([200, true]);
      expect(to.text.length).toBeGreaterThan(PAPERS * NOTE.length);
      expect(to.headers.get('content-type')).toBe(from.headers.get('content-type'));
    }
  });
}

function keyCases(on: () => FarWorld): void {
  test('a change that is sent again through the other door under its Idempotency-Key is answered as it was', async () => {
    const { far, near, headers } = on();
    for (const [no, [one, other]] of [[far, near] as const, [near, far] as const].entries()) {
      const keyed = { ...headers, 'Idempotency-Key': `both-doors-${no}-0123456789` };
      const body = { name: `once ${no}`, token: `once-${no}` };
      const made = await call(one, 'POST', '/data/rest/item', keyed, body);
      expect(made.status, made.text).toBe(201);
      const again = await call(other, 'POST', '/data/rest/item', keyed, body);
      expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([201, made.text, 'true']);
      expect((await call(other, 'POST', '/data/rest/item', keyed, { ...body, name: 'another' })).status).toBe(422);
    }
  });
}

const LINES = ['allow', 'vary', 'content-type', 'cache-control', 'etag'];
const shown = ({ headers, status, text }: Answer): unknown => {
  const lines = [...headers].filter(([name]) => LINES.includes(name) || name.startsWith('access-control-'));
  return [status, text, lines];
};

function pageCases(on: () => FarWorld): void {
  test('HEAD, OPTIONS, preflights and what pages of other origins may read', async () => {
    const { far, near, headers } = on();
    const preflight = {
      Origin: PAGE_ORIGIN,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization',
    };
    const asks: readonly (readonly [string, string, Headers])[] = [
      ['HEAD', '/data/rest/item?limit=1', headers],
      ['HEAD', '/data/rest/item/id/absent', headers],
      ['HEAD', '/.well-known/jwks.json', {}],
      ['OPTIONS', '/data/rest/item', {}],
      ['OPTIONS', '/data/rest/item/id/x', preflight],
      ['OPTIONS', '/data/rest/item/id/x', { ...preflight, Origin: 'https://evil.example' }],
      ['OPTIONS', '/nowhere', preflight],
      ['GET', '/data/rest/item?limit=1', { ...headers, Origin: PAGE_ORIGIN }],
      ['GET', '/data/rest/item?limit=1', { ...headers, Origin: 'https://evil.example' }],
      ['GET', '/.well-known/jwks.json', { Origin: PAGE_ORIGIN }],
      ['PUT', '/data/rest/item', headers],
    ];
    for (const [method, path, sent] of asks) {
      const one = async (door: string): Promise<unknown> =>
        shown(await answerOf(await fetch(door + path, { method, headers: sent })));
      expect([method, path, await one(far)]).toEqual([method, path, await one(near)]);
    }
    const read = await fetch(`${far}/data/rest/item?limit=1`, { headers: { ...headers, Origin: PAGE_ORIGIN } });
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, PAGE_ORIGIN]);
  });

  test('pages of a site: whole, in parts, as they are kept, and none where there is none', async () => {
    const { far, near } = on();
    const { etag } = (await askSite(near, SITE, 'GET', '/app.js')).headers;
    const asks: readonly (readonly [string, string, Headers])[] = [
      ['GET', '/', { Accept: 'text/html' }],
      ['GET', '/any/view', { Accept: 'text/html' }],
      ['GET', '/app.js', {}],
      ['HEAD', '/app.js', {}],
      ['GET', '/app.js', { Range: 'bytes=10-400009' }],
      ['GET', '/app.js', { Range: 'bytes=99999999-' }],
      ['GET', '/app.js', { 'If-None-Match': etag! }],
      ['GET', '/absent.js', {}],
      ['GET', '/data/absent', { Accept: 'text/html' }],
      ['POST', '/app.js', {}],
    ];
    const heads = ['content-type', 'content-length', 'content-range', 'etag', 'cache-control', 'vary', 'allow'];
    for (const [method, path, sent] of asks) {
      const one = async (door: string): Promise<unknown> => {
        const { body, headers, status } = await askSite(door, SITE, method, path, sent);
        return [status, body, heads.map((name) => headers[name])];
      };
      expect([method, path, await one(far)]).toEqual([method, path, await one(near)]);
    }
    const script = await askSite(far, SITE, 'GET', '/app.js');
    expect([script.status, script.body.length]).toEqual([200, Number(script.headers['content-length'])]);
    expect(script.body.length).toBeGreaterThan(1_000_000);
  });

  test('a site: its login in cookies is made at one door and counts at both, and other pages make none', async () => {
    const { far, near } = on();
    const own = { Origin: `https://${SITE}`, 'X-Skep-Cookies': '1', 'Content-Type': 'application/json' };
    const entered = await askSite(far, SITE, 'POST', '/auth/login', own, ADMIN);
    expect([entered.status, entered.cookies.map(([name]) => name)]).toEqual([
      200,
      ['__Host-skep-access', '__Host-skep-refresh'],
    ]);
    const jar = { Cookie: entered.cookies.map(([name, value]) => `${name}=${value}`).join('; ') };
    for (const door of [near, far]) {
      expect((await askSite(door, SITE, 'GET', '/data/rest/item?limit=1', jar)).status).toBe(200);
      expect((await askSite(door, SITE, 'GET', '/data/rest/item?limit=1')).status).toBe(401);
      const made = await askSite(
        door,
        SITE,
        'POST',
        '/data/rest/item',
        { ...jar, 'Content-Type': 'application/json' },
        { name: 'x' },
      );
      expect([made.status, made.json?.['code']]).toEqual([403, 'cross_origin']);
      const forged = await askSite(
        door,
        SITE,
        'POST',
        '/auth/login',
        { ...own, Origin: 'https://evil.example' },
        ADMIN,
      );
      expect([forged.status, forged.cookies]).toEqual([403, []]);
    }
    const made = await askSite(far, SITE, 'POST', '/data/rest/item', { ...own, ...jar }, { name: 'by a page' });
    expect(made.status, made.body).toBe(201);
    const left = await askSite(far, SITE, 'POST', '/auth/logout', { Origin: own.Origin, ...jar });
    expect([left.status, left.cookies.map(([, value]) => value)]).toEqual([200, ['', '']]);
    for (const door of [near, far])
      expect((await askSite(door, SITE, 'POST', '/auth/refresh', { ...own, ...jar })).status).toBe(401);
  });
}
