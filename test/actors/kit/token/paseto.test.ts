import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as noble from '@noble/ed25519';
import { fc } from '#test/kit/property.ts';
import { PublicProtocol } from 'paseto';
import { PublicKeyFromCryptoKey, VerifyFactory } from 'paseto/v4/public';
import { describe, expect, test } from 'vitest';
import { preAuthEncode, signPublic, splitPublic, verifyPublic } from '#actors/kit/token/paseto.ts';
import { rawPublicKey } from '#actors/kit/token/paserk.ts';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const PKCS8_HEAD = '302e020100300506032b657004220420';
const secretOf = (seedHex: string) =>
  createPrivateKey({ key: Buffer.from(PKCS8_HEAD + seedHex, 'hex'), format: 'der', type: 'pkcs8' });

const SEED = 'b4cbfb43df4ce210727d953e4a713307fa19bb7d9f85041438d9e11b942a3774';
const SIGNED = '{"data":"this is a signed message","exp":"2022-01-01T00:00:00+00:00"}';
const FOOTER = '{"kid":"zVhMiPBP9fRf2snEcT7gFTioeA9COcNy9DfgL1W60haN"}';
const PAYLOAD_PART = 'eyJkYXRhIjoidGhpcyBpcyBhIHNpZ25lZCBtZXNzYWdlIiwiZXhwIjoiMjAyMi0wMS0wMVQwMDowMDowMCswMDowMCJ9';
const FOOTER_PART = 'eyJraWQiOiJ6VmhNaVBCUDlmUmYyc25FY1Q3Z0ZUaW9lQTlDT2NOeTlEZmdMMVc2MGhhTiJ9';

interface Vector {
  readonly name: string;
  readonly token: string;
  readonly payload: string | null;
  readonly footer: string;
  readonly 'implicit-assertion': string;
  readonly 'expect-fail': boolean;
  readonly 'secret-key-seed'?: string;
}

const vector = (name: string, signature: string, footer: string, implicit: string): Vector => ({
  name,
  token: `v4.public.${PAYLOAD_PART}${signature}${footer === '' ? '' : `.${FOOTER_PART}`}`,
  payload: SIGNED,
  footer,
  'implicit-assertion': implicit,
  'expect-fail': false,
  'secret-key-seed': SEED,
});

/** The signing vectors that the PASETO specification prints, and its one failing v4.public token. */
const PRINTED: readonly Vector[] = [
  vector('4-S-1', 'bg_XBBzds8lTZShVlwwKSgeKpLT3yukTw6JUz3W4h_ExsQV-P0V54zemZDcAxFaSeef1QlXEFtkqxT1ciiQEDA', '', ''),
  vector('4-S-2', 'v3Jt8mx_TdM2ceTGoqwrh4yDFn0XsHvvV_D0DtwQxVrJEBMl0F2caAdgnpKlt4p7xBnx1HcO-SPo8FPp214HDw', FOOTER, ''),
  vector(
    '4-S-3',
    'NPWciuD3d0o5eXJXG5pJy-DiVEoyPYWs1YSTwWHNJq6DZD3je5gf-0M4JR9ipdUSJbIovzmBECeaWmaqcaP0DQ',
    FOOTER,
    '{"test-vector":"4-S-3"}',
  ),
  {
    name: '4-F-2',
    token: `v4.public.eyJpbnZhbGlkIjoidGhpcyBzaG91bGQgbmV2ZXIgZGVjb2RlIn22Sp4gjCaUw0c7EH84ZSm_jN_Qr41MrgLNu5LIBCzUr1pn3Z-Wukg9h3ceplWigpoHaTLcwxj0NsI1vjTh67YB.${FOOTER_PART}`,
    payload: null,
    footer: FOOTER,
    'implicit-assertion': '{"test-vector":"4-F-2"}',
    'expect-fail': true,
    'secret-key-seed': SEED,
  },
];

/** All the vectors of a checkout of paseto-standard/test-vectors, when SKEP_VECTORS names the folder. */
function checkedOut(): readonly Vector[] {
  const file = join(process.env['SKEP_VECTORS'] ?? '', 'v4.json');
  if (process.env['SKEP_VECTORS'] === undefined || !existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { tests: Vector[] }).tests.filter(
    ({ token, 'expect-fail': fails }) => token.startsWith('v4.public.') || fails,
  );
}

const second = new PublicProtocol(VerifyFactory);

/** The npm package's opinion of a token; its time is set before the vectors' `exp`. */
async function secondOpinion(key: KeyObject, token: string, implicit: Uint8Array): Promise<boolean> {
  const cryptoKey = key.toCryptoKey({ name: 'Ed25519' }, true, ['verify']);
  const publicKey = await PublicKeyFromCryptoKey(cryptoKey);
  const now = new Date('2021-06-01T00:00:00Z');
  return second.Verify(publicKey, token, { implicitAssertion: implicit, now }).then(
    () => true,
    () => false,
  );
}

