/** Tokens and the keys that others publish. Claims are signed anew after each change, so that they are read behind the signature. */
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must, unless } from './must.ts';

const POSITION = 'acme:shop:dev:main';
const CLAIMS = {
  iss: 'iam',
  sub: 'u1',
  type: 'user',
  tenant: POSITION,
  roles: ['editor'],
  iat: '2026-01-01T00:00:00Z',
  nbf: '2026-01-01T00:00:00Z',
  exp: '2999-01-01T00:00:00Z',
};
const MEMBERS = [
  'user',
  'service',
  'superadmin',
  '*:*:*:*',
  POSITION,
  'sid',
  'act',
  'aud',
  'scope',
  'roles',
  'tenant',
  'exp',
  'nbf',
];
const TIMES = ['2999-01-01T00:00:00+99:99', '0000-00-00', '1e999', '2026-01-01T00:00:00.000000000000Z'];
const DAY = Date.parse('2026-11-27T00:00:00Z');

/** A signing key of identity, from the same bytes on each run. */
async function identityKey() {
  const { SimulatedClock } = await import('#test/kit/simulated-clock.ts');
  const { newSigningKey } = await import('#actors/kit/token/signing-key.ts');
  const { ringOf } = await import('#actors/kit/token/ring.ts');
  const clock = new SimulatedClock(DAY);
  const record = newSigningKey({ clock, random: (bytes) => Buffer.alloc(bytes, 7) });
  return { clock, kid: record.kid, ring: ringOf([record]) };
}

export async function tokenTarget(): Promise<Target> {
  const { signPublic, splitPublic } = await import('#actors/kit/token/paseto.ts');
  const { verifyToken } = await import('#actors/kit/token/verify.ts');
  const { kid, ring, clock } = await identityKey();
  const text = signPublic(ring.signing!.key, Buffer.from(JSON.stringify(CLAIMS)), Buffer.from(JSON.stringify({ kid })));
  return {
    name: 'token',
    form: 'bytes',
    covers: ['/actors/kit/token/'],
    seeds: [text, signPublic(ring.signing!.key, Buffer.from('{}'), Buffer.alloc(0))],
    words: ['v4.public.', '.', 'v4.local.', '=', '-', '_', 'AAAA', '\0'],
    bytesMax: 8192,
    stepsMax: linear(400, 2),
    run: (input) => {
      const token = input.toString('latin1');
      const parts = splitPublic(token);
      if (verifyToken(token, ring, clock.now()) !== null) must(token === text, 'another token is taken');
      if (parts !== null) must(parts.signature.length === 64, 'a signature of another length');
    },
  };
}

/** The claims and the footer of a token, as JSON: what is signed is taken or refused, and takes no rights from what is not text. */
export async function claimsTarget(): Promise<Target> {
  const { signPublic } = await import('#actors/kit/token/paseto.ts');
  const { BearerCheck } = await import('#actors/kit/bearer.ts');
  const { parsePosition } = await import('#actors/protocol/position.ts');
  const { kid, ring, clock } = await identityKey();
  const check = new BearerCheck({ clock, ring, checksAudience: true }, 'data');
  const position = parsePosition(POSITION)!;
  const sessions = { since: 0, managed: false, lives: () => true, newest: 0 };
  const write = (claims: object, footer: object = { kid }): string => JSON.stringify({ claims, footer });
  return {
    name: 'claims',
    form: 'json',
    covers: ['/actors/kit/', '/config/values/instant.ts', '/actors/protocol/position.ts'],
    seeds: [
      write(CLAIMS),
      write({ ...CLAIMS, sid: 's1', aud: ['data', 'identity'], act: { sub: 'operator' } }),
      write({ ...CLAIMS, type: 'service', roles: undefined, scope: ['acme:shop:dev:main', '*:shop:*:*'] }),
    ],
    words: [...MEMBERS, ...TIMES, kid],
    bytesMax: 8192,
    stepsMax: linear(3000, 30),
    run: (input) => {
      const cut = input.lastIndexOf(',"footer":');
      const message = cut < 0 ? input : input.subarray('{"claims":'.length, cut);
      const footer = cut < 0 ? Buffer.from(JSON.stringify({ kid })) : input.subarray(cut + ',"footer":'.length, -1);
      const bearer = `Bearer ${signPublic(ring.signing!.key, message, footer)}`;
      for (const principal of [check.verify(bearer), check.check(bearer, position, sessions)]) {
        if (principal === null) continue;
        must(typeof principal.subject === 'string', 'a subject that is no text');
        must(
          principal.roles.every((role) => typeof role === 'string'),
          'a role that is no text',
        );
      }
    },
  };
}

export async function jwksTarget(): Promise<Target> {
  const { readJwks } = await import('#actors/kit/token/read-jwks.ts');
  const { kid, ring } = await identityKey();
  const { x } = createPublicKey(ring.signing!.key).export({ format: 'jwk' });
  const key = { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
  const isDeclared = (error: unknown): boolean =>
    error instanceof SyntaxError || (error instanceof Error && error.message.startsWith('is no JWKS'));
  return {
    name: 'jwks',
    form: 'json',
    covers: ['/actors/kit/token/'],
    seeds: [
      JSON.stringify({ keys: [key] }),
      JSON.stringify({ keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }, key, key] }),
    ],
    words: ['OKP', 'Ed25519', 'kid', 'keys', 'x', 'use', 'sig', 'EdDSA', x!],
    bytesMax: 32_768,
    stepsMax: linear(2000, 20),
    run: (input) => {
      for (const record of unless(isDeclared, () => readJwks(input.toString())) ?? [])
        must(record.kid === kid && record.x === x, `a key ${record.kid}`);
    },
  };
}

const JWT = {
  iss: 'spiffe://hive',
  sub: 'spiffe://hive/ns/a',
  aud: ['x'],
  iat: DAY / 1000,
  exp: DAY / 1000 + 600,
  jti: 'j',
};

/** The head and the claims of a JWT of the vault, signed anew. */
export async function jwtTarget(): Promise<Target> {
  const { kidOf, verifyJwt } = await import('#actors/vault/pki/jwt.ts');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyOf = (kid: string): KeyObject | undefined => (kid === 'k1' ? publicKey : undefined);
  const seal = (head: string, claims: string): string => {
    const body = `${Buffer.from(head).toString('base64url')}.${Buffer.from(claims).toString('base64url')}`;
    const signature = sign('sha256', Buffer.from(body), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${body}.${signature.toString('base64url')}`;
  };
  return {
    name: 'jwt',
    form: 'json',
    covers: ['/actors/vault/pki/jwt.ts'],
    seeds: [
      JSON.stringify([{ alg: 'ES256', kid: 'k1', typ: 'JWT' }, JWT]),
      JSON.stringify([
        { alg: 'ES256', kid: 'k2' },
        { ...JWT, aud: 'x', nbf: 1 },
      ]),
    ],
    words: ['ES256', 'none', 'HS256', 'k1', 'crit', 'aud', 'exp', 'nbf', 'sub'],
    bytesMax: 8192,
    stepsMax: linear(400, 2),
    run: (input) => {
      const text = input.toString();
      const cut = text.indexOf(',{', 2);
      const token = cut < 0 ? text : seal(text.slice(1, cut), text.slice(cut + 1, -1));
      const read = verifyJwt(keyOf, token, { audience: 'x', nowMs: DAY });
      must(typeof read === 'string' || typeof read.sub === 'string', 'claims without a subject');
      void kidOf(token);
      void verifyJwt(keyOf, text, { nowMs: DAY });
    },
  };
}
