/** The address of a caller, by listener. Spec: docs/contract/intake.md §6.2, docs/contract/platform.md §3. */
import { describe, expect, test } from 'vitest';
import type { Platform } from '#config/platform.ts';
import { bySocket, byHeader, byTrustedProxy, callerAddressOf } from '#runtime/door/caller-address.ts';
import type { Visit } from '#runtime/door/port.ts';

const HEADER = 'X-Edge-Client-IP';

function visitOf(peer: string, headers: Readonly<Record<string, string>> = {}): Visit {
  const all = (name: string): string => headers[name] ?? '';
  return { ip: () => peer, header: all, headers: all } as unknown as Visit;
}

test('by socket: what a header says counts for nothing', () => {
  expect(bySocket(visitOf('203.0.113.9', { 'x-edge-client-ip': '198.51.100.1' }))).toBe('203.0.113.9');
});

describe('by header', () => {
  const named = (value: string): string => byHeader(HEADER)(visitOf('10.0.0.1', { 'x-edge-client-ip': value }));

  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
  ])('%s is %s', (value, ip) => expect(named(value)).toBe(ip));

  test.each([
    '',
    ' ',
    'unknown',
    '198.51.100.1, 10.0.0.1',
    '198.51.100.1:80',
    '1.2.3',
    '01.2.3.4',
    'fe80::1%eth0',
    '[::1]',
  ])('%j fails closed into the shared bucket', (value) => expect(named(value)).toBe(''));

  test('without the header the peer is not asked', () => expect(byHeader(HEADER)(visitOf('10.0.0.1'))).toBe(''));
});

describe('by trusted proxy', () => {
  const callerOf = byTrustedProxy(['10.0.0.0/8', '::1'], HEADER);
  const said = { 'x-edge-client-ip': '198.51.100.1' };

  test.each(['10.1.2.3', '::1'])('%s may name the caller', (peer) =>
    expect(callerOf(visitOf(peer, said))).toBe('198.51.100.1'),
  );
  test.each(['203.0.113.9', '2001:db8::9', ''])('%j may not', (peer) =>
    expect(callerOf(visitOf(peer, said))).toBe(peer),
  );
  test('a proxy that names no caller is the caller itself', () => {
    expect(callerOf(visitOf('10.1.2.3'))).toBe('10.1.2.3');
    expect(callerOf(visitOf('10.1.2.3', { 'x-edge-client-ip': 'no-address' }))).toBe('10.1.2.3');
  });
});

