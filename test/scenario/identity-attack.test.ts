/** Forged credentials, over HTTP to a real node: header forms, keys, tokens, grants. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, timestamp } from '#actors/kit/clock.ts';
import { mintToken } from '#actors/kit/token/mint.ts';
import { signPublic } from '#actors/kit/token/paseto.ts';
import { ringOf, type KeyRecord } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import type { TokenRing } from '#actors/kit/token-ring.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type Answer, type TestNode } from '#test/kit/test-node.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const HOUR_MS = 3_600_000;

let it: TestNode;
let port: number;
/** The node's own signing key: what an attacker never has, so that a token can be wrong in one point only. */
let ring: TokenRing;
beforeAll(async () => {
  it = await startTestNode();
  port = Number(new URL(it.gateway).port);
  const control = (await it.node.ask(CONTROL_PLANE, 'identity', 'control.read', null)) as { ring: KeyRecord[] };
  ring = ringOf(control.ring);
});
afterAll(() => it.stop());

const issue = (authorization: string): Promise<Answer> =>
  it.call('POST', '/auth/apikey', { ...it.position(), Authorization: authorization }, {});
const codeOf = ({ status, json }: Answer): [number, string] => [status, (json as { code: string }).code];

/** A request head sent as it stands; status and body of its answer, null when the door closed without one. */
async function raw(lines: readonly string[]): Promise<{ status: number; body: string } | null> {
  const wire = await Wire.open(port);
  wire.send(`POST /auth/apikey HTTP/1.1\r\nHost: attack.test\r\n${lines.join('\r\n')}\r\nContent-Length: 2\r\n\r\n{}`);
  const patience = setTimeout(() => wire.end(), 1000);
  const answer = await wire.answer('POST');
  clearTimeout(patience);
  wire.end();
  return answer === null ? null : { status: answer.status, body: answer.body.toString() };
}

const placed = (): string[] => Object.entries(it.position()).map(([name, value]) => `${name}: ${value}`);

describe('header forms', () => {
  test.each(['authorization', 'AUTHORIZATION', 'aUtHoRiZaTiOn'])('the name %s is the same header', async (name) => {
    expect((await raw([`${name}: ApiKey ${it.apiKey}`, ...placed()]))?.status).toBe(201);
  });

  test('position headers in any case, and only whole ones', async () => {
    const shouted = placed().map((line) => line.replace(/^[^:]+/, (name) => name.toUpperCase()));
    expect((await raw([`Authorization: ApiKey ${it.apiKey}`, ...shouted]))?.status).toBe(201);
  });

  test.each([
    ['a right one, then a wrong one', (key: string) => [`ApiKey ${key}`, 'ApiKey x']],
    ['a wrong one, then a right one', (key: string) => ['ApiKey x', `ApiKey ${key}`]],
    ['both in one field', (key: string) => [`ApiKey x, ApiKey ${key}`]],
    ['twice the same scheme word', (key: string) => [`ApiKey ApiKey ${key}`]],
    ['another scheme around it', (key: string) => [`Basic ApiKey ${key}`]],
  ])('two credentials are no credential: %s', async (_name, forms) => {
    const lines = forms(it.apiKey).map((form) => `Authorization: ${form}`);
    const answer = await raw([...lines, ...placed()]);
    expect([400, 401]).toContain(answer?.status);
  });

  test('a position header twice names no position that one of them names', async () => {
    const lines = [`Authorization: ApiKey ${it.apiKey}`, ...placed(), 'X-Tenant: other'];
    expect((await raw(lines))?.status).toBe(400);
  });

  test.each([8000, 15_000])('a credential of %i characters is merely wrong', async (length) => {
    expect((await raw([`Authorization: ApiKey ${'A'.repeat(length)}`, ...placed()]))?.status).toBe(401);
    expect((await raw([`Authorization: Bearer v4.public.${'A'.repeat(length)}`, ...placed()]))?.status).toBe(401);
  });

  test('one that no head can hold is refused', async () => {
    const answer = await raw([`Authorization: ApiKey ${it.apiKey}${'A'.repeat(70_000)}`, ...placed()]);
    expect([400, 413, 431]).toContain(answer?.status ?? 400);
  });

  test.each(['\0', '\x7f', '\t', 'é', '\xff', ' '])('the sign %j within a key', async (sign) => {
    const [id, secret] = it.apiKey.split('.') as [string, string];
    for (const key of [`${id}${sign}.${secret}`, `${id}.${sign}${secret}`, sign]) {
      const answer = await raw([`Authorization: ApiKey ${key}`, ...placed()]);
      // A blank before the key is a separator (RFC 9110 §11.4), any other sign is part of it or breaks the head.
      expect([400, 401], JSON.stringify(key)).toContain(answer?.status ?? 400);
    }
  });
});