/** Signature checked by the readable curve implementation over our encoding. */
async function thirdOpinion(key: KeyObject, token: string, implicit: Uint8Array): Promise<boolean> {
  const parts = splitPublic(token);
  if (parts === null) return false;
  const signed = preAuthEncode([utf8('v4.public.'), parts.message, parts.footer, implicit]);
  return noble.verifyAsync(parts.signature, signed, rawPublicKey(key));
}

function firstOpinion(key: KeyObject, token: string, implicit: Uint8Array): boolean {
  const parts = splitPublic(token);
  return parts !== null && verifyPublic(key, parts, implicit);
}

describe('vectors of the PASETO specification', () => {
  for (const each of [...PRINTED, ...checkedOut()]) {
    const secret = secretOf(each['secret-key-seed'] ?? SEED);
    const key = createPublicKey(secret);
    const implicit = utf8(each['implicit-assertion']);

    test(`${each.name}: three implementations agree`, async () => {
      const expected = !each['expect-fail'];
      expect(firstOpinion(key, each.token, implicit)).toBe(expected);
      expect(await secondOpinion(key, each.token, implicit)).toBe(expected);
      expect(await thirdOpinion(key, each.token, implicit)).toBe(expected);
    });

    if (each.payload === null) continue;
    const payload = each.payload;
    test(`${each.name}: signing gives this very token, and its parts come back`, () => {
      expect(signPublic(secret, utf8(payload), utf8(each.footer), implicit)).toBe(each.token);
      const parts = splitPublic(each.token)!;
      expect(parts.message.toString()).toBe(payload);
      expect(parts.footer.toString()).toBe(each.footer);
    });
  }
});

describe('pre-authentication encoding (the examples of PASETO, Common)', () => {
  test.each([
    [[], '0000000000000000'],
    [[''], '01000000000000000000000000000000'],
    [['test'], '0100000000000000040000000000000074657374'],
  ])('%j', (pieces, hex) => {
    expect(preAuthEncode(pieces.map(utf8)).toString('hex')).toBe(hex);
  });
});

/** RFC 8032 §7.1: seed, public key, message, signature. */
const RFC_8032 = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

describe('RFC 8032 §7.1 on node:crypto and on @noble/ed25519', () => {
  test.each(RFC_8032)('seed %s', async (seed, publicHex, messageHex, signatureHex) => {
    const secret = secretOf(seed);
    const message = Buffer.from(messageHex, 'hex');
    const signature = Buffer.from(signatureHex, 'hex');
    expect(rawPublicKey(secret).toString('hex')).toBe(publicHex);
    expect(sign(null, message, secret).toString('hex')).toBe(signatureHex);
    expect(verify(null, message, createPublicKey(secret), signature)).toBe(true);
    expect(Buffer.from(await noble.signAsync(message, Buffer.from(seed, 'hex'))).toString('hex')).toBe(signatureHex);
    expect(await noble.verifyAsync(signature, message, Buffer.from(publicHex, 'hex'))).toBe(true);
  });
});

describe('a token is one string', () => {
  const secret = secretOf(SEED);
  const key = createPublicKey(secret);

  test('every other character in any place is refused', () => {
    const token = signPublic(secret, utf8(SIGNED), utf8(FOOTER));
    for (let at = 0; at < token.length; at++) {
      const changed = token[at] === 'A' ? 'B' : 'A';
      expect(firstOpinion(key, token.slice(0, at) + changed + token.slice(at + 1), utf8(''))).toBe(false);
    }
  });

  test('every flipped bit of message, signature and footer is refused', () => {
    const parts = splitPublic(signPublic(secret, utf8('{}'), utf8('{"kid":"x"}')))!;
    for (const part of [parts.message, parts.signature, parts.footer]) {
      for (let bit = 0; bit < part.length * 8; bit++) {
        part[bit >> 3]! ^= 1 << (bit & 7);
        expect(verifyPublic(key, parts)).toBe(false);
        part[bit >> 3]! ^= 1 << (bit & 7);
      }
    }
    expect(verifyPublic(key, parts)).toBe(true);
  });

  test('padding, other alphabets, extra parts and empty footers are refused', () => {
    const token = signPublic(secret, utf8(SIGNED), utf8(''));
    expect(splitPublic(token)).not.toBeNull();
    for (const other of [
      `${token}=`,
      `${token}.`,
      `${token}.a.b`,
      ` ${token}`,
      token.replaceAll('_', '/'),
      'v4.public.',
    ])
      expect(splitPublic(other)).toBeNull();
  });

  test('what is signed is read back, whatever the bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, bytes, (message, footer) => {
        const parts = splitPublic(signPublic(secret, message, footer))!;
        expect(Buffer.compare(parts.message, message)).toBe(0);
        expect(Buffer.compare(parts.footer, footer)).toBe(0);
        expect(verifyPublic(key, parts)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
