/** Rows of a tenant on the console's listener of a real node: who gets them, in which form, and what is not there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode, type TestNode } from '#test/kit/test-node.ts';

const OPERATOR = { login: 'root@example.org', password: 'a long enough password' };
const ADMIN = { login: 'ada@example.org', password: 'another long password' };
const PLANE = positionHeaders(CONTROL_PLANE);
const HERE = positionHeaders(TENANT);
const MARKUP = '<script>alert(document.domain)</script>';

let it: TestNode;
let base: string;
beforeAll(async () => {
  it = await startTestNode({ listeners: '  console: { bind: 127.0.0.1:0 }\n' });
  base = it.node.listeners['console']!;
  await it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...OPERATOR, roles: ['superadmin'] });
  await it.node.ask(TENANT, 'identity', 'user.ensure', { ...ADMIN, roles: ['tenant_admin', 'tenant_user'] });
});
afterAll(() => it.stop());

const here = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  call(base, method, path, headers, body);

async function bearer(place: Record<string, string>, person: object): Promise<Record<string, string>> {
  const { json } = await here('POST', '/auth/login', place, person);
  return { ...place, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}
const admin = () => bearer(HERE, ADMIN);

describe('rows', () => {
  test('are seen and changed by the people of their tenant, as on the gateway', async () => {
    const headers = await admin();
    const made = await here('POST', '/data/rest/item', headers, { name: 'Lamp', price: 5 });
    expect(made.status).toBe(201);
    const { id } = (made.json as { data: { id: string }[] }).data[0]!;
    const at = `/data/rest/item/id/${id}`;
    const changed = await here('PATCH', at, { ...headers, 'If-Match': made.headers.get('etag')! }, { price: 6 });
    expect([changed.status, (changed.json as { data: object[] }).data[0]]).toEqual([
      200,
      expect.objectContaining({ price: 6 }),
    ]);
    const listed = await here('GET', '/data/rest/item?price[gte]=6&after=', headers);
    expect([listed.status, (listed.json as { count: number }).count]).toEqual([200, 1]);
    expect(listed.text).toBe((await it.call('GET', '/data/rest/item?price[gte]=6&after=', headers)).text);
    expect((await here('GET', '/data/schema', headers)).status).toBe(200);
    expect((await here('GET', '/data/stateflows', headers)).status).toBe(200);
    expect((await here('DELETE', at, headers)).status).toBe(200);
  });

  test('are never a page, whatever a value says', async () => {
    const headers = await admin();
    const made = await here('POST', '/data/rest/item', headers, { name: MARKUP, price: 1 });
    const { id } = (made.json as { data: { id: string }[] }).data[0]!;
    const expression = encodeURIComponent('.data[0].name');
    for (const path of [
      `/data/rest/item/id/${id}`,
      '/data/rest/item?orderby=-price',
      `/data/rest/item/id/${id}?expression=${expression}`,
      `/data/rest/item?name=${encodeURIComponent(MARKUP)}&sendmeta=true`,
      `/data/rest/item?no_such_field=${encodeURIComponent(MARKUP)}`,
      `/data/rest/item?${encodeURIComponent(MARKUP)}=1`,
      `/data/rest/item/id/${encodeURIComponent(MARKUP)}`,
    ])
      for (const accept of ['text/html', '*/*']) {
        const answer = await here('GET', path, { ...headers, Accept: accept });
        expect([path, answer.headers.get('content-type')]).toEqual([path, 'application/json; charset=utf-8']);
        expect(answer.headers.get('content-security-policy')).toBe(
          "default-src 'none'; frame-ancestors 'none'; sandbox",
        );
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      }
  });

  test('come one or a page at a time: no file, no change of a whole filter, no other route of data', async () => {
    const headers = await admin();
    for (const [method, path] of [
      ['GET', '/data/rest/item/id/x?download=true&field=photo'],
      ['POST', '/data/rest/item/id/x/sign'],
      ['GET', '/data/rest/item/id/x/signed'],
      ['POST', '/data/rest'],
      ['GET', '/data/anon/rest/item'],
      ['GET', '/data/admin/data/references/item'],
      ['GET', '/store/media/asset/x/download'],
      ['GET', '/store/media/asset/x/signed'],
      ['GET', '/bff/x'],
      ['POST', '/auth/guest'],
      ['POST', '/auth/token'],
    ] as const)
      expect([path, (await here(method, path, headers)).status]).toEqual([path, 404]);
    // GraphQL answers in one form, whichever its caller asks for.
    const asked = await here('POST', '/data/graphql', { ...headers, Accept: 'text/html' }, { query: '{ __typename }' });
    expect([asked.status, asked.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    // Rows come in by a file. None leave so: the form of an export is its caller's choice.
    const imported = await here(
      'POST',
      '/data/bulk?entity=item&format=csv&dryrun=true',
      headers,
      'name,price\nLamp,5\n',
    );
    expect([imported.status, imported.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect((await here('PATCH', '/data/bulk?entity=item&format=csv', headers)).status).toBe(405);
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await here(method, '/data/rest/item?price=1', { ...headers, 'If-Count': '1' })).status).toBe(405);
  });

  test('hold no file: its bytes are the gateway’s to give', async () => {
    const headers = await admin();
    const form = new FormData();
    form.set('id', 'sketch');
    form.set('title', 'Sketch');
    form.set('scan', new Blob([MARKUP], { type: 'text/html' }), 'sketch.html');
    const made = await fetch(`${it.gateway}/data/rest/paper`, { method: 'POST', headers, body: form });
    expect(made.status).toBe(201);
    const path = `/data/rest/paper/id/sketch?download=true&field=scan`;
    const file = await it.call('GET', path, headers);
    expect([file.status, file.text]).toEqual([200, MARKUP]);
    expect((await here('GET', '/data/rest/paper/id/sketch', headers)).status).toBe(200);
    for (const query of ['download=true&field=scan', 'Download=True&field=scan', 'field=scan&%44ownload=true'])
      expect((await here('GET', `/data/rest/paper/id/sketch?${query}`, headers)).status).toBe(404);
  });

  test('are for no bearer of another place, and the control plane is for no bearer of a tenant', async () => {
    const [mine, root] = [await admin(), await bearer(PLANE, OPERATOR)];
    for (const path of ['health', 'configuration', 'load', 'slow', 'logs'])
      for (const place of [PLANE, HERE]) {
        const { status } = await here('GET', `/superadmin/node/${path}`, { ...mine, ...place });
        expect([path, status >= 400 && status < 500]).toEqual([path, true]);
      }
    expect((await here('GET', '/data/rest/item', { ...mine, ...positionHeaders(OTHER_TENANT) })).status).toBe(401);
    expect((await here('GET', '/data/rest/item', { ...root, ...HERE })).status).toBe(401);
    expect((await here('GET', '/data/rest/item', HERE)).status).toBe(401);
    expect((await here('POST', '/auth/login', PLANE, ADMIN)).status).toBe(401);
    expect((await here('POST', '/auth/login', HERE, OPERATOR)).status).toBe(401);
  });

  test('are asked for by no page of another origin', async () => {
    const headers = { ...(await admin()), 'Sec-Fetch-Site': 'cross-site' };
    for (const [method, path] of [
      ['GET', '/data/rest/item'],
      ['POST', '/data/rest/item'],
      ['DELETE', '/data/rest/item/id/x'],
      ['POST', '/auth/login'],
    ] as const)
      expect([path, (await here(method, path, headers)).status]).toEqual([path, 403]);
  });
});

