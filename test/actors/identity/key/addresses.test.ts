import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatApiKey, parseApiKey } from '#actors/kit/api-key.ts';
import { IdSource } from '#actors/kit/id.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { countsFrom } from '#actors/identity/key/addresses.ts';

test.each([
  [['203.0.113.7'], '203.0.113.7', true],
  [['203.0.113.7'], '203.0.113.8', false],
  [['10.0.0.0/8'], '10.255.0.1', true],
  [['10.0.0.0/8'], '11.0.0.1', false],
  [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
  [['10.0.0.0/8'], '::ffff:11.1.2.3', false],
  [['2001:db8::/32'], '2001:db8:1::9', true],
  [['2001:db8::/32'], '2001:db9::9', false],
  [['2001:DB8::1'], '2001:db8:0:0::1', true],
  [['0.0.0.0/0'], '192.0.2.1', true],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['::1', '192.0.2.0/31'], '192.0.2.1', true],
  [['192.0.2.1'], '', false],
  [['192.0.2.1'], 'unknown', false],
  [['192.0.2.1'], '192.0.2.1, 10.0.0.1', false],
  [undefined, '192.0.2.1', true],
  [undefined, '', true],
  [undefined, '100::1', true],
])('%j counts from %j: %j, asked twice', (ips, address, expected) => {
  expect([countsFrom(ips, address), countsFrom(ips, address)]).toEqual([expected, expected]);
});

test('the published pattern finds every key that is made, and nothing shorter', () => {
  const page = readFileSync(new URL('../../../../docs/contract/identity-people.md', import.meta.url), 'utf8');
  const pattern = new RegExp(`^${/^`(\[0-7\].*?)`/m.exec(page)![1]!}$`);
  const ids = new IdSource(systemClock);
  for (let n = 0; n < 200; n++) {
    const key = formatApiKey(ids.next(), randomBytes(32).toString('base64url'));
    expect([pattern.test(key), parseApiKey(key) !== null]).toEqual([true, true]);
    expect(pattern.test(key.slice(1))).toBe(false);
  }
});
