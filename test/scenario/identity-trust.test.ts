/** Trust by configuration: `jwks.issuers.iam` as this node, no issuer, another node, and an issuer that rotates, dies or answers nonsense. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#actors/kit/clock.ts';
import { mintServiceToken } from '#actors/kit/token/mint.ts';
import { rawPublicKey } from '#actors/kit/token/paserk.ts';
import { ringOf, type KeyRecord } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { limits } from '#config/limits.ts';
import { fetchJwks, jwksUrl } from '#runtime/fetch-jwks.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { exchange, startTestNode, type TestNode } from '#test/kit/test-node.ts';

const NEVER = new AbortController().signal;
const SCOPE = ['acme:dev:shop:main'];
const newKey = (): KeyRecord => newSigningKey({ clock: systemClock, random: randomBytes });

function jwksOf(records: readonly KeyRecord[]): string {
  const keys = [...ringOf(records).own.values()].map(({ kid, key }) => {
    const x = rawPublicKey(key).toString('base64url');
    return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
  });
  return JSON.stringify({ keys });
}

function tokenOf(record: KeyRecord): string {
  const wish = { keyId: 'K', tenant: TENANT, scope: SCOPE, audience: null, lifetimeSeconds: 900 };
  return mintServiceToken(ringOf([record]), systemClock.now(), wish);
}

const read = async (node: TestNode, token: string): Promise<number> =>
  (await node.call('GET', '/data/rest/item', { ...node.position(), Authorization: `Bearer ${token}` })).status;

/** An issuer of one page, which a test changes at will. */
class Issuer {
  status = 200;
  body = '{"keys":[]}';
  asked = 0;
  readonly #server: Server = createServer((_request, response) => {
    this.asked++;
    response.writeHead(this.status, this.status === 302 ? { Location: '/elsewhere' } : {});
    response.end(this.body);
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('another node', () => {
  test('its tokens count here once it is named, and those of no other', async () => {
    const far = mkdtempSync(join(tmpdir(), 'skep-far-'));
    const issuing = await startTestNode({ dir: far });
    await issuing.stop();
    const other = await startProcess(writePlatformFile(far));
    const here = await startTestNode({ issuer: other.listeners['identity']! });
    // Issued since the tenant is here: a token of before would be one of an earlier tenant of its key.
    const token = await exchange(other.listeners['gateway']!, issuing.serviceKey);
    try {
      expect(await read(here, token)).toBe(200);
      // This node's own service tokens are its identity's to take, not data's: the file trusts the other node.
      const own = (await here.service())['Authorization']!;
      expect(await read(here, own.slice('Bearer '.length))).toBe(401);
      const keyless = { ...here.position(), Authorization: own };
      expect((await here.call('DELETE', '/auth/apikey/x', keyless)).status).toBe(200);
      expect(
        (await here.call('DELETE', '/auth/apikey/x', { ...keyless, Authorization: `Bearer ${token}` })).status,
      ).toBe(200);
      const shown = (await here.call('GET', '/.well-known/jwks.json')).json as { keys: object[] };
      expect(shown.keys).toHaveLength(1);
    } finally {
      await here.stop();
      await other.end('SIGTERM');
      rmSync(far, { recursive: true, force: true });
    }
  });

  test('without an entry data answers 401, and identity takes its own', async () => {
    const here = await startTestNode({ issuer: null });
    const own = (await here.service())['Authorization']!;
    expect(await read(here, own.slice('Bearer '.length))).toBe(401);
    const headers = { ...here.position(), Authorization: own };
    expect((await here.call('DELETE', '/auth/apikey/x', headers)).status).toBe(200);
    await here.stop();
  });
});

describe('an issuer', () => {
  const issuer = new Issuer();
  let here: TestNode;
  let url: string;
  const first = newKey();
  beforeAll(async () => {
    url = await issuer.open();
    issuer.body = jwksOf([first]);
    here = await startTestNode({ issuer: url, hosts: 2 });
  });
  afterAll(async () => {
    await here.stop();
    await issuer.close();
  });

  test('that rotates: a token with the new key has the keys fetched, then it counts on every host', async () => {
    expect(await read(here, tokenOf(first))).toBe(200);
    const second = newKey();
    issuer.body = jwksOf([second, first]);
    const asked = issuer.asked;
    expect(await read(here, tokenOf(second))).toBe(401);
    await expect.poll(() => read(here, tokenOf(second)), { timeout: 10_000, interval: 5 }).toBe(200);
    expect(await read(here, tokenOf(first))).toBe(200);
    const strangers = Array.from({ length: 20 }, () => read(here, tokenOf(newKey())));
    expect(new Set(await Promise.all(strangers))).toEqual(new Set([401]));
    expect(issuer.asked).toBe(asked + 1);
  });

  test('whose keys a new host gets, too', async () => {
    for (const no of [0, 1]) await here.node.drill.killHost(no);
    await expect.poll(() => read(here, tokenOf(first)), { timeout: 10_000, interval: 5 }).toBe(200);
  });

  test.each([
    ['an error', 500, '{"keys":[]}'],
    ['a redirect', 302, ''],
    ['no JSON', 200, '<html>'],
    ['no JWKS', 200, '{}'],
    ['too much', 200, ' '.repeat(limits.jwks.bodyBytesMax + 1)],
  ])('that answers with %s gives no keys', async (_what, status, body) => {
    issuer.status = status;
    issuer.body = body;
    await expect(fetchJwks(jwksUrl(url), NEVER)).rejects.toThrow();
  });

  test('that is away lets a node start, which trusts no issuer yet', async () => {
    const dead = new Issuer();
    const address = await dead.open();
    await dead.close();
    const alone = await startTestNode({ issuer: address });
    expect(await read(alone, tokenOf(first))).toBe(401);
    expect((await alone.call('GET', '/.well-known/jwks.json')).status).toBe(200);
    await alone.stop();
  });
});

test('the keys lie under the usual path of a bare origin, else where the URL says', () => {
  expect(jwksUrl('https://id.example').href).toBe('https://id.example/.well-known/jwks.json');
  expect(jwksUrl('https://id.example/').href).toBe('https://id.example/.well-known/jwks.json');
  expect(jwksUrl('https://id.example/keys').href).toBe('https://id.example/keys');
  expect(jwksUrl('https://id.example/?keys').href).toBe('https://id.example/?keys');
});
