/** Signed URLs of file fields over HTTP to a real node: docs/contract/data.md §5.11. Their text without threads: test/actors/host/signed-url/. */
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runVerb } from '#runtime/control-verbs.ts';
import { startOtlpReceiver, type OtlpReceiver } from '#test/kit/otlp-receiver.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const BYTES = randomBytes(70_000);
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let it: TestNode;
let collector: OtlpReceiver;
let ann: Headers;
let annId: string;
let service: Headers;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  it = await startTestNode({
    sites: `{ shop.example: { tenant: "${TENANT}" }, other.example: { tenant: "${OTHER_TENANT}" } }`,
    cors: '{ shop: { origins: ["https://shop.example.org"] } }',
    extra: `telemetry: { traces: { to: "${collector.url}", sample: 1 } }`,
  });
  await ensure(['tenant_user']);
  const login = await it.call('POST', '/auth/login', it.position(), { login: 'ann@shop.example', password: PASSWORD });
  const { access_token } = login.json as { access_token: string };
  ann = { ...it.position(), Authorization: `Bearer ${access_token}` };
  service = await it.service();
});
afterAll(async () => {
  await it.stop();
  await collector.stop();
});

async function ensure(roles: readonly string[]): Promise<void> {
  const person = { login: 'ann@shop.example', password: PASSWORD, roles };
  annId = ((await it.node.ask(TENANT, 'identity', 'user.ensure', person)) as { id: string }).id ?? annId;
}

let made = 0;
async function paper(
  bytes: Uint8Array<ArrayBuffer> = BYTES,
  type = 'application/pdf',
  name = 'scan 1.pdf',
): Promise<string> {
  const id = `p${++made}`;
  const form = new FormData();
  for (const [key, value] of Object.entries({ id, title: id })) form.set(key, value);
  form.set('scan', new File([bytes], name, { type }));
  const response = await fetch(`${it.gateway}/data/rest/paper`, { method: 'POST', headers: service, body: form });
  expect(response.status).toBe(201);
  return id;
}

const ask = (id: string, body: object, headers = ann): Promise<Answer> =>
  it.call('POST', `/data/rest/paper/id/${id}/sign`, headers, body);

async function sign(id: string, wish: object = {}, headers = ann): Promise<string> {
  const answer = await ask(id, { field: 'scan', ...wish }, headers);
  expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([200, answer.text, 'no-store']);
  return (answer.json as { url: string }).url;
}

const get = (url: string, init: RequestInit = {}, base = it.gateway): Promise<Response> => fetch(base + url, init);
async function codeAt(url: string): Promise<[number, string]> {
  const response = await get(url);
  return [response.status, ((await response.json()) as { code: string }).code];
}
/** The status at a host whose name is chosen, which `fetch` does not allow. */
function statusAt(host: string, path: string): Promise<number> {
  const { hostname, port } = new URL(it.gateway);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers: { Host: host } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!));
    });
    sent.on('error', reject).end();
  });
}
const OVER = [410, 'v2.signed_url_over'];
const INVALID = [403, 'v2.signed_url_invalid'];