describe('a chain behind trusted proxies', () => {
  const callerOf = byTrustedProxy(['10.0.0.0/8', '2001:db8:ffff::/48'], HEADER);
  const chain = (value: string): string => callerOf(visitOf('10.0.0.1', { 'x-forwarded-for': value }));
  const standard = (value: string): string => callerOf(visitOf('10.0.0.1', { forwarded: value }));

  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['6.6.6.6,198.51.100.1 , 10.9.9.9,2001:db8:ffff::2', '198.51.100.1'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]:4711, 10.0.0.2', '2001:db8::1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['6.6.6.6, unknown', '10.0.0.1'],
    ['6.6.6.6, unknown, 10.0.0.2', '10.0.0.2'],
    ['6.6.6.6, fe80::1%eth0', '10.0.0.1'],
    ['6.6.6.6, 198.51.100.1:http', '10.0.0.1'],
    [' , ,', '10.0.0.1'],
  ])('X-Forwarded-For: %s', (value, ip) => expect(chain(value)).toBe(ip));

  test.each([
    ['for=198.51.100.1', '198.51.100.1'],
    ['for=6.6.6.6, For="198.51.100.1:4711";proto=https;by=10.0.0.1', '198.51.100.1'],
    ['for="[2001:db8::1]:_port";host="a;b,c", for=10.0.0.3', '2001:db8::1'],
    ['for=198.51.100.1:80', '198.51.100.1'],
    ['for="\\198.51.100.1"', '198.51.100.1'],
    ['for=6.6.6.6, for=_hidden', '10.0.0.1'],
    ['for=6.6.6.6, for=unknown, for=10.0.0.2', '10.0.0.2'],
    ['for=6.6.6.6, proto=https', '10.0.0.1'],
    ['for=6.6.6.6;for=7.7.7.7', '10.0.0.1'],
    ['for=6.6.6.6;x=", for=198.51.100.1', '10.0.0.1'],
    ['for=6.6.6.6;x=", for="[2001:db8::1]:1"', '10.0.0.1'],
    ['198.51.100.1', '10.0.0.1'],
  ])('Forwarded: %s', (value, ip) => expect(standard(value)).toBe(ip));

  test('headers that disagree count for nothing: a caller wrote one of them', () => {
    const both = (xff: string, fwd: string): string =>
      callerOf(visitOf('10.0.0.1', { 'x-forwarded-for': xff, forwarded: fwd }));
    expect(both('198.51.100.1', 'for=198.51.100.1')).toBe('198.51.100.1');
    expect(both('198.51.100.1', 'for=6.6.6.6')).toBe('10.0.0.1');
    expect(callerOf(visitOf('10.0.0.1', { 'x-forwarded-for': '198.51.100.1', 'x-edge-client-ip': '6.6.6.6' }))).toBe(
      '10.0.0.1',
    );
  });

  test('one header can be named, and the others are the caller’s own then', () => {
    const visit = visitOf('10.0.0.1', {
      'x-forwarded-for': '6.6.6.6, 198.51.100.1',
      forwarded: 'for=198.51.100.2',
      'x-edge-client-ip': '198.51.100.3',
    });
    const of = (which: 'x-forwarded-for' | 'forwarded' | 'client-ip-header'): string =>
      byTrustedProxy(['10.0.0.0/8'], HEADER, which)(visit);
    expect([of('x-forwarded-for'), of('forwarded'), of('client-ip-header')]).toEqual([
      '198.51.100.1',
      '198.51.100.2',
      '198.51.100.3',
    ]);
  });

  test('a chain of more proxies than there are is not followed to its end', () => {
    const long = `6.6.6.6${', 10.0.0.7'.repeat(2000)}`;
    expect(chain(long)).toBe('10.0.0.7');
  });
});

describe('of a listener', () => {
  const platform = (proxies: readonly string[]): Platform =>
    ({
      gateway: { trusted_proxies: proxies, client_address: 'auto' },
      intake: { security: { client_ip_header: HEADER } },
    }) as unknown as Platform;
  const visit = visitOf('10.0.0.1', { 'x-edge-client-ip': '198.51.100.1' });
  const of = (listener: string, proxies: readonly string[] = []): string =>
    callerAddressOf(platform(proxies), listener)(visit);

  test("intake's own takes the header", () => expect(of('intake')).toBe('198.51.100.1'));
  test("intake's own parses no chain, for any caller", () => {
    const chained = visitOf('10.0.0.1', { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' });
    expect(callerAddressOf(platform(['10.0.0.0/8']), 'intake')(chained)).toBe('');
  });
  test('from elsewhere a chain counts for nothing', () => {
    const chained = visitOf('203.0.113.9', { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' });
    expect(callerAddressOf(platform(['10.0.0.0/8']), 'gateway')(chained)).toBe('203.0.113.9');
  });
  test('the gateway takes the peer', () => expect(of('gateway')).toBe('10.0.0.1'));
  test('the gateway takes the header of a trusted proxy', () =>
    expect(of('gateway', ['10.0.0.1'])).toBe('198.51.100.1'));
  test('the others take the peer, whatever the gateway trusts', () => {
    for (const listener of ['identity', 'data']) expect(of(listener, ['10.0.0.1'])).toBe('10.0.0.1');
  });
});
