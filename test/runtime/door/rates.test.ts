import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { Platform, Rate } from '#config/platform.ts';
import { Rates } from '#runtime/door/rates.ts';

function ratesOf(profiles: Readonly<Record<string, Rate | 'off'>> = {}, ipv6 = 128): Rates {
  const ratelimit = { per_ip: 0.01, per_ip_burst: 2, global: 0.01, global_burst: 3, ip_ttl: '10m', max_ips: 100 };
  return new Rates({ rates: { ipv6_prefix: ipv6, profiles }, intake: { ratelimit } } as unknown as Platform);
}

test('a profile of the contract: its burst, then a refusal with profile and seconds', () => {
  const rates = ratesOf();
  const { burst } = limits.rates.auth_apikey;
  for (let i = 0; i < burst; i++) expect(rates.take('auth_apikey', 2, '198.51.100.1')).toBeNull();
  const refused = rates.take('auth_apikey', 2, '198.51.100.1')!;
  expect(refused).toMatchObject({ status: 429, family: 'rate' });
  expect(refused.details).toMatchObject({ profile: 'auth_apikey' });
  expect(rates.take('auth_apikey', 3, '198.51.100.1')).toBeNull();
  expect(rates.take('auth_apikey', 2, '198.51.100.2')).toBeNull();
});

test('off, changed and added profiles; an undeclared one has no limiter', () => {
  const rates = ratesOf({
    auth_apikey: 'off',
    auth_token: { burst: 1, per_second: 0.01 },
    mine: { burst: 1, per_second: 1 },
  });
  for (let i = 0; i < 100; i++) {
    expect(rates.take('auth_apikey', 2, '198.51.100.1')).toBeNull();
    expect(rates.take('undeclared', 2, '198.51.100.1')).toBeNull();
  }
  expect(rates.take('auth_token', 2, '198.51.100.1')).toBeNull();
  expect(rates.take('auth_token', 2, '198.51.100.1')).not.toBeNull();
  expect(rates.take('mine', 2, '198.51.100.1')).toBeNull();
});

test("intake: 429 for a caller, 503 past the ceiling of all; a refused caller takes nothing from the others' share", () => {
  const rates = ratesOf();
  const take = (ip: string): number | undefined => rates.take('intake_ip', 0, ip)?.status;
  expect([take('198.51.100.1'), take('198.51.100.1'), take('198.51.100.1')]).toEqual([undefined, undefined, 429]);
  expect(take('198.51.100.1')).toBe(429);
  expect([take('198.51.100.2'), take('198.51.100.2')]).toEqual([undefined, 503]);
  const refused = rates.take('intake_ip', 0, '198.51.100.3')!;
  expect(refused.code).toBe('intake.shedding');
  expect(Number(refused.headers!['Retry-After'])).toBeGreaterThan(0);
});

test('intake: a caller without an address, and the one after the last that the table holds, share the one bucket', () => {
  const few = { per_ip: 0.001, per_ip_burst: 2, global: 1_000_000, global_burst: 1_000_000, ip_ttl: '10m', max_ips: 3 };
  const rates = new Rates({
    rates: { ipv6_prefix: 128, profiles: {} },
    intake: { ratelimit: few },
  } as unknown as Platform);
  const take = (ip: string): number | undefined => rates.take('intake_ip', 0, ip)?.status;
  for (const ip of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) expect(take(ip)).toBeUndefined();
  expect([take('198.51.100.4'), take('')]).toEqual([undefined, undefined]);
  expect([take('198.51.100.5'), take(''), take('198.51.100.4')]).toEqual([429, 429, 429]);
  expect(take('198.51.100.1')).toBeUndefined();
});

test('intake: the 100,001st address fails closed into the one bucket; the 100,000 before it keep theirs', () => {
  const all = { per_ip: 0.001, per_ip_burst: 1, global: 1_000_000, global_burst: 1_000_000, ip_ttl: '10m' };
  const rates = new Rates({
    rates: { ipv6_prefix: 128, profiles: {} },
    intake: { ratelimit: { ...all, max_ips: limits.intake.ipEntriesMax } },
  } as unknown as Platform);
  const take = (n: number): number | undefined =>
    rates.take('intake_ip', 0, `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)?.status;
  const granted = Array.from({ length: 100_000 }, (_, n) => take(n)).filter((status) => status === undefined);
  expect(granted).toHaveLength(100_000);
  // One more has the shared bucket's only token; the next finds none, with an address or without.
  expect([take(100_000), take(100_001), rates.take('intake_ip', 0, '')?.status]).toEqual([undefined, 429, 429]);
  expect([take(0), take(99_999)]).toEqual([429, 429]);
});

test('callers of one /64 share a bucket unless the file says otherwise; intake’s own prefix rules its own buckets', () => {
  const ratelimit = { per_ip: 0.01, per_ip_burst: 1, global: 9, global_burst: 9, ip_ttl: '10m', max_ips: 100 };
  const open = (node: number, own?: number): Rates => {
    const platform = {
      rates: { ipv6_prefix: node, profiles: {} },
      intake: { ratelimit: { ...ratelimit, ipv6_prefix: own } },
    };
    return new Rates(platform as unknown as Platform);
  };
  const both = (rates: Rates): (number | undefined)[] =>
    ['2001:db8::1', '2001:db8::2'].map((ip) => rates.take('intake_ip', 0, ip)?.status);
  expect(both(open(64))).toEqual([undefined, 429]);
  expect(both(open(64, 128))).toEqual([undefined, undefined]);
  expect(both(open(128, 64))).toEqual([undefined, 429]);
  expect(open(64).keyOf('2001:db8::2')).toBe(open(64).keyOf('2001:db8::ffff'));
});

test('unparsable addresses share one bucket, an IPv6 prefix widens it', () => {
  const rates = ratesOf({ auth_token: { burst: 1, per_second: 0.01 } }, 64);
  expect(rates.take('auth_token', 2, '')).toBeNull();
  expect(rates.take('auth_token', 2, 'no-address')).not.toBeNull();
  expect(rates.take('auth_token', 2, '2001:db8::1')).toBeNull();
  expect(rates.take('auth_token', 2, '2001:db8::2')).not.toBeNull();
  expect(rates.take('auth_token', 2, '2001:db8:0:1::2')).toBeNull();
});
