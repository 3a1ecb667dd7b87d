/** `gateway.sites` over HTTP to a real node, on both servers of the door. It proves docs/contract/platform.md §3.5. */
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { askSite as ask } from '#test/kit/site-call.ts';
import { positionHeaders, type Headers } from '#test/kit/test-node.ts';

describe.each(['uws', 'node'] as const)('sites, on the %s door', (door) => {
  const on = useDataNode({
    door,
    sites: `{ shop.example: { tenant: "${TENANT}" }, other.example: { tenant: "${OTHER_TENANT}" }, sleeping.example: { tenant: "acme:shop:dev:sleeping" } }`,
  });
  const credential = (): Headers => ({ Authorization: on.bearer['Authorization']! });
  const list = (host: string, headers: Headers) => ask(on.it.gateway, host, 'GET', '/data/rest/item?limit=1', headers);

  test('the position comes from the name of the host', async () => {
    expect((await list('shop.example', credential())).status).toBe(200);
    expect((await list('SHOP.example:8080', credential())).status).toBe(200);
    // The token is the first tenant's: at the other tenant's host it counts for nothing.
    expect((await list('other.example', credential())).status).toBe(401);
    expect((await list('shop.example', {})).status).toBe(401);
  });

  test('headers that name the same position are fine, and others are 400 invalid tenant', async () => {
    expect((await list('shop.example', on.bearer)).status).toBe(200);
    for (const headers of [{ 'X-Tenant': 'other' }, positionHeaders(OTHER_TENANT), { 'X-Customer': 'x' }]) {
      const got = await list('shop.example', { ...credential(), ...headers });
      expect([got.status, got.body]).toEqual([400, '{"error":"invalid tenant","code":"invalid tenant"}']);
    }
    const plane = { ...positionHeaders(TENANT), 'X-Tenant': 'superadmin' };
    const exchange = await ask(on.it.gateway, 'shop.example', 'POST', '/auth/token', {
      ...plane,
      Authorization: `ApiKey ${on.it.serviceKey}`,
    });
    expect([exchange.status, exchange.json]).toEqual([400, { code: 'invalid tenant', error: expect.any(String) }]);
  });

  test('identity takes its position from there as well', async () => {
    const headers = { Authorization: `ApiKey ${on.it.serviceKey}` };
    expect((await ask(on.it.gateway, 'shop.example', 'POST', '/auth/token', headers)).status).toBe(200);
    expect((await ask(on.it.gateway, 'other.example', 'POST', '/auth/token', headers)).status).toBe(401);
  });

  test('a tenant that is not active is 403 as elsewhere', async () => {
    expect((await list('sleeping.example', credential())).status).toBe(403);
  });

  test('at any other name everything is as without sites', async () => {
    for (const host of ['localhost', 'a.shop.example', 'shop.example.', 'shop.example.evil']) {
      expect((await list(host, credential())).status).toBe(400);
      expect((await list(host, on.bearer)).status).toBe(200);
    }
  });

  test('what a proxy says of the host is not believed', async () => {
    const said = { 'X-Forwarded-Host': 'shop.example', Forwarded: 'host=shop.example', 'X-Host': 'shop.example' };
    expect((await list('localhost', { ...credential(), ...said })).status).toBe(400);
    const swapped = { 'X-Forwarded-Host': 'other.example', Forwarded: 'host=other.example' };
    expect((await list('shop.example', { ...credential(), ...swapped })).status).toBe(200);
  });

  test('a position that is named twice is refused before', async () => {
    const { hostname, port } = new URL(on.it.gateway);
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { Host: 'shop.example', 'X-Tenant': ['main', 'other'] };
      request({ hostname, port, path: '/data/rest/item', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });

  test('the listener of a single service knows no sites', async () => {
    const own = on.it.node.listeners['data']!;
    expect((await ask(own, 'shop.example', 'GET', '/rest/item?limit=1', credential())).status).toBe(400);
  });
});
