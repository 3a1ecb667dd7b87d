/** What a request carries to another node comes out as it went in, and nothing else is taken for it. */
import { expect, test } from 'vitest';
import type { Arrival } from '#runtime/door/arrival.ts';
import { METHODS } from '#actors/protocol/method.ts';
import { carriedLines, readCarried, verbIn } from '#runtime/link/carried.ts';
import { fc } from '#test/kit/property.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', ':', '1', '-', '.'), minLength: 1, maxLength: 8 });

test('position, caller and trace come back, and the headers behind them are as they were', () => {
  const one = fc.record({
    ip: fc.constantFrom('', '198.51.100.1', '2001:db8::1'),
    key: fc.option(word),
    traceparent: fc.option(word),
    tracestate: fc.option(word),
    rest: fc.constantFrom('', ':ip:1.2.3.4\n', 'x-api-key:k\n', ':\n', ':at:x\n'),
  });
  fc.assert(
    fc.property(one, ({ ip, key, traceparent, tracestate, rest }) => {
      const headers: Readonly<Record<string, string | null>> = { traceparent, tracestate };
      const arrival = {
        tenant: key === null ? undefined : { position: { key } },
        method: 0,
        callerIp: () => ip,
        visit: { header: (name: string) => headers[name] ?? '' },
      };
      const read = readCarried(carriedLines(arrival as unknown as Arrival) + rest)!;
      expect(read).toMatchObject({ position: key ?? '', caller: ip, rest });
      expect(['traceparent', 'tracestate'].map((name) => read.trace.get(name) ?? null)).toEqual([
        traceparent,
        tracestate,
      ]);
    }),
  );
});

test('a verb that no row declares goes by its name, and no other does', () => {
  const verbOf = (method: number, verb: string): string => {
    const visit = { method: verb, header: () => '' };
    const arrival = { tenant: undefined, method, callerIp: () => '', visit } as unknown as Arrival;
    return verbIn(readCarried(`${carriedLines(arrival)}x-api-key:k\n`)!);
  };
  expect([verbOf(METHODS.length, 'HEAD'), verbOf(METHODS.length, 'PURGE'), verbOf(0, 'HEAD')]).toEqual([
    'HEAD',
    'PURGE',
    '',
  ]);
});

test.each([
  '',
  ':\n',
  'x-api-key:k\n',
  ':from:1.2.3.4',
  ':from:1.2.3.4\n',
  ':from:1\n:at:a:b:c:d\n',
  ':at:x\n:\n',
  ':from:1\nother:1\n:\n',
])('%j is none of it', (text) => expect(readCarried(text)).toBe(null));
