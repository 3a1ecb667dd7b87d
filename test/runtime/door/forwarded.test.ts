/** Chains made hop by hop, with an oracle that knows the hops and reads no text. */
import { expect, test } from 'vitest';
import { byTrustedProxy } from '#runtime/door/caller-address.ts';
import type { Visit } from '#runtime/door/port.ts';
import { fc } from '#test/kit/property.ts';

interface Hop {
  /** As the node knows it; '' where the text says none. */
  readonly ip: string;
  readonly proxy: boolean;
  readonly inList: string;
  readonly inForwarded: string;
}

const byte = fc.integer({ min: 0, max: 255 });
const group = fc.integer({ min: 1, max: 0xffff });
const port = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: null });

const four = fc.tuple(fc.boolean(), byte, byte, port).map(([proxy, a, b, at]): Hop => {
  const ip = `${proxy ? '10.20' : '192.0'}.${a}.${b}`;
  const text = at === null ? ip : `${ip}:${at}`;
  return { ip, proxy, inList: text, inForwarded: at === null ? `for=${text}` : `For="${text}"` };
});

/** No zero group, so that the shortest form is the plain one. */
const six = fc.tuple(fc.boolean(), group, group, port, fc.boolean()).map(([proxy, a, b, at, upper]): Hop => {
  const ip = `2001:db8:${proxy ? 'ffff' : 'aaaa'}:1:1:1:${a.toString(16)}:${b.toString(16)}`;
  const written = upper ? ip.toUpperCase() : ip;
  const text = at === null ? written : `[${written}]:${at}`;
  return { ip, proxy, inList: text, inForwarded: `for="${at === null ? `[${written}]` : text}"` };
});

const hidden = fc
  .constantFrom('unknown', '_hidden', '_SEVKISEK')
  .map((word): Hop => ({ ip: '', proxy: false, inList: word, inForwarded: `for=${word}` }));

const more = fc.constantFrom('', ';proto=https', ';host="a,b;c"', '; by=10.20.0.1 ');
const chains = fc.array(fc.tuple(fc.oneof(four, six, hidden), more), { minLength: 1, maxLength: 12 });

/** Follows the hops themselves, last one first. */
function oracle(hops: readonly Hop[], peer: string): string {
  let last = peer;
  for (let i = hops.length - 1; i >= 0; i--) {
    if (hops[i]!.ip === '') return last;
    if (!hops[i]!.proxy) return hops[i]!.ip;
    last = hops[i]!.ip;
  }
  return last;
}

test('the caller is the last address that is no proxy, in both headers, whatever forms the addresses have', () => {
  const callerOf = byTrustedProxy(['10.20.0.0/16', '2001:db8:ffff::/48'], 'X-Edge-Client-IP');
  const ask = (headers: Readonly<Record<string, string>>, peer: string): string =>
    callerOf({ ip: () => peer, headers: (name: string) => headers[name] ?? '' } as unknown as Visit);
  fc.assert(
    fc.property(chains, fc.constantFrom(',', ', ', ' ,\t'), (chain, comma) => {
      const hops = chain.map(([hop]) => hop);
      const list = hops.map((hop) => hop.inList).join(comma);
      const standard = chain.map(([hop, pairs]) => hop.inForwarded + pairs).join(comma);
      const expected = oracle(hops, '10.20.1.1');
      expect(ask({ 'x-forwarded-for': list }, '10.20.1.1')).toBe(expected);
      expect(ask({ forwarded: standard }, '10.20.1.1')).toBe(expected);
      expect(ask({ 'x-forwarded-for': list, forwarded: standard }, '10.20.1.1')).toBe(expected);
      expect(ask({ 'x-forwarded-for': list, forwarded: standard }, '198.51.100.7')).toBe('198.51.100.7');
    }),
    { numRuns: 2000 },
  );
});

test('whatever a caller writes to the left of what the proxies wrote: it is never taken for an address', () => {
  const callerOf = byTrustedProxy(['10.20.0.0/16'], 'X-Edge-Client-IP');
  const junk = fc.string({ unit: fc.constantFrom('6', '.', ':', '[', ']', '"', '\\', ',', ';', '=', 'f', 'o', 'r', ' ', '_'), maxLength: 40 }); // prettier-ignore
  fc.assert(
    fc.property(junk, fc.constantFrom('x-forwarded-for', 'forwarded'), (text, header) => {
      const truth = header === 'forwarded' ? 'for="198.51.100.1:7"' : '198.51.100.1';
      const ip = callerOf({
        ip: () => '10.20.1.1',
        headers: (name: string) => (name === header ? `${text}, ${truth}` : ''),
      } as unknown as Visit);
      expect(['198.51.100.1', '10.20.1.1']).toContain(ip);
      if (header === 'x-forwarded-for') expect(ip).toBe('198.51.100.1');
    }),
    { numRuns: 5000 },
  );
});
