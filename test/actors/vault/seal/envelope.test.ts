/** Envelopes. Source: docs/contract/vault.md §5.1; NIST SP 800-38D. */
import { createDecipheriv, randomBytes } from 'node:crypto';
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { EnvelopeBroken, closeEnvelope, openEnvelope, termOf } from '#actors/vault/seal/envelope.ts';

const key = Buffer.alloc(32, 7);
const place = { tenant: 'acme:shop:dev:main', name: 'db/password', version: 3 };
const nonce = Buffer.from('000102030405060708090a0b', 'hex');

test('the layout is term, version, nonce, ciphertext, tag, and the associated data names the place', () => {
  const envelope = closeEnvelope(key, 0x01020304, place, nonce, Buffer.from('hunter2'));
  expect(envelope.subarray(0, 5).toString('hex')).toBe('0102030401');
  expect(envelope.subarray(5, 17)).toEqual(nonce);
  expect(envelope.length).toBe(4 + 1 + 12 + 7 + 16);
  // Opened by hand, with nothing of ours.
  const decipher = createDecipheriv('aes-256-gcm', key, envelope.subarray(5, 17));
  decipher.setAAD(Buffer.from('acme:shop:dev:main\0db/password\u00003'));
  decipher.setAuthTag(envelope.subarray(-16));
  expect(Buffer.concat([decipher.update(envelope.subarray(17, -16)), decipher.final()]).toString()).toBe('hunter2');
});

test('every value comes back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(0xffffffff), (bytes, term) => {
      const envelope = closeEnvelope(key, term, place, randomBytes(12), bytes);
      expect(termOf(envelope)).toBe(term);
      expect(openEnvelope(key, place, envelope).equals(bytes)).toBe(true);
    }),
  );
});

test('every bit flipped behind the term is refused, every cut too', () => {
  const envelope = closeEnvelope(key, 1, place, nonce, Buffer.from('hunter2'));
  for (let bit = 4 * 8; bit < envelope.length * 8; bit++) {
    const flipped = Buffer.from(envelope);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    expect(() => openEnvelope(key, place, flipped)).toThrow(EnvelopeBroken);
  }
  for (let bytes = 0; bytes < envelope.length; bytes++)
    expect(() => openEnvelope(key, place, envelope.subarray(0, bytes))).toThrow(EnvelopeBroken);
});

test.each([
  ['tenant', { ...place, tenant: 'acme:shop:dev:other' }],
  ['name', { ...place, name: 'db/passwore' }],
  ['version', { ...place, version: 4 }],
])('an envelope of another %s is refused', (_what, other) => {
  const envelope = closeEnvelope(key, 1, place, nonce, Buffer.from('x'));
  expect(() => openEnvelope(key, other, envelope)).toThrow(EnvelopeBroken);
  expect(() => openEnvelope(Buffer.alloc(32, 8), place, envelope)).toThrow(EnvelopeBroken);
});
