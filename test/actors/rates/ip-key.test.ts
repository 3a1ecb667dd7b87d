import { fc } from '#test/kit/property.ts';
import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { ipKey, UNKNOWN_IP } from '#actors/rates/ip-key.ts';

test('one address has one key however it is written', () => {
  for (const text of [
    '2001:DB8::1',
    '2001:db8:0:0:0:0:0:1',
    '2001:0db8:0000:0000:0000:0000:0000:0001',
    '2001:db8::1%eth0',
  ])
    expect(ipKey(text, 128)).toBe('2001:db8:0:0:0:0:0:1');
  expect(ipKey('::', 128)).toBe('0:0:0:0:0:0:0:0');
  expect(ipKey('1::', 128)).toBe('1:0:0:0:0:0:0:0');
});

test('an IPv4-mapped IPv6 address is the IPv4 address', () => {
  for (const text of ['::ffff:203.0.113.7', '::FFFF:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'])
    expect(ipKey(text, 64)).toBe('203.0.113.7');
});

test('a prefix widens IPv6 only', () => {
  expect(ipKey('2001:db8:1:2:3:4:5:6', 64)).toBe('2001:db8:1:2:0:0:0:0');
  expect(ipKey('2001:db8:1:2ff:3:4:5:6', 56)).toBe('2001:db8:1:200:0:0:0:0');
  expect(ipKey('2001:db8::', 0)).toBe(ipKey('fe80::1', 0));
  expect(ipKey('2001:db8:1:2:3:4:5:6', 128)).toBe('2001:db8:1:2:3:4:5:6');
});

test('what is no address goes to the shared key', () => {
  const bad = [
    '',
    'x',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '-1.2.3.4',
    'NaN.NaN.NaN.NaN',
    '1.2.3.4, 5.6.7.8',
  ];
  for (const text of [
    ...bad,
    '1:2',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    'g::1',
    '12345::',
    '1.2.3.4::',
    '\x11::',
  ])
    expect(ipKey(text, 128), text).toBe(UNKNOWN_IP);
});

test('every address that Node accepts gets a key, and one that differs in a bit another', () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => isIP(ip) === 0 || ipKey(ip, 128) !== UNKNOWN_IP));
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), fc.nat(127), (groups, bit) => {
      const other = groups.map((group, i) => (i === bit >> 4 ? group ^ (1 << (bit & 15)) : group));
      const text = (list: number[]) => list.map((group) => group.toString(16).padStart(4, '0')).join(':');
      expect(ipKey(text(groups), 128)).not.toBe(ipKey(text(other), 128));
    }),
  );
});

test('any text gives a key that is a fixed point or the shared one', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:.%]{0,40}$/)), (text) => {
      const key = ipKey(text, 128);
      if (key !== UNKNOWN_IP) expect(ipKey(key, 128)).toBe(key);
      else expect(isIP(text)).toBe(0);
    }),
  );
});