describe('keys', () => {
  const variants: readonly (readonly [string, (id: string, secret: string) => string])[] = [
    ['padding', (id, secret) => `${id}.${secret}=`],
    ['the other alphabet', (id, secret) => `${id}.${secret.slice(0, -1)}+`],
    ['one character less', (id, secret) => `${id}.${secret.slice(0, -1)}`],
    ['one character more', (id, secret) => `${id}.${secret}A`],
    ['stray low bits', (id, secret) => `${id}.${secret.slice(0, -1)}${strayed(secret.at(-1)!)}`],
    ['a lower-case id', (id, secret) => `${id.toLowerCase()}.${secret}`],
    ['two dots', (id, secret) => `${id}..${secret}`],
    ['no dot', (id, secret) => `${id}${secret}`],
    ['turned round', (id, secret) => `${secret}.${id}`],
    ['percent encoding', (id, secret) => `${id}%2E${secret}`],
    ['the id alone', (id) => id],
    ['the id and a dot', (id) => `${id}.`],
    ['another id', (_, secret) => `${UNKNOWN}.${secret}`],
    ['another secret', (id) => `${id}.${'A'.repeat(43)}`],
  ];

  test.each(variants)('%s: 401 invalid_api_key', async (_name, make) => {
    const [id, secret] = it.apiKey.split('.') as [string, string];
    const answer = await issue(`ApiKey ${make(id, secret)}`);
    expect(codeOf(answer)).toEqual([401, 'invalid_api_key']);
    expect(answer.text).toBe((await issue('ApiKey x')).text);
  });

  test('the key of another tenant, and a user’s refresh token', async () => {
    const { key } = (await it.node.ask(OTHER_TENANT, 'identity', 'key.issue', { capabilities: {} })) as { key: string };
    expect(codeOf(await issue(`ApiKey ${key}`))).toEqual([401, 'invalid_api_key']);
    expect(codeOf(await issue(`ApiKey ${UNKNOWN}.1.${'A'.repeat(43)}`))).toEqual([401, 'invalid_api_key']);
  });
});

/** A base64url character that decodes to the same two bits as the last one of 43, yet is another. */
function strayed(last: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(last) ^ 1]!;
}

