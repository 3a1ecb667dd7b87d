import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { isNearHost, isNetwork, parseBind, withPort } from '#config/bind.ts';
import { durationMs, formatDuration, parseDuration } from '#config/values/duration.ts';
import { suggest, suggestion } from '#config/values/suggest.ts';

describe('durations in Go notation', () => {
  test.each([
    ['25ms', 25],
    ['5s', 5000],
    ['1.5h', 5_400_000],
    ['168h0m0s', 604_800_000],
    ['1m30s', 90_000],
    ['-2s', -2000],
    ['100us', 0.1],
    ['0', 0],
    ['.5s', 500],
  ])('%s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each(['', '5', '5 s', 's', '1d', '1h-2m', '1e3s', 'h1', '9'.repeat(60) + 'h', '1'.repeat(80) + 's'])(
    'not %s',
    (text) => expect(parseDuration(text)).toBeNull(),
  );

  test('print as Go prints them, and read back', () => {
    expect(formatDuration(604_800_000)).toBe('168h0m0s');
    expect(formatDuration(600_000)).toBe('10m0s');
    expect(formatDuration(25)).toBe('25ms');
    fc.assert(fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => durationMs(formatDuration(ms)) === ms));
  });

  test('an unchecked text is a fault', () => expect(() => durationMs('soon')).toThrow('not a duration: soon'));
});

describe('addresses', () => {
  test.each([
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['localhost:1', { host: 'localhost', port: 1 }],
  ])('%s', (text, bind) => expect(parseBind(text)).toEqual(bind));

  test.each(['', ':80', '127.0.0.1', '::1:80', '[::g]:1', 'a b:1', 'a:65536', 'a:-1', 'http://a:1'])('not %s', (text) =>
    expect(parseBind(text)).toBeNull(),
  );

  test('a port is replaced, the host kept', () => expect(withPort('[::1]:1', 2)).toBe('[::1]:2'));

  test('loopback and private hosts are near', () => {
    for (const host of [
      '127.0.0.1',
      '127.9.9.9',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '::1',
      'fd00::1',
      'localhost',
    ])
      expect([host, isNearHost(host)]).toEqual([host, true]);
    for (const host of ['0.0.0.0', '8.8.8.8', '172.32.0.1', '172.15.0.1', '::', '2001:db8::1', 'example.org'])
      expect([host, isNearHost(host)]).toEqual([host, false]);
  });

  test('networks', () => {
    for (const text of ['10.0.0.0/8', '::1', '1.2.3.4', 'fc00::/7'])
      expect([text, isNetwork(text)]).toEqual([text, true]);
    for (const text of ['10.0.0.0/33', 'x', '1.2.3.4/', '1.2.3.4/8/8', '::/129'])
      expect([text, isNetwork(text)]).toEqual([text, false]);
  });
});

describe('suggestions', () => {
  const known = ['gateway', 'listeners', 'hosts', 'trusted_proxies'];

  test.each([
    ['gatway', 'gateway'],
    ['gaetway', 'gateway'],
    ['trusted-proxies', 'trusted_proxies'],
    ['trustedProxies', 'trusted_proxies'],
    ['host', 'hosts'],
    ['banana', null],
    ['', null],
  ])('%s → %s', (word, expected) => expect(suggest(word, known)).toBe(expected));

  test('without a near one, all are named', () => {
    expect(suggestion('banana', known)).toBe(`known here: ${known.join(', ')}`);
  });

  test('a very long word costs little', () => expect(suggest('x'.repeat(1e6), known)).toBeNull());
});
