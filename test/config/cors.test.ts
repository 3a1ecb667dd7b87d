/** `gateway.cors` of the platform file: docs/contract/platform.md §3.4. */
import { describe, expect, test } from 'vitest';
import { bad, good } from './load-text.ts';

const TENANTS = 'hives: {tenant: [{key: "acme:shop:dev:main", meta: {localdir: p}}]}';
const file = (cors: string, more = ''): string => `${TENANTS}\ngateway: {cors: ${cors}}\n${more}`;
const shop = (...origins: readonly string[]): string => file(`{shop: {origins: ${JSON.stringify(origins)}}}`);

describe('what is taken', () => {
  test('origins as browsers send them, by product', () => {
    const origins = ['https://shop.example.org', 'https://xn--bcher-kva.example:8443', 'http://localhost:5173'];
    expect(good(shop(...origins)).gateway.cors).toEqual({ shop: { origins } });
    expect(good(shop('http://127.0.0.1:1', 'http://[::1]:3000')).gateway.cors['shop']!.origins).toHaveLength(2);
  });

  test('without the key no product has any', () => {
    expect(good('').gateway.cors).toEqual({});
  });

  test('plain HTTP elsewhere under a development profile', () => {
    const text = file('{shop: {origins: ["http://dev.example"]}}', 'vault: {profile: development}');
    expect(good(text).gateway.cors).toEqual({ shop: { origins: ['http://dev.example'] } });
  });
});

describe('what a start refuses', () => {
  test.each([
    ['*', '* would let pages of any site read answers / name each origin by itself'],
    ['https://*.example.org', '* would let pages of any site read answers / name each origin by itself'],
    ['null', 'null is an origin that every site can take / serve the page under an origin of its own'],
    ['https://a.example/', '"https://a.example/" ends with a slash / write https://a.example'],
    [
      'https://a.example/app',
      '"https://a.example/app" has more than a scheme, a host and a port / write https://a.example',
    ],
    [
      'https://u:p@a.example',
      '"https://u:p@a.example" has more than a scheme, a host and a port / write https://a.example',
    ],
    ['https://a.example?', '"https://a.example?" is not what browsers send / write https://a.example'],
    ['https://A.example', '"https://A.example" is not what browsers send / write https://a.example'],
    ['HTTPS://a.example', '"HTTPS://a.example" is not what browsers send / write https://a.example'],
    ['https://a.example:443', '"https://a.example:443" is not what browsers send / write https://a.example'],
    [
      'https://bücher.example',
      '"https://bücher.example" is not what browsers send / write https://xn--bcher-kva.example',
    ],
    ['a.example', '"a.example" is not an origin / write for example https://shop.example.org'],
    ['ftp://a.example', '"ftp://a.example" is not an origin / write for example https://shop.example.org'],
    ['', '"" is not an origin / write for example https://shop.example.org'],
  ])('the origin %j', (origin, problem) => {
    expect(bad(shop(origin)).map((line) => line.replace(/^\d+:\d+ /, ''))).toEqual([problem]);
  });

  test.each(['http://a.example', 'http://10.0.0.1', 'http://localhost.example'])('plain HTTP: %s', (origin) => {
    const [problem, ...others] = bad(shop(origin));
    expect(problem).toContain(`2:35 ${origin} is plain HTTP`);
    expect(problem).toContain('plain HTTP is for loopback');
    expect(others).toEqual([]);
  });

  test('an origin that is listed twice', () => {
    expect(bad(shop('https://a.example', 'https://a.example'))).toEqual([
      '2:55 https://a.example is listed twice / remove one',
    ]);
  });

  test('a product that no tenant has', () => {
    expect(bad(file('{shpo: {origins: []}}'))).toEqual([
      '2:18 no tenant of this file has the product shpo / did you mean "shop"?',
    ]);
    expect(bad('gateway: {cors: {shop: {origins: []}}}')).toEqual([
      '1:18 no tenant of this file has the product shop / list a tenant of it under hives.tenant',
    ]);
  });

  test('a product without its list, and a key that there is not', () => {
    expect(bad(file('{shop: {}}'))[0]).toContain('the key "origins" is missing');
    expect(bad(file('{shop: {origins: [], credentials: true}}'))[0]).toContain('unknown key "credentials"');
  });
});
