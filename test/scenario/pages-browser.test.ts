/**
 * What Debian's Chromium lets a page of another origin do and read: docs/contract/platform.md §3.4. The node's headers by themselves:
 * pages.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';

/** In the page: `ask` gives status, body and the named headers of an answer, or `unread` where the browser keeps the answer from the page. */
const ASK = `
const ask = async (method, path, headers = {}, body, show = []) => {
  try {
    const answer = await fetch(at.gateway + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    return [answer.status, text === '' ? null : text, ...show.map((name) => answer.headers.get(name))];
  } catch (error) {
    return error instanceof TypeError ? 'unread' : String(error);
  }
};
const json = { 'Content-Type': 'application/json' };
`;

describe.skipIf(!hasChromium)('a page in Chromium', { timeout: 90_000 }, () => {
  let site: Site;
  let it: TestNode;
  beforeAll(async () => {
    site = await Site.open();
    it = await startTestNode({ cors: `{ shop: { origins: ["${site.origin('127.0.0.1')}"] } }` });
  });
  afterAll(async () => {
    await it.stop();
    await site.close();
  });

  const run = async (host: '127.0.0.1' | 'localhost', script: string): Promise<Record<string, unknown>> => {
    const at = { gateway: it.gateway, position: it.position(), key: it.serviceKey, apiKey: it.apiKey };
    return (await site.run(site.origin(host), `const at = ${JSON.stringify(at)};${ASK}${script}`)) as Record<
      string,
      unknown
    >;
  };

  test('of a listed origin exchanges a key, writes, reads headers and refusals', async () => {
    const found = await run(
      '127.0.0.1',
      `
      const exchanged = await ask('POST', '/auth/token', { ...at.position, Authorization: 'ApiKey ' + at.key });
      const mine = { ...at.position, Authorization: 'Bearer ' + JSON.parse(exchanged[1]).token };
      const made = await ask('POST', '/data/rest/item', { ...mine, ...json, 'Idempotency-Key': 'page-1' }, { name: 'page' }, ['etag', 'x-request-id']);
      const again = await ask('POST', '/data/rest/item', { ...mine, ...json, 'Idempotency-Key': 'page-1' }, { name: 'page' }, ['idempotency-replayed']);
      const { id } = JSON.parse(made[1]).data[0];
      const row = '/data/rest/item/id/' + id;
      const stale = await ask('PATCH', row, { ...mine, ...json, 'If-Match': '"9"' }, { price: 2 });
      const changed = await ask('PATCH', row, { ...mine, ...json, 'If-Match': made[2] }, { price: 2 }, ['etag']);
      const known = await ask('GET', row, { ...mine, 'If-None-Match': changed[2] });
      const [status] = await ask('DELETE', row, mine);
      return {
        made: [made[0], made[2], made[3] !== null], again: [again[0], again[2]], stale: stale[0], changed: [changed[0], changed[2] !== null],
        known: known[0], status,
        bearer: await ask('GET', row, { ...at.position, Authorization: 'Bearer x' }),
        absent: (await ask('GET', row, { ...mine, 'X-Tenant': 'absent' }))[0],
        verb: await ask('POST', '/.well-known/jwks.json', {}, undefined, ['allow']),
        keys: (await ask('GET', '/.well-known/jwks.json'))[0],
      };`,
    );
    expect(found).toEqual({
      made: [201, '"1"', true],
      again: [201, 'true'],
      stale: 412,
      changed: [200, true],
      known: 304,
      status: 200,
      bearer: [401, 'Unauthorized'],
      absent: 400,
      verb: [405, null, 'GET, HEAD, OPTIONS'],
      keys: 200,
    });
  });

  test("of a listed origin reads nothing of operators' routes, of another product, or with cookies", async () => {
    const found = await run(
      '127.0.0.1',
      `
      const key = { Authorization: 'ApiKey ' + at.key };
      const withCookies = fetch(at.gateway + '/.well-known/jwks.json', { credentials: 'include' });
      return {
        operators: await ask('POST', '/superadmin/impersonate', { ...at.position, ...key, ...json }, {}),
        own: await ask('POST', '/internal/session/list', { ...at.position, ...key }),
        plane: await ask('POST', '/auth/token', { ...at.position, ...key, 'X-Tenant': 'superadmin' }),
        other: await ask('POST', '/auth/token', { ...at.position, ...key, 'X-Product': 'crm' }),
        unrouted: await ask('GET', '/nowhere'),
        verb: await ask('PUT', '/auth/token', { ...at.position, ...key }),
        cookies: await withCookies.then(() => 'read', () => 'unread'),
      };`,
    );
    expect(new Set(Object.values(found))).toEqual(new Set(['unread']));
  });

  test('of another origin reads nothing, and cannot even send what needs a preflight', async () => {
    const before = await it.call('GET', '/data/rest/item?name=elsewhere', await it.service());
    const found = await run(
      'localhost',
      `
      const mine = { ...at.position, Authorization: 'ApiKey ' + at.apiKey };
      return {
        keys: await ask('GET', '/.well-known/jwks.json'),
        token: await ask('POST', '/auth/token', mine),
        made: await ask('POST', '/data/rest/item', { ...mine, ...json }, { name: 'elsewhere' }),
      };`,
    );
    expect(found).toEqual({ keys: 'unread', token: 'unread', made: 'unread' });
    const after = await it.call('GET', '/data/rest/item?name=elsewhere', await it.service());
    expect([after.status, (after.json as { count: number }).count]).toEqual([
      200,
      (before.json as { count: number }).count,
    ]);
  });

  test('in a frame without an origin (null) reads nothing', async () => {
    const found = await run(
      '127.0.0.1',
      `
      const inside = 'fetch(' + JSON.stringify(at.gateway + '/.well-known/jwks.json') + ').then(() => "read", () => "unread")' +
        '.then((read) => parent.postMessage({ origin: self.origin, read }, "*"))';
      const frame = Object.assign(document.createElement('iframe'), { sandbox: 'allow-scripts', srcdoc: '<script>' + inside + '<' + '/script>' });
      const said = new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data)));
      document.body.append(frame);
      return await said;`,
    );
    expect(found).toEqual({ origin: 'null', read: 'unread' });
  });
});
