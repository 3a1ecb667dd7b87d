/** Compressed answers over HTTP to a real node, on both servers of the door. It proves docs/contract/platform.md §3.9. */
import * as zlib from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { Wire, type Answer } from '#test/runtime/door/wire.ts';
import { EMAIL, PASSWORD } from '#test/kit/users.ts';

const ROWS = 40;
const LIST = `/data/rest/item?limit=${ROWS}`;
const EXPORT = '/data/bulk?entity=item&format=csv';

describe.each(['uws', 'node'] as const)('on the %s door', (door) => {
  const on = useDataNode({ door });
  beforeAll(async () => {
    const created = await on.ask(
      'POST',
      'rest/item',
      Array.from({ length: ROWS }, (_, i) => ({ name: `A thing with the number ${i}`, token: `token-${i}` })),
    );
    expect(created.status).toBe(201);
    await on.it.node.ask(TENANT, 'identity', 'user.ensure', {
      login: EMAIL,
      password: PASSWORD,
      roles: ['tenant_user'],
    });
  });

  async function ask(path: string, more: string, method = 'GET', sent = ''): Promise<Answer> {
    const wire = await Wire.open(Number(new URL(on.it.gateway).port));
    const fields = Object.entries(on.bearer).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = sent === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n`;
    wire.send(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${fields.join('')}${length}${more}\r\n${sent}`);
    const answer = (await wire.answer(method))!;
    const body = answer.headers['transfer-encoding'] === 'chunked' ? (await wire.chunks())! : answer.body;
    wire.end();
    return { ...answer, body };
  }
  const GZIP = 'Accept-Encoding: gzip\r\n';

  test('a list is compressed for a caller that asks, and the same to the byte for one that does not', async () => {
    const plain = await ask(LIST, '');
    expect([plain.status, plain.headers['vary'], plain.headers['content-encoding']]).toEqual([
      200,
      undefined,
      undefined,
    ]);
    expect(plain.body.length).toBeGreaterThan(limits.door.compressedBytesMin);
    const small = await ask(LIST, GZIP);
    expect([small.headers['content-encoding'], small.headers['vary']]).toEqual(['gzip', 'Accept-Encoding']);
    expect(small.body.length).toBeLessThan(plain.body.length / 2);
    expect(zlib.gunzipSync(small.body).equals(plain.body)).toBe(true);
    const brotli = await ask(LIST, 'Accept-Encoding: gzip, deflate, br, zstd\r\n');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(zlib.brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
  });

  test('HEAD has the head that GET has', async () => {
    const get = await ask(LIST, GZIP);
    const head = await ask(LIST, GZIP, 'HEAD');
    expect([head.status, head.headers['content-encoding'], head.headers['content-length'], head.body.length]).toEqual([
      200,
      'gzip',
      get.headers['content-length'],
      0,
    ]);
  });

  test('one row keeps its version as a strong tag, which If-Match takes, whatever the caller accepts', async () => {
    const { json } = await on.ask('POST', 'rest/item', { name: `long-${door}`, token: 'x'.repeat(3000) });
    const { id } = (json as { data: [{ id: string }] }).data[0];
    const { headers, body } = await ask(`/data/rest/item/id/${id}`, GZIP);
    expect([headers['etag'], headers['content-encoding'], headers['vary']]).toEqual(['"1"', undefined, undefined]);
    expect(body.length).toBeGreaterThan(limits.door.compressedBytesMin);
    const changed = await ask(`/data/rest/item/id/${id}`, `${GZIP}If-Match: "1"\r\n`, 'PATCH', '{"token":"y"}');
    expect(changed.status).toBe(200);
  });

  test('an export in pieces is compressed as it comes', async () => {
    const plain = await ask(EXPORT, '', 'PATCH');
    const { status, headers, body } = await ask(EXPORT, GZIP, 'PATCH');
    expect([plain.status, status, headers['content-encoding'], headers['content-length']]).toEqual([
      200,
      200,
      'gzip',
      undefined,
    ]);
    expect(zlib.gunzipSync(body).equals(plain.body)).toBe(true);
  });

  test('tokens, keys and refusals leave as they are', async () => {
    const login = JSON.stringify({ login: EMAIL, password: PASSWORD });
    const tokens = await ask('/auth/login', GZIP, 'POST', login);
    expect([tokens.status, tokens.headers['content-encoding'], tokens.headers['vary']]).toEqual([
      200,
      undefined,
      undefined,
    ]);
    const keys = await ask('/.well-known/paseto-keys', GZIP);
    expect(keys.headers['content-encoding']).toBeUndefined();
    const refused = await ask('/data/rest/nothing', GZIP);
    expect([refused.status, refused.headers['content-encoding']]).toEqual([404, undefined]);
  });

  test('fetch, which always asks, reads what a caller that does not ask gets', async () => {
    const plain = await ask(LIST, '');
    expect((await on.ask('GET', LIST.slice('/data/'.length))).text).toBe(plain.body.toString());
  });
});

describe('a node that is told not to', () => {
  const on = useDataNode({ gateway: 'compression: { enabled: false }' });
  test('compresses nothing', async () => {
    for (let i = 0; i < 20; i++) await on.ask('POST', 'rest/item', { name: `A thing ${i}` });
    const wire = await Wire.open(Number(new URL(on.it.gateway).port));
    const fields = Object.entries(on.bearer).map(([name, value]) => `${name}: ${value}\r\n`);
    wire.send(`GET ${LIST} HTTP/1.1\r\nHost: x\r\n${fields.join('')}Accept-Encoding: gzip\r\n\r\n`);
    const { status, headers, body } = (await wire.answer())!;
    wire.end();
    expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, undefined, undefined]);
    expect(body.length).toBeGreaterThan(limits.door.compressedBytesMin);
  });
});
