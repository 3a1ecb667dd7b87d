import { describe, expect, test } from 'vitest';
import { isNeverReached, isPrivateAddress, PrivateHosts } from '#config/private-hosts.ts';

const PRIVATE = `
  127.0.0.1 10.1.2.3 172.31.255.255 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0
  224.0.0.1 255.255.255.255 ::1 :: fc00::1 fd12::1 fe80::1
  ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::7f00:1 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1
  fec0::1 5f00::1 ::ffff:0:7f00:1
`;

test.each(PRIVATE.trim().split(/\s+/))('%s is not public', (address) => expect(isPrivateAddress(address)).toBe(true));

test.each(['1.1.1.1', '172.32.0.1', '172.15.255.255', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
  '%s is public',
  (address) => expect(isPrivateAddress(address)).toBe(false),
);

describe('outbound.allow_private', () => {
  const list = ['127.0.0.1:4000', 'sso.internal', '10.0.0.0/8', '[::1]:4000', 'fd00::/8', 'Other.internal:81'];
  const hosts = new PrivateHosts(list);

  test.each<[string, number, string, boolean]>([
    ['127.0.0.1', 4000, '127.0.0.1', true],
    ['127.0.0.1', 4001, '127.0.0.1', false],
    ['localhost', 4000, '127.0.0.1', true],
    ['127.0.0.2', 4000, '127.0.0.2', false],
    ['sso.internal', 443, '192.168.1.1', true],
    ['sso.internal', 8443, '192.168.1.1', true],
    ['a.sso.internal', 443, '192.168.1.1', false],
    ['x', 1, '10.255.0.1', true],
    ['x', 1, '11.0.0.1', false],
    ['::1', 4000, '::1', true],
    ['::1', 4001, '::1', false],
    ['x', 1, 'fd99::1', true],
    ['other.internal', 81, '192.168.1.1', true],
    ['other.internal', 80, '192.168.1.1', false],
  ])('%s:%i at %s: %s', (host, port, address, allowed) => {
    expect(hosts.allows(host, port, address)).toBe(allowed);
  });

  test('names no host when it is empty', () => {
    expect(new PrivateHosts([]).allows('127.0.0.1', 80, '127.0.0.1')).toBe(false);
  });
});

test.each([
  ['https://mail.example.org/send', [], false],
  ['http://mail.example.org/send', [], true],
  ['http://mail.example.org/send', ['other.example.org', 'mail.example.org:8080'], true],
  ['http://mail.example.org/send', ['mail.example.org'], false],
  ['http://mail.example.org:8080/send', ['MAIL.example.org:8080'], false],
  // A name may resolve into a range.
  ['http://mail.example.org/send', ['10.0.0.0/8'], false],
  ['http://mail.example.org/send', ['10.0.0.0/8:25'], true],
  ['https://10.1.2.3/send', [], true],
  ['https://10.1.2.3/send', ['10.0.0.0/8'], false],
  ['https://10.1.2.3/send', ['192.168.0.0/16'], true],
  ['https://[::1]:9/send', ['10.0.0.0/8'], true],
  ['https://[::1]:9/send', ['[::1]:9'], false],
  ['https://localhost/send', [], true],
  ['https://localhost/send', ['127.0.0.1'], false],
  ['https://8.8.8.8/send', [], false],
  ['http://8.8.8.8/send', [], true],
] as const)('%s beside %j can never be reached: %s', (url, list, never) => {
  expect(isNeverReached(new URL(url), new PrivateHosts(list))).toBe(never);
});
