/** `gateway.tls` of the platform file: docs/contract/platform.md §3.7, §3.8. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { acmeNames } from '#config/resolve-tls.ts';
import { bad, good } from './load-text.ts';

const TENANTS = 'hives: {tenant: [{key: "acme:desk:prod:main", meta: {localdir: p}}]}';
const DIRECTORY = 'directory: "https://authority.example.org/directory", http_bind: "0.0.0.0:80"';
const AGREED = `${DIRECTORY}, agree_terms: true`;
const sitesOf = (names: readonly string[]): string =>
  `sites: {${names.map((name) => `${JSON.stringify(name)}: {tenant: "acme:desk:prod:main"}`).join(', ')}}`;
const acme = (keys: string, names: readonly string[] = ['help.example.org'], more = ''): string =>
  `${TENANTS}\ngateway: {tls: {acme: {${keys}}${more}}, ${sitesOf(names)}}\n`;
const said = (text: string): string[] => bad(text).map((line) => line.replace(/^\d+:\d+ /, ''));

describe('certificates by ACME', () => {
  test('the fewest keys, and all of them', () => {
    const { tls } = good(acme(AGREED)).gateway;
    expect(tls).toEqual({
      others: [],
      acme: {
        directory: 'https://authority.example.org/directory',
        agree_terms: true,
        contact: [],
        http_bind: '0.0.0.0:80',
        https_port: 443,
      },
    });
    const eab = `eab: {kid: k, hmac: ${'h'.repeat(43)}}`;
    const all = `${AGREED}, contact: [ops@example.org], names: [a.example.org], ca_file: ca.pem, https_port: 8443, ${eab}`;
    const full = good(acme(all, ['a.example.org', 'b.example.org'], ', cert: c.pem, key: k.pem'));
    expect(full.gateway.tls?.acme).toMatchObject({
      ca_file: expect.stringMatching(/^\/.*\/ca\.pem$/),
      https_port: 8443,
    });
    expect(acmeNames(full)).toEqual(['a.example.org']);
  });

  test('all names of sites are ordered unless some are listed, and none without the key', () => {
    expect(acmeNames(good(acme(AGREED, ['a.example.org', 'b.example.org'])))).toEqual([
      'a.example.org',
      'b.example.org',
    ]);
    expect(acmeNames(good(`${TENANTS}\ngateway: {${sitesOf(['a.example.org'])}}`))).toEqual([]);
  });

  test('names of private domains at an authority of your own alone', () => {
    const names = ['desk.internal', 'desk.test', 'desk.home.arpa'];
    good(acme(`${AGREED}, ca_file: ca.pem`, names));
    expect(said(acme(AGREED, names))).toEqual(
      names.map(
        (name) =>
          `no certificate can be ordered for ${name}: its domain is private, and only an authority of your own (ca_file) can certify it / list the other names in gateway.tls.acme.names, and use gateway.tls.cert for this one`,
      ),
    );
  });

  test.each([
    ['localhost', 'it is this machine itself'],
    ['app.localhost', 'it is this machine itself'],
    ['intranet', 'it is a single label, and authorities certify names with a domain'],
  ])('%s is refused wherever the authority is', (name, why) => {
    for (const keys of [AGREED, `${AGREED}, ca_file: ca.pem`])
      expect(said(acme(keys, [name]))[0]).toContain(
        `no certificate can be ordered for ${name}: ${why} / list the other names`,
      );
  });

  test.each(['*.example.org', '192.0.2.1', '[2001:db8::1]', 'Help.example.org', 'help.example.org:443'])(
    '%s is no name of a site',
    (name) => {
      expect(said(acme(AGREED, [name]))).not.toEqual([]);
      expect(said(acme(`${AGREED}, names: [${JSON.stringify(name)}]`))[0]).toContain(
        `${name} is no name of gateway.sites`,
      );
    },
  );

  test.each([
    [acme(DIRECTORY), 'nothing is ordered until you agree to the terms of the authority / read them'],
    [acme(AGREED, []), 'certificates are ordered for names of gateway.sites, and there is none / add for example'],
    [acme(`${AGREED}, names: []`), 'certificates are ordered for names of gateway.sites, and there is none'],
    [acme(`${AGREED}, names: [halp.example.org]`), 'halp.example.org is no name of gateway.sites / did you mean'],
    [acme('http_bind: "0.0.0.0:80", agree_terms: true'), 'the key "directory" is missing'],
    [acme('directory: "https://a.example.org/", agree_terms: true'), 'the key "http_bind" is missing'],
    [acme(AGREED.replace('https:', 'http:')), 'directory must be the https URL of the directory of an authority'],
    [acme(AGREED.replace('0.0.0.0:80', '127.0.0.1:8080')), '127.0.0.1:8080 is the address of gateway too'],
    [acme(AGREED.replace('0.0.0.0:80', '127.0.0.1:9098')), '127.0.0.1:9098 is the address of operations too'],
    [acme(`${AGREED}, contact: [ops]`), 'a mail address'],
    [acme(`${AGREED}, eab: {kid: k, hmac: "short"}`), 'the HMAC key is not base64url of at least 16 bytes'],
    [acme(AGREED, ['help.example.org'], ', cert: c.pem'), 'the key "key" is missing / add `key: ./tls/key.pem`'],
    [
      acme(
        AGREED,
        Array.from({ length: limits.acme.namesMax + 1 }, (_, i) => `n${i}.example.org`),
      ),
      '101 names are more than the 100',
    ],
  ])('a start refuses %j', (text, problem) => {
    expect(said(text).join('\n')).toContain(problem);
  });

  test('no secret of an account is quoted', () => {
    expect(said(acme(`${AGREED}, eab: {kid: k, hmac: "not base64url"}`)).join()).not.toContain('not base64url"');
  });
});

test('without ACME both files are needed', () => {
  expect(said('gateway: {tls: {cert: c.pem}}')).toEqual([
    'the key "key" is missing / add `key: ./tls/key.pem` (the path of a PEM file)',
  ]);
  expect(said('gateway: {tls: {}}')).toHaveLength(2);
});
