/** `gateway.sites` of the platform file: docs/contract/platform.md §3.5. */
import { describe, expect, test } from 'vitest';
import { bad, good } from './load-text.ts';

const TENANTS = `hives: {tenant: [{key: "acme:desk:prod:main", meta: {localdir: p}}, {key: "acme:shop:dev:main", meta: {localdir: p}}]}`;
const file = (gateway: string, more = ''): string => `${TENANTS}\ngateway: {${gateway}}\n${more}`;
const named = (host: string, entry = '{tenant: "acme:desk:prod:main"}'): string =>
  file(`sites: {${JSON.stringify(host)}: ${entry}}`);

describe('what is taken', () => {
  test.each(['help.example.org', 'localhost', 'xn--bcher-kva.example', 'a-b.c1.example', '1.example'])(
    'the name %s',
    (host) => {
      expect(good(named(host)).gateway.sites).toEqual({
        [host]: { tenant: 'acme:desk:prod:main', cookies: false, web: false, compressed: false },
      });
    },
  );

  test('both choices, and two names of one tenant', () => {
    const entry = '{tenant: "acme:desk:prod:main", cookies: true, web: true}';
    const { sites } = good(file(`sites: {a.example: ${entry}, b.example: ${entry}}`)).gateway;
    expect(Object.keys(sites)).toEqual(['a.example', 'b.example']);
    expect(sites['b.example']).toEqual({ tenant: 'acme:desk:prod:main', cookies: true, web: true, compressed: false });
  });

  test('without the key there is none', () => {
    expect(good('').gateway.sites).toEqual({});
  });

  test('a name whose pages the same product lists, and localhost beside listeners on loopback', () => {
    good(file('sites: {a.example: {tenant: "acme:shop:dev:main"}}, cors: {shop: {origins: ["https://a.example"]}}'));
    good(file('sites: {localhost: {tenant: "acme:shop:dev:main"}}', 'listeners: {operations: {bind: "localhost:1"}}'));
  });
});

const WRITE_NAME = 'write it as app.example.org';
describe('what a start refuses', () => {
  test.each([
    ['*.example.org', '"*.example.org" has a wildcard, and a site is one name / write each name by itself'],
    ['*', '"*" has a wildcard, and a site is one name / write each name by itself'],
    ['127.0.0.1', '"127.0.0.1" is an address / give it a name; localhost is one for development'],
    ['[::1]', '"[::1]" is an address / give it a name; localhost is one for development'],
    ['A.example', `"A.example" is not what browsers send as a host's name / write a.example`],
    ['a.example:8443', `"a.example:8443" is not what browsers send as a host's name / write a.example`],
    ['https://a.example/app', `"https://a.example/app" is not what browsers send as a host's name / write a.example`],
    ['a.example.', `"a.example." is not what browsers send as a host's name / write a.example`],
    ['bücher.example', `"bücher.example" is not what browsers send as a host's name / write xn--bcher-kva.example`],
    ['', `"" is not the name of a host / ${WRITE_NAME}`],
    ['a..example', `"a..example" is not the name of a host / ${WRITE_NAME}`],
    ['-a.example', `"-a.example" is not the name of a host / ${WRITE_NAME}`],
    ['a_b.example', `"a_b.example" is not the name of a host / ${WRITE_NAME}`],
    ['a.1', `"a.1" is not the name of a host / ${WRITE_NAME}`],
    [`${'a'.repeat(64)}.example`, `"${'a'.repeat(64)}.example" is not the name of a host / ${WRITE_NAME}`],
  ])('the name %j', (host, problem) => {
    expect(bad(named(host)).map((line) => line.replace(/^\d+:\d+ /, ''))).toEqual([problem]);
  });

  test('a tenant that the file does not have', () => {
    expect(bad(named('a.example', '{tenant: "acme:desk:prod:mian"}'))).toEqual([
      '2:41 this file has no tenant acme:desk:prod:mian / did you mean "acme:desk:prod:main"?',
    ]);
    expect(bad('gateway: {sites: {a.example: {tenant: "a:b:c:d"}}}')).toEqual([
      '1:39 this file has no tenant a:b:c:d / list it under hives.tenant',
    ]);
  });

  test('a name that is written twice, an entry without a tenant, and a key that there is not', () => {
    const twice = file(
      'sites: {a.example: {tenant: "acme:desk:prod:main"}, a.example: {tenant: "acme:shop:dev:main"}}',
    );
    expect(bad(twice)).toHaveLength(1);
    expect(bad(named('a.example', '{cookies: true}'))[0]).toContain('the key "tenant" is missing');
    expect(bad(named('a.example', '{tenant: "acme:desk:prod:main", cookie: true}'))[0]).toContain('"cookie"');
  });

  test('a name that is the address of a listener, or the one of the vault', () => {
    const site = 'sites: {ops.example: {tenant: "acme:desk:prod:main"}}';
    const why = 'and browsers send the cookies of a name to all of its ports / give the site a name of its own';
    expect(bad(file(site, 'listeners: {operations: {bind: "ops.example:9098"}}'))).toEqual([
      `2:19 ops.example is the name in the address of the listener operations too, ${why}`,
    ]);
    expect(bad(file(site, 'vault: {public_url: "https://ops.example:7999"}'))).toEqual([
      `2:19 ops.example is the name in vault.public_url too, ${why}`,
    ]);
    expect(bad(file(site, 'vault: {pki: {url: "http://ops.example"}}'))).toEqual([
      `2:19 ops.example is the name in vault.pki.url too, ${why}`,
    ]);
  });

  test('a name whose pages another product lists', () => {
    const text = file(
      'sites: {a.example: {tenant: "acme:desk:prod:main"}}, cors: {shop: {origins: ["https://a.example:8443"]}}',
    );
    expect(bad(text)).toEqual([
      '2:19 pages of a.example are listed for the product shop in gateway.cors, and the site serves desk / give each product a name of its own',
    ]);
  });
});