describe('tokens', () => {
  const claims = (changes: object = {}): Record<string, unknown> => ({
    iss: 'iam',
    sub: UNKNOWN,
    type: 'user',
    tenant: TENANT,
    roles: ['tenant_user'],
    nbf: timestamp(Date.now() - HOUR_MS),
    iat: timestamp(Date.now()),
    exp: timestamp(Date.now() + HOUR_MS),
    ...changes,
  });
  const footed = (footer: string, changes: object = {}): string =>
    signPublic(ring.signing!.key, Buffer.from(JSON.stringify(claims(changes))), Buffer.from(footer));
  const kid = (): string => ring.signing!.kid;

  test('one that is right in every point counts, so that the next ones are wrong in one', async () => {
    expect((await issue(`Bearer ${mintToken(ring, claims())}`)).status).toBe(201);
    expect((await issue(`Bearer ${footed(JSON.stringify({ kid: kid() }))}`)).status).toBe(201);
  });

  const wrong: readonly (readonly [string, () => string])[] = [
    ['exp in the past', () => mintToken(ring, claims({ exp: timestamp(Date.now() - 1) }))],
    ['no exp', () => mintToken(ring, claims({ exp: undefined }))],
    ['an exp that is no instant', () => mintToken(ring, claims({ exp: Date.now() + HOUR_MS }))],
    ['an exp without a zone', () => mintToken(ring, claims({ exp: '2999-01-01T00:00:00' }))],
    ['nbf in the future', () => mintToken(ring, claims({ nbf: timestamp(Date.now() + HOUR_MS) }))],
    ['an nbf that is no instant', () => mintToken(ring, claims({ nbf: 'soon' }))],
    ['another issuer', () => mintToken(ring, claims({ iss: 'IAM' }))],
    ['no issuer', () => mintToken(ring, claims({ iss: undefined }))],
    ['another position', () => mintToken(ring, claims({ tenant: OTHER_TENANT }))],
    ['the position in the grant’s order', () => mintToken(ring, claims({ tenant: 'acme:dev:shop:main' }))],
    ['no position', () => mintToken(ring, claims({ tenant: undefined }))],
    ['another type', () => mintToken(ring, claims({ type: 'key' }))],
    ['no type', () => mintToken(ring, claims({ type: undefined }))],
    ['a subject that is no text', () => mintToken(ring, claims({ sub: 7 }))],
    ['an act without a session', () => mintToken(ring, claims({ act: { sub: 'x' } }))],
    ['a session that there is not', () => mintToken(ring, claims({ sid: UNKNOWN }))],
    ['a service token without a grant', () => mintToken(ring, claims({ type: 'service' }))],
    [
      'a service token of another product',
      () => mintToken(ring, claims({ type: 'service', scope: ['acme:dev:x:main'] })),
    ],
    ['a grant of five segments', () => mintToken(ring, claims({ type: 'service', scope: ['acme:dev:shop:main:x'] }))],
    ['no footer', () => mintToken(ring, claims()).split('.').slice(0, 3).join('.')],
    ['an empty footer', () => `${mintToken(ring, claims()).split('.').slice(0, 3).join('.')}.`],
    ['a footer that is no JSON', () => footed('kid')],
    ['a footer without a kid', () => footed('{}')],
    ['a kid that is no text', () => footed('{"kid":7}')],
    ['an unknown kid', () => footed(`{"kid":"${kid().slice(0, -1)}${kid().endsWith('_') ? '-' : '_'}"}`)],
    ['a kid like a property', () => footed('{"kid":"__proto__"}')],
    ['a footer of 600 bytes', () => footed(JSON.stringify({ kid: kid(), pad: 'x'.repeat(600) }))],
    [
      'a changed footer',
      () => mintToken(ring, claims()).replace(/[^.]+$/, Buffer.from(`{"kid":"${kid()}" }`).toString('base64url')),
    ],
    ['a part more', () => `${mintToken(ring, claims())}.AA`],
    ['padding', () => `${mintToken(ring, claims())}=`],
    ['version 3', () => mintToken(ring, claims()).replace('v4.', 'v3.')],
    ['version 2', () => mintToken(ring, claims()).replace('v4.', 'v2.')],
    ['purpose local', () => mintToken(ring, claims()).replace('public', 'local')],
    ['an upper-case header', () => mintToken(ring, claims()).replace('v4.public', 'V4.PUBLIC')],
    ['a stranger’s key under our kid', () => mintToken({ signing: { kid: kid(), key: stranger() } }, claims())],
    ['a stranger’s key under its own kid', () => mintToken(ringOf([newSigningKey(source)]), claims())],
    [
      'a signature of another token',
      () => grafted(mintToken(ring, claims()), mintToken(ring, claims({ roles: ['x'] }))),
    ],
    ['no claims', () => footedText('[]')],
    ['claims that are no JSON', () => footedText('{')],
    ['a JSON web token', () => `${b64('{"alg":"none"}')}.${b64(JSON.stringify(claims()))}.`],
    ['an API key', () => it.apiKey],
    ['nothing', () => ' '],
  ];
  const source = { clock: systemClock, random: randomBytes };
  const stranger = () => ringOf([newSigningKey(source)]).signing!.key;
  const b64 = (text: string): string => Buffer.from(text).toString('base64url');
  const footedText = (message: string): string =>
    signPublic(ring.signing!.key, Buffer.from(message), Buffer.from(JSON.stringify({ kid: kid() })));

  /** The claims of one token with the signature of another. */
  function grafted(from: string, onto: string): string {
    const payload = (token: string): Buffer => Buffer.from(token.split('.')[2]!, 'base64url');
    const body = Buffer.concat([payload(onto).subarray(0, -64), payload(from).subarray(-64)]);
    return ['v4', 'public', body.toString('base64url'), onto.split('.')[3]].join('.');
  }

  test.each(wrong)('%s: 401, here and at data', async (name, make) => {
    const authorization = `Bearer ${make()}`;
    const answer = await issue(authorization);
    expect(answer.status).toBe(401);
    if (name !== 'nothing') expect(codeOf(answer)).toEqual([401, 'invalid_token']);
    const data = await it.call('GET', '/data/rest/item', { ...it.position(), Authorization: authorization });
    expect([data.status, data.text]).toEqual([401, 'Unauthorized']);
  });

  test('a claim is_superadmin, or a scope, gives a user nothing', async () => {
    const token = mintToken(ring, claims({ is_superadmin: true, scope: ['*:*:*:*'], roles: [] }));
    const headers = { ...it.position(), Authorization: `Bearer ${token}` };
    for (const capabilities of [{ is_superadmin: true }, { scope: ['acme:dev:shop:main'] }, { roles: ['tenant_user'] }])
      expect(codeOf(await it.call('POST', '/auth/apikey', headers, { capabilities }))).toEqual([
        403,
        'scope_exceeds_authority',
      ]);
    expect((await it.call('GET', '/data/rest/item', headers)).status).toBe(403);
  });
});

