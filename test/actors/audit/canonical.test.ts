/** Canonical JSON. The cases are those of RFC 8785: §3.2.3 (order of members) and appendix B (numbers). */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#actors/audit/canonical.ts';
import { encodeRecord } from '#actors/audit/record.ts';

describe('RFC 8785', () => {
  test('§3.2.2: literals, strings and numbers', () => {
    const input = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
      "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`;
    const output = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
    expect(canonicalJson(JSON.parse(input))).toBe(output);
  });

  test('§3.2.3: members are sorted by UTF-16 code units', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    const value = Object.fromEntries(names.map((name) => [name, name]));
    const sorted = Object.keys(JSON.parse(canonicalJson(value)) as object);
    // JSON.parse keeps the order, but for names that are array indexes.
    expect(sorted.filter((name) => name !== '1')).toEqual(['\r', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']);
    expect(canonicalJson(value).indexOf('"1"')).toBeLessThan(canonicalJson(value).indexOf('"\u0080"'));
  });

  // The bits of the double in hex, and its text.
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('appendix B: %s is %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('appendix B: %s is an error', (value) => {
    expect(() => canonicalJson({ value })).toThrow(TypeError);
  });
});

test('every value comes back, and its text is the same whatever the order it was made in', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(canonicalJson(reversed(value))).toBe(text);
    }),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, item]) => [name, reversed(item)]),
  );
}

test('a record is the canonical text of its members, without a sort', () => {
  const told = { event_ts: fc.string(), told_by: fc.string(), subject: fc.string(), session: fc.string() };
  const always = {
    ts: fc.string(),
    source: fc.string(),
    source_seq: fc.nat(),
    actor: fc.string(),
    action: fc.string(),
    target: fc.string(),
    outcome: fc.string(),
    request_id: fc.string(),
    data: fc.dictionary(fc.string(), fc.jsonValue()),
  };
  const event = fc.oneof(fc.record(always), fc.record({ ...always, ...told }));
  const place = fc.record({
    id: fc.string(),
    seq: fc.nat(),
    tenant: fc.string(),
    personal: fc.option(fc.string()),
  });
  fc.assert(
    fc.property(event, place, (some, at) => {
      const { entry, blob } = encodeRecord(some, at);
      expect(blob).toBeNull();
      expect(entry.toString()).toBe(canonicalJson({ ...some, ...placeMembers(at), v: 1 }));
    }),
  );
  const large = { ...fc.sample(event, 1)[0]!, data: { text: 'x'.repeat(70_000) } };
  const { entry, blob } = encodeRecord(large, { id: 'i', seq: 1, tenant: '', personal: null });
  expect(entry.toString()).toBe(
    canonicalJson({ ...large, data: undefined, data_sha256: blob!.sha256, id: 'i', seq: 1, tenant: '', v: 1 }),
  );
});

/** What a place adds to a record's members. */
function placeMembers({ personal, ...place }: { readonly personal: string | null }): object {
  return personal === null ? place : { ...place, personal_sha256: personal };
}