describe('a signed URL', () => {
  test('gives the bytes without a header, and says that it is private', async () => {
    const answer = await ask(await paper(), { field: 'scan' });
    const { url, expires_at } = answer.json as { url: string; expires_at: string };
    const life = Date.parse(expires_at) - Date.now();
    expect([life > 3_590_000, life <= 3_600_000]).toEqual([true, true]);
    const response = await get(url);
    expect([response.status, digest(new Uint8Array(await response.arrayBuffer()))]).toEqual([200, digest(BYTES)]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="scan 1.pdf"',
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'accept-ranges': 'bytes',
      etag: `"${digest(BYTES)}"`,
    });
  });

  test('takes HEAD, ranges and If-None-Match as the row does, and no other verb', async () => {
    const url = await sign(await paper());
    const head = await get(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '70000', '']);
    const part = await get(url, { headers: { Range: 'bytes=10-19' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/70000']);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(BYTES.subarray(10, 20));
    const beyond = await get(url, { headers: { Range: 'bytes=70000-' } });
    expect([beyond.status, beyond.headers.get('content-range'), beyond.headers.get('referrer-policy')]).toEqual([
      416,
      'bytes */70000',
      'no-referrer',
    ]);
    const known = await get(url, { headers: { 'If-None-Match': head.headers.get('etag')! } });
    expect([known.status, known.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await get(url, { method })).status).toBe(405);
  });

  test('shows in place what a browser does not run, and nothing else', async () => {
    const shown = await get(await sign(await paper(PNG, 'image/png', 'a.png'), { disposition: 'inline' }));
    expect(shown.headers.get('content-disposition')).toBe('inline; filename="a.png"');
    const { status, json } = await ask(await paper(PNG, 'image/svg+xml', 'a.svg'), {
      field: 'scan',
      disposition: 'inline',
    });
    expect([status, json]).toMatchObject([400, { code: 'v2.sign_invalid' }]);
  });

  test('works on the listener of the service, where the path is shorter', async () => {
    const url = await sign(await paper());
    expect((await get(url.replace('/data/', '/'), {}, it.node.listeners['data'])).status).toBe(200);
  });

  test('is read by a page of the product, whose origin it is', async () => {
    const url = await sign(await paper());
    const allowed = async (origin: string) =>
      (await get(url, { headers: { Origin: origin } })).headers.get('access-control-allow-origin');
    expect(await allowed('https://shop.example.org')).toBe('https://shop.example.org');
    expect(await allowed('https://other.example.org')).toBe(null);
  });
});

describe('is refused', () => {
  test('where anything was changed, also with a credential', async () => {
    const url = await sign(await paper());
    const id = await paper();
    for (const changed of [
      url.replace(/id\/p\d+/, `id/${id}`),
      url.replace('part=scan', 'part=cover'),
      url.replace('disposition=attachment', 'disposition=inline'),
      url.replace(/expires=\d/, 'expires=9'),
      url.replace(/signer=user\.\w+/, 'signer=user.01ARZ3NDEKTSV4RRFFQ69G5FAV'),
      url.replace('part=scan', 'part=sca%6e'),
      url.replace('/paper/', '/%70aper/'),
      `${url}&x=1`,
      url.replace(/signature=.*/, 'signature='),
      url.slice(0, url.indexOf('&signature')),
      url.replace(TENANT, OTHER_TENANT),
    ]) {
      expect([changed, ...(await codeAt(changed))]).toEqual([changed, ...INVALID]);
      const bearer = { Authorization: service['Authorization']! };
      expect((await get(changed, { headers: bearer })).status).toBe(403);
    }
  });

  test('at the host of another tenant', async () => {
    const url = await sign(await paper());
    expect([await statusAt('shop.example', url), await statusAt('other.example', url)]).toEqual([200, 400]);
    expect(await statusAt('elsewhere.example', url)).toBe(200);
  });

  test('400 and 403 where the position is none, as without headers', async () => {
    const url = await sign(await paper());
    const at = async (text: string) => (await get(url.replace(`tenant=${TENANT}`, text))).status;
    expect(await at('x=1')).toBe(400);
    expect(await at('tenant=')).toBe(400);
    expect(await at('tenant=acme:shop:dev')).toBe(400);
    expect(await at('tenant=acme:shop:dev:nowhere')).toBe(400);
    expect(await at('tenant=acme:shop:dev:sleeping')).toBe(403);
    const beside = async (headers: Headers) => (await get(url, { headers })).status;
    expect(await beside(it.position())).toBe(200);
    expect(await beside(it.position(OTHER_TENANT))).toBe(400);
    expect(await beside({ 'X-Tenant': 'other' })).toBe(400);
  });

  test('once its time is up', async () => {
    const url = await sign(await paper(), { expires_in: 1 });
    await until(async () => (await get(url)).status === 410);
    expect(await codeAt(url)).toEqual(OVER);
  });

  test('once its file is gone, and its refusal says nothing of it', async () => {
    const [deleted, emptied] = [await paper(), await paper()];
    const urls = [await sign(deleted), await sign(emptied)] as const;
    expect((await it.call('DELETE', `/data/rest/paper/id/${deleted}`, service)).status).toBe(200);
    expect((await it.call('PATCH', `/data/rest/paper/id/${emptied}`, service, { scan: null })).status).toBe(200);
    for (const url of urls) {
      const response = await get(url);
      const text = await response.text();
      expect([response.status, text.includes('signature'), text.includes(/signature=(.*)/.exec(url)![1]!)]).toEqual([
        410,
        false,
        false,
      ]);
      expect([response.headers.get('referrer-policy'), response.headers.get('cache-control')]).toEqual([
        'no-referrer',
        'private, no-cache',
      ]);
    }
  });

  test('while its signer has not the role that the rule asks for', async () => {
    const url = await sign(await paper());
    await it.node.ask(TENANT, 'identity', 'user.set', { user: 'ann@shop.example', roles: ['visitor'] });
    expect(await codeAt(url)).toEqual(OVER);
    await it.node.ask(TENANT, 'identity', 'user.set', { user: 'ann@shop.example', roles: ['tenant_user'] });
    expect((await get(url)).status).toBe(200);
  });

  test('once the key of its signer is revoked', async () => {
    const { key, id } = (await it.node.ask(TENANT, 'identity', 'key.issue', {
      service: 'test',
      capabilities: { scope: ['acme:dev:shop:main'] },
    })) as { key: string; id: string };
    const token = await it.call('POST', '/auth/token', { ...it.position(), Authorization: `ApiKey ${key}` });
    const bearer = { ...it.position(), Authorization: `Bearer ${(token.json as { token: string }).token}` };
    const url = await sign(await paper(), {}, bearer);
    expect((await get(url)).status).toBe(200);
    await it.node.ask(TENANT, 'identity', 'key.revoke', { id });
    expect(await codeAt(url)).toEqual(OVER);
  });

  test('once its key was replaced twice, or once with an end', async () => {
    const url = await sign(await paper());
    const rotate = (ends: boolean) => runVerb(it.node, 'url_key.rotate', { tenant: TENANT, ends });
    expect(await rotate(false)).toMatchObject([{ service: 'data', urls_end: false }, { service: 'content' }]);
    expect((await get(url)).status).toBe(200);
    await rotate(false);
    expect(await codeAt(url)).toEqual(INVALID);
    const next = await sign(await paper());
    await rotate(true);
    expect(await codeAt(next)).toEqual(INVALID);
  });
});

describe('to sign is refused', () => {
  test('to callers without a credential, of another tenant, or whom the rule keeps out', async () => {
    const id = await paper();
    expect((await ask(id, { field: 'scan' }, it.position())).status).toBe(401);
    expect((await ask(id, { field: 'scan' }, { ...ann, ...it.position(OTHER_TENANT) })).status).toBe(401);
    await it.node.ask(TENANT, 'identity', 'user.ensure', {
      login: 'eve@shop.example',
      password: PASSWORD,
      roles: ['visitor'],
    });
    const login = await it.call('POST', '/auth/login', it.position(), {
      login: 'eve@shop.example',
      password: PASSWORD,
    });
    const eve = { ...it.position(), Authorization: `Bearer ${(login.json as { access_token: string }).access_token}` };
    expect((await ask(id, { field: 'scan' }, eve)).status).toBe(403);
  });

  test('with a body that says something else', async () => {
    const id = await paper();
    for (const [body, status, code] of [
      [{}, 400, 'v2.missing_field'],
      [{ field: 'cover' }, 404, 'v2.field_empty'],
      [{ field: 'title' }, 400, 'v2.field_not_file'],
      [{ field: 'nothing' }, 404, 'v2.field_not_found'],
      [{ field: 'scan', expires_in: 0 }, 400, 'v2.sign_invalid'],
      [{ field: 'scan', expires_in: 604_801 }, 400, 'v2.sign_invalid'],
      [{ field: 'scan', expires_in: '60' }, 400, 'v2.sign_invalid'],
      [{ field: 'scan', disposition: 'other' }, 400, 'v2.sign_invalid'],
      [{ field: 'scan', more: 1 }, 400, 'v2.sign_invalid'],
      [[], 400, 'v2.sign_invalid'],
    ] as const) {
      const answer = await ask(id, body);
      expect([body, answer.status, answer.json]).toMatchObject([body, status, { code }]);
    }
    expect((await ask('absent', { field: 'scan' })).status).toBe(404);
    expect((await it.call('POST', '/data/rest/nothing/id/x/sign', ann, { field: 'scan' })).status).toBe(404);
    expect((await it.call('POST', `/data/anon/rest/paper/id/${id}/sign`, ann, { field: 'scan' })).status).toBe(404);
  });
});

test('no trace holds a signature, nor the query that carries it', async () => {
  const url = await sign(await paper());
  await get(url);
  const route = '/data/rest/{entity}/id/{id}/signed';
  await collector.until((spans) => spans.some(({ name }) => name === `GET ${route}`));
  const sent = Buffer.concat(collector.exports.map(({ bytes }) => bytes)).toString('latin1');
  expect([sent.includes('signature='), sent.includes(/signature=(.*)/.exec(url)![1]!)]).toEqual([false, false]);
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