describe('grants', () => {
  const MALFORMED = [
    '',
    '*',
    ':::',
    '*:*:*',
    '*:*:*:*:*',
    'acme:dev:shop:',
    'ACME:dev:shop:main',
    'acme:dev:shop:m*',
    ' *:*:*:*',
    '*:*:*:*\n',
    'a\0:b:c:d',
    '**:*:*:*',
    `${'a'.repeat(64)}:*:*:*`,
  ];

  test.each(MALFORMED)('%j is no grant: 400, and no key', async (grant) => {
    const admin = await it.node.ask(TENANT, 'identity', 'key.issue', {
      capabilities: { is_superadmin: true, roles: ['platform_admin'] },
    });
    const headers = { ...it.position(), Authorization: `ApiKey ${(admin as { key: string }).key}` };
    const answer = await it.call('POST', '/auth/apikey', headers, { capabilities: { scope: ['*:*:*:*', grant] } });
    expect(codeOf(answer)).toEqual([400, 'bad_request']);
    expect((answer.json as { error: string }).error).toMatch(/^capabilities\.scope\.1: /);
  });

  test('a scope that would not pass as a header is refused when it is asked for', async () => {
    const scope = Array.from({ length: 400 }, (_, i) => `acme:dev:shop:tenant-${i}`);
    const headers = { ...it.position(), Authorization: `ApiKey ${it.apiKey}` };
    expect(codeOf(await it.call('POST', '/auth/apikey', headers, { capabilities: { scope } }))).toEqual([
      400,
      'bad_request',
    ]);
  });
});