test('a link logs each of its people in once, at the place of each, and nowhere else', async () => {
  const link = it.node.consoleLink({ [CONTROL_PLANE]: OPERATOR, [TENANT]: ADMIN })!;
  const [, address, code] = /^(.*)#login=(.{43})$/.exec(link)!;
  expect(address).toBe(`${base}/console/at/${TENANT.replaceAll(':', '/')}/data`);
  const enter = (place: Record<string, string>) => here('POST', '/console/login', place, { code });
  expect((await enter(positionHeaders(OTHER_TENANT))).status).toBe(401);
  const mine = await enter(HERE);
  expect(mine.status).toBe(200);
  const token = `Bearer ${(mine.json as { access_token: string }).access_token}`;
  expect((await here('GET', '/data/rest/item', { ...HERE, Authorization: token })).status).toBe(200);
  expect((await here('GET', '/superadmin/node/health', { ...PLANE, Authorization: token })).status).toBe(401);
  expect((await enter(HERE)).status).toBe(401);
  expect((await enter(PLANE)).status).toBe(200);
  expect((await enter(PLANE)).status).toBe(401);
});

test('a link stands for a password: a wrong one opens nothing, and one of a changed password neither', async () => {
  const wrong = { ...ADMIN, password: 'no password of ada' };
  const [, code] = it.node.consoleLink({ [TENANT]: wrong })!.split('#login=');
  expect((await here('POST', '/console/login', HERE, { code })).status).toBe(401);
});

test('where the console is for operators alone, no person of a tenant comes in', async () => {
  const closed = await startTestNode({ listeners: '  console: { bind: 127.0.0.1:0, tenants: false }\n' });
  try {
    await closed.node.ask(TENANT, 'identity', 'user.ensure', { ...ADMIN, roles: ['tenant_admin', 'tenant_user'] });
    const page = closed.node.listeners['console']!;
    const [, code] = closed.node.consoleLink({ [TENANT]: ADMIN })!.split('#login=');
    expect((await call(page, 'POST', '/auth/login', HERE, ADMIN)).status).toBe(404);
    expect((await call(page, 'POST', '/console/login', HERE, { code })).status).toBe(404);
    const { json } = await call(closed.gateway, 'POST', '/auth/login', HERE, ADMIN);
    const headers = { ...HERE, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
    expect((await call(closed.gateway, 'GET', '/data/rest/item', headers)).status).toBe(200);
    for (const path of ['/data/rest/item', '/data/schema', '/data/stateflows'])
      expect([path, (await call(page, 'GET', path, headers)).status]).toEqual([path, 404]);
  } finally {
    await closed.stop();
  }
});
