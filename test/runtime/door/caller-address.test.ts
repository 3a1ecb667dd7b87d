/** Who calls, by listener. Spec: operations.md "Authentication" Intake; DESIGN §8. */
import { describe, expect, test } from 'vitest';
import type { Platform } from '#config/platform.ts';
import { bySocket, byHeader, byTrustedProxy, callerAddressOf } from '#runtime/door/caller-address.ts';
import type { Visit } from '#runtime/door/port.ts';

const HEADER = 'X-Edge-Client-IP';

function visitOf(peer: string, headers: Readonly<Record<string, string>> = {}): Visit {
  return { ip: () => peer, header: (name: string) => headers[name] ?? '' } as unknown as Visit;
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
  test('a proxy that names nobody is the caller itself', () => {
    expect(callerOf(visitOf('10.1.2.3'))).toBe('10.1.2.3');
    expect(callerOf(visitOf('10.1.2.3', { 'x-edge-client-ip': 'nobody' }))).toBe('10.1.2.3');
  });
});

describe('of a listener', () => {
  const platform = (proxies: readonly string[]): Platform =>
    ({
      gateway: { trusted_proxies: proxies },
      intake: { security: { client_ip_header: HEADER } },
    }) as unknown as Platform;
  const visit = visitOf('10.0.0.1', { 'x-edge-client-ip': '198.51.100.1' });
  const of = (listener: string, proxies: readonly string[] = []): string =>
    callerAddressOf(platform(proxies), listener)(visit);

  test("intake's own takes the header", () => expect(of('intake')).toBe('198.51.100.1'));
  test('the gateway takes the peer', () => expect(of('gateway')).toBe('10.0.0.1'));
  test('the gateway takes the header of a trusted proxy', () =>
    expect(of('gateway', ['10.0.0.1'])).toBe('198.51.100.1'));
  test('the others take the peer, whatever the gateway trusts', () => {
    for (const listener of ['identity', 'data']) expect(of(listener, ['10.0.0.1'])).toBe('10.0.0.1');
  });
});
