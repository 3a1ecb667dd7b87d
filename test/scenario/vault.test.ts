/** `skep vault server -f <file>` over TLS: callers, secrets, seal, rotation. Contract: docs/contract/vault.md. */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TRUST_DOMAIN, VaultProcess, type Identity, type ServedVault } from '#test/kit/vault-process.ts';

const POSITION = { 'X-Customer': 'acme', 'X-Product': 'shop', 'X-Env': 'dev', 'X-Tenant': 'main' };
const OTHER = { ...POSITION, 'X-Tenant': 'other' };
const path = (name: string, query = ''): string => `/secret/${encodeURIComponent(name)}${query}`;

const vault = new VaultProcess();
let served: ServedVault;
let ada: Identity;

beforeAll(async () => {
  vault.open();
  ada = vault.identity('operator/ada');
  served = await vault.serve();
}, 60_000);

afterAll(async () => {
  expect(await served.end('SIGTERM')).toBe(0);
  vault.close();
});

const call = (...args: Parameters<ServedVault['call']>) => served.call(...args);

describe('callers', () => {
  test('the listener speaks TLS 1.3 and nothing older; /ready needs no certificate', async () => {
    expect(await call(null, 'GET', '/ready')).toMatchObject({ status: 200, json: { ready: true } });
    const { port } = new URL(served.url);
    const refused = await new Promise((resolve) => {
      const socket = connect({
        port: Number(port),
        host: '127.0.0.1',
        maxVersion: 'TLSv1.2',
        rejectUnauthorized: false,
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      socket.on('secureConnect', () => resolve('connected'));
    });
    expect(refused).toMatch(/^(ERR_SSL|ECONNRESET)/);
  });

  test.each([
    ['no certificate', () => null],
    [
      'one of another authority',
      () => (vault.authority('stranger'), vault.identity('operator/ada', { ca: 'stranger' })),
    ],
    ['a server’s certificate', () => vault.identity('operator/ada', { usage: 'serverAuth' })],
    ['one without a name', () => vault.identity('', { names: 'DNS:ada' })],
    ['one of another trust domain', () => vault.identity('', { names: 'URI:spiffe://elsewhere.test/operator/ada' })],
    [
      'one with two URI names',
      () =>
        vault.identity('', {
          names: `URI:spiffe://${TRUST_DOMAIN}/operator/ada,URI:spiffe://${TRUST_DOMAIN}/operator/bob`,
        }),
    ],
    ['a node’s, of an authority that issues operators only', () => vault.identity('node/n1')],
    ['a workload’s, of an authority that issues operators only', () => vault.identity('operator/ada/more')],
    [
      'the authority itself',
      () => ({ cert: join(vault.dir, 'operator-ca.pem'), key: join(vault.dir, 'operator-ca-key.pem') }),
    ],
  ])('401 for %s', async (_who, identity: () => Identity | null) => {
    const as = identity();
    expect(await call(as, 'GET', '/status')).toMatchObject({ status: 401, json: { code: 'vault.unauthorized' } });
    expect((await call(as, 'GET', '/ready')).status).toBe(200);
  });

  test('an operator is known on every request of a connection, and on a resumed session', async () => {
    for (let i = 0; i < 3; i++) expect((await call(ada, 'GET', '/status')).status).toBe(200);
    const first = await onceOver(undefined);
    const second = await onceOver(first.session);
    expect([first.reused, second.reused]).toEqual([false, true]);
    expect([first.head, second.head]).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  /** One request on a connection of its own, which may go on with an earlier one's session. */
  async function onceOver(session: Buffer | undefined) {
    const pair = { cert: readFileSync(ada.cert), key: readFileSync(ada.key) };
    const ca = readFileSync(join(vault.dir, 'server-ca.pem'));
    const { port } = new URL(served.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', ca, ...pair, ...(session && { session }) });
    let newest: Buffer | undefined;
    let text = '';
    let reused = false;
    socket.on('session', (given) => (newest = given));
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('secureConnect', () => {
      reused = socket.isSessionReused();
      socket.write('GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    });
    await new Promise((resolve, reject) => socket.on('close', resolve).on('error', reject));
    return { reused, session: newest, head: text.slice(0, 'HTTP/1.1 200'.length) };
  }
});

describe('secrets', () => {
  test('put, get, head, versions, cas, delete', async () => {
    const at = path('db/password');
    expect(await call(ada, 'GET', at)).toMatchObject({ status: 404, json: { code: 'vault.secret_not_found' } });
    expect(await call(ada, 'PUT', at, { value: 'one' })).toMatchObject({
      status: 201,
      json: { name: 'db/password', version: 1, state: 'active' },
    });
    expect(await call(ada, 'PUT', at, { value: 'two', cas: 1 })).toMatchObject({ status: 200, json: { version: 2 } });
    expect(await call(ada, 'PUT', at, { value: 'no', cas: 1 })).toMatchObject({
      status: 409,
      json: { code: 'vault.cas_mismatch', details: { latest: 2 } },
    });
    expect(await call(ada, 'GET', at)).toMatchObject({
      status: 200,
      json: { value: 'two', version: 2, state: 'active' },
      headers: { 'cache-control': 'no-store' },
    });
    expect(await call(ada, 'GET', `${at}?version=1`)).toMatchObject({ json: { value: 'one', state: 'inactive' } });
    expect(await call(ada, 'HEAD', at)).toMatchObject({
      status: 200,
      text: '',
      headers: { 'x-secret-version': '2', 'content-length': '0' },
    });
    for (const value of ['three', 'four']) await call(ada, 'PUT', at, { value });
    expect(await call(ada, 'GET', `${at}?version=1`)).toMatchObject({
      status: 404,
      json: { code: 'vault.version_not_found' },
    });
    const { json } = await call(ada, 'GET', `${at}/versions`);
    expect((json as { versions: { state: string }[] }).versions.map(({ state }) => state)).toEqual([
      'active',
      'inactive',
      'inactive',
      'destroyed',
    ]);
    expect(await call(ada, 'DELETE', at)).toMatchObject({ status: 200, json: { versions: [2, 3, 4] } });
    expect(await call(ada, 'GET', at)).toMatchObject({ status: 404 });
    expect(await call(ada, 'HEAD', at)).toMatchObject({ status: 404, text: '' });
    expect(await call(ada, 'DELETE', at)).toMatchObject({ status: 404, json: { code: 'vault.secret_not_found' } });
  });

  test('a tenant’s secret is no other’s and not the node’s', async () => {
    await call(ada, 'PUT', path('mine'), { value: 'main' }, POSITION);
    expect((await call(ada, 'GET', path('mine'), undefined, OTHER)).status).toBe(404);
    expect((await call(ada, 'GET', path('mine'))).status).toBe(404);
    expect(await call(ada, 'GET', path('mine'), undefined, POSITION)).toMatchObject({ json: { value: 'main' } });
    expect(await call(ada, 'GET', '/secret', undefined, POSITION)).toMatchObject({
      json: { names: ['mine'], count: 1, next: null },
    });
  });

  test('bytes travel as base64', async () => {
    const bytes = randomBytes(300);
    bytes[0] = 0xff;
    await call(ada, 'PUT', path('bytes'), { value: bytes.toString('base64'), encoding: 'base64' });
    expect(await call(ada, 'GET', path('bytes'))).toMatchObject({
      json: { value: bytes.toString('base64'), encoding: 'base64' },
    });
  });

  test.each([
    ['a name with a space', 'PUT', path('a b'), { value: 'x' }],
    ['a name that is empty between slashes', 'PUT', path('a//b'), { value: 'x' }],
    ['a name above the bound', 'PUT', path('x'.repeat(256)), { value: 'x' }],
    ['no value', 'PUT', path('a'), {}],
    ['a key that is not declared', 'PUT', path('a'), { value: 'x', more: 1 }],
    ['a key that comes twice', 'PUT', path('a'), '{"value":"x","value":"y"}'],
    ['no JSON', 'PUT', path('a'), '{'],
    ['base64 that is none', 'PUT', path('a'), { value: '***', encoding: 'base64' }],
    ['a cas that is no number', 'PUT', path('a'), { value: 'x', cas: 'one' }],
    ['a version that is none', 'GET', path('a', '?version=zero'), undefined],
    ['a limit above the bound', 'GET', '/secret?limit=1001', undefined],
    ['a destroy that is no word of ours', 'DELETE', path('a', '?destroy=1'), undefined],
  ])('400 for %s', async (_what, method, at, body) => {
    expect(await call(ada, method, at, body)).toMatchObject({ status: 400, json: { code: 'vault.bad_request' } });
  });

  test('some position headers, or malformed ones, are 400; a value above the bound is 413', async () => {
    const { 'X-Tenant': _tenant, ...three } = POSITION;
    for (const headers of [three, { ...POSITION, 'X-Env': 'Dev!' }])
      expect(await call(ada, 'GET', path('a'), undefined, headers)).toMatchObject({ status: 400 });
    expect(await call(ada, 'PUT', path('a'), { value: 'x'.repeat(64 * 1024 + 1) })).toMatchObject({
      status: 413,
      json: { code: 'vault.too_large' },
    });
    expect((await call(ada, 'PUT', path('a'), { value: 'x'.repeat(64 * 1024) })).status).toBe(201);
  });

  test('of 32 raced writers with cas exactly one wins', async () => {
    const raced = await Promise.all(
      Array.from({ length: 32 }, (_, i) => call(ada, 'PUT', path('raced'), { value: String(i), cas: 0 })),
    );
    expect(raced.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 31 }, () => 409),
    ]);
  });

  test('what was acknowledged is there after SIGKILL', async () => {
    await call(ada, 'PUT', path('kept'), { value: 'through' });
    await served.end('SIGKILL');
    served = await vault.serve();
    expect(await call(ada, 'GET', path('kept'))).toMatchObject({ json: { value: 'through' } });
  }, 30_000);
});

test.each([
  'root/rotate-plan',
  'root/rotate-execute',
  'backend/migrate',
  'signer/test',
  'policy/lint',
  'migrate-service/run',
])('POST /operator/%s is scaffolded: 501', async (verb) => {
  expect(await call(ada, 'POST', `/operator/${verb}`)).toMatchObject({
    status: 501,
    json: { code: 'vault.not_implemented' },
  });
  expect(await call(null, 'POST', `/operator/${verb}`)).toMatchObject({ status: 401 });
});

describe('rotation without downtime', () => {
  test('a new root key by configuration and SIGHUP; readers never notice, and the old key is then not needed', async () => {
    const name = path('rotated');
    await call(ada, 'PUT', name, { value: 'through rotation' }, POSITION);
    const previous = join(vault.dir, 'previous.key');
    renameSync(vault.rootFile, previous);
    vault.writeRoot(randomBytes(32));
    await served.end('SIGTERM');
    const before = readFileSync(vault.file, 'utf8');
    writeFileSync(vault.file, before.replace('./root.key }', './root.key }, previous: { file: ./previous.key }'));
    served = await vault.serve();
    expect((await call(ada, 'GET', '/seal')).json).toMatchObject({ sealed: false, term: 2 });
    // And once more, while it serves: current becomes previous, a new current is written, SIGHUP.
    const stop = new AbortController();
    const reading = (async () => {
      const seen = new Set<number>();
      while (!stop.signal.aborted) seen.add((await call(ada, 'GET', name, undefined, POSITION)).status);
      return [...seen];
    })();
    renameSync(vault.rootFile, previous);
    vault.writeRoot(randomBytes(32));
    served.signal('SIGHUP');
    await expect
      .poll(async () => (await call(ada, 'GET', '/seal')).json, { timeout: 10_000 })
      .toMatchObject({ term: 3 });
    stop.abort();
    expect(await reading).toEqual([200]);
    await served.end('SIGTERM');
    writeFileSync(vault.file, before);
    served = await vault.serve();
    expect(await call(ada, 'GET', name, undefined, POSITION)).toMatchObject({ json: { value: 'through rotation' } });
  }, 60_000);

  test('a tenant’s key: reads go on, old values stay readable', async () => {
    await call(ada, 'PUT', path('t'), { value: 'old' }, POSITION);
    expect(await call(ada, 'POST', '/tenant-key/rotate', undefined, POSITION)).toMatchObject({
      status: 200,
      json: { tenant: 'acme:shop:dev:main', term: 2 },
    });
    await call(ada, 'PUT', path('t'), { value: 'new' }, POSITION);
    expect(await call(ada, 'GET', path('t', '?version=1'), undefined, POSITION)).toMatchObject({
      json: { value: 'old' },
    });
  });
});
