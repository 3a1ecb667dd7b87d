import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { BodyDigest } from '#actors/host/idempotency/body-digest.ts';

/** The digest of a body that comes in pieces of these lengths. */
function digestOf(body: string, type?: string, cuts: readonly number[] = [], head = '[]'): string {
  const digest = new BodyDigest(head, type);
  const bytes = Buffer.from(body);
  let from = 0;
  for (const length of cuts) digest.update(bytes.subarray(from, (from += length)));
  digest.update(bytes.subarray(from));
  return digest.text();
}

const form = (boundary: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n${value}\r\n--${boundary}--\r\n`;
const type = (boundary: string): string => `multipart/form-data; boundary=${boundary}`;

test('however it is cut, a body has one digest', () => {
  const bodies = fc.constantFrom('', 'a', 'xyxyxz'.repeat(9), form('xyxyz', 'xyxyxyz xyxy'), 'xyxy');
  fc.assert(
    fc.property(bodies, fc.boolean(), fc.array(fc.nat(7), { maxLength: 20 }), (body, multipart, cuts) => {
      const given = multipart ? type('xyxyz') : undefined;
      expect(digestOf(body, given, cuts)).toBe(digestOf(body, given));
    }),
  );
});

test('the same form under another boundary is the same, another value, head or type of body is not', () => {
  const one = digestOf(form('b-1', 'v'), type('b-1'));
  expect(digestOf(form('----WebKit"2', 'v'), 'multipart/form-data; charset=utf-8; boundary=----WebKit"2')).not.toBe(
    one,
  );
  expect(digestOf(form('other', 'v'), type('"other"'))).toBe(one);
  expect(digestOf(form('other', 'v'), 'Multipart/Form-Data; charset=utf-8; Boundary=other')).toBe(one);
  expect(digestOf(form('other', 'w'), type('other'))).not.toBe(one);
  expect(digestOf(form('b-1', 'v'), type('b-1'), [], '["x"]')).not.toBe(one);
  expect(digestOf(form('b-1', 'v'))).not.toBe(digestOf(form('b-2', 'v')));
});
