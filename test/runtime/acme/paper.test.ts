/** What is signed and what comes back: by openssl and jose, which are no part of the product. */
import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint, flattenedVerify, importJWK } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { checkedChain, fallbackPair, keyPem, newKey, readPair, requestFor } from '#runtime/acme/paper.ts';
import { bindAccount, keyAuthorization, publicJwk, signRequest } from '#runtime/acme/signing.ts';

const NOW = Date.now();
const URL_OF = 'https://authority.example.org/order';

function openssl(words: readonly string[], input: string | Buffer = ''): string {
  return execFileSync('openssl', words, { input, stdio: ['pipe', 'pipe', 'ignore'] }).toString();
}

/** A certificate of a key for a name, signed by itself. */
function certified(pem: string, name: string, days = '10'): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-paper-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'key.pem');
  writeFileSync(file, pem);
  return openssl(['req', '-x509', '-key', file, '-subj', '/', '-addext', `subjectAltName=DNS:${name}`, '-days', days]);
}

test('a request asks for one DNS name, and is signed by its key', async () => {
  const text = openssl(
    ['req', '-inform', 'DER', '-noout', '-text', '-verify'],
    requestFor(await newKey(), 'app.example.org'),
  );
  expect(text).toMatch(/X509v3 Subject Alternative Name: critical\s+DNS:app\.example\.org\n/);
  expect(text).toMatch(/Subject: *\n/);
  expect(() => openssl(['req', '-inform', 'DER', '-verify', '-noout'], Buffer.from('no request'))).toThrow();
});

test('signatures, key authorizations and account bindings are those of RFC 8555, by jose', async () => {
  const key = await newKey();
  const known = await importJWK({ ...publicJwk(key) }, 'ES256');
  const first = signRequest(key, null, URL_OF, 'nonce-1', { a: 1 });
  const verified = await flattenedVerify(first, known);
  expect(verified.protectedHeader).toEqual({ alg: 'ES256', nonce: 'nonce-1', url: URL_OF, jwk: publicJwk(key) });
  expect(JSON.parse(Buffer.from(verified.payload).toString())).toEqual({ a: 1 });
  const later = await flattenedVerify(signRequest(key, 'https://authority/1', URL_OF, 'n', null), known);
  expect([later.protectedHeader?.['kid'], later.payload.length]).toEqual(['https://authority/1', 0]);
  const print = await calculateJwkThumbprint(createPublicKey(key).export({ format: 'jwk' }));
  expect(keyAuthorization(key, 'token')).toBe(`token.${print}`);
  const hmac = Buffer.alloc(32, 7);
  const bound = await flattenedVerify(bindAccount(key, { kid: 'k', hmac: hmac.toString('base64url') }, URL_OF), hmac);
  expect(bound.protectedHeader).toEqual({ alg: 'HS256', kid: 'k', url: URL_OF });
  expect(JSON.parse(Buffer.from(bound.payload).toString())).toEqual(publicJwk(key));
});

test('a chain is taken where its first certificate has the key, the name and a future; what stands beside it is dropped', async () => {
  const key = await newKey();
  const own = certified(keyPem(key), 'app.example.org');
  const other = certified(keyPem(await newKey()), 'root.example.org');
  const chain = checkedChain(`a comment\n${own}${keyPem(key)}${other}`, key, 'app.example.org', NOW);
  expect(chain).toBe(own + other);
  expect(readPair(keyPem(key) + chain).notAfterMs).toBeGreaterThan(NOW);
  const refused =
    (text: string, name = 'app.example.org', now = NOW) =>
    () =>
      checkedChain(text, key, name, now);
  expect(refused(other)).toThrow('a certificate of another key');
  expect(refused(own, 'desk.example.org')).toThrow('does not name desk.example.org');
  expect(refused(own, undefined, NOW + 11 * 24 * 60 * 60_000)).toThrow('has ended already');
  expect(refused('nothing')).toThrow('no chain of certificates');
  expect(refused(own.repeat(11))).toThrow('no chain of certificates');
  expect(refused(own.replace(/\n[A-Za-z]/, '\nAAAA'))).toThrow('cannot be read');
});

test('half a pair, and a pair of two keys, are none', async () => {
  const [key, other] = [await newKey(), await newKey()];
  const own = certified(keyPem(key), 'app.example.org');
  for (const text of [own, keyPem(key), keyPem(other) + own, '', keyPem(key) + own.slice(0, -40)])
    expect(() => readPair(text)).toThrow();
});

test('the fallback is a pair that names no host, and no authority to be trusted by accident', async () => {
  const pair = await fallbackPair(NOW);
  expect(readPair(pair).notAfterMs).toBeGreaterThan(NOW + 3000 * 24 * 60 * 60_000);
  const text = openssl(['x509', '-noout', '-text'], pair);
  expect(text).toContain('CN = skep: no certificate yet');
  expect(text).not.toContain('CA:TRUE');
  expect(text).not.toContain('Subject Alternative Name');
});
