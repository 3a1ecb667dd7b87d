/** PEM blocks: a written block can be read, and a text without a block is rejected in one pass. */
import { expect, test } from 'vitest';
import { fromPem, toPem } from '#actors/vault/pki/pem.ts';
import { fc } from '#test/kit/property.ts';

test('what is written is read again, with any white space in it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.constantFrom('\n', '\r\n', ' \n\t'), (der, end) => {
      const text = toPem('CERTIFICATE', der).replaceAll('\n', end);
      expect(fromPem(text, ['CERTIFICATE'])).toEqual(Buffer.from(der));
      expect(fromPem(text, ['CERTIFICATE REQUEST'])).toBeNull();
    }),
  );
});

test('a block of white space that never ends is none', () => {
  expect(fromPem(`-----BEGIN CERTIFICATE-----${' '.repeat(400_000)}!`, ['CERTIFICATE'])).toBeNull();
});
