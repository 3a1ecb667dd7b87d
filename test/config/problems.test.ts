/** What a platform file is refused for: the line and column, the fault, and the mend. */
import { describe, expect, test } from 'vitest';
import { loadPlatform } from '#config/load.ts';
import { renderProblems } from '#config/problem.ts';
import { bad, BASE, good, load } from './load-text.ts';

describe('problems', () => {
  test.each([
    ['gatway: {}', '1:1 unknown key "gatway" / did you mean "gateway"?'],
    ['gateway:\n  trustedProxies: []', '2:3 unknown key "trustedProxies" / did you mean "trusted_proxies"?'],
    ['identity: {foo: 1}', '1:12 unknown key "foo" / known here: keyring, refresh_grace, mail'],
    [
      'gateway: {bind: nope}',
      '1:17 bind must be an address as host:port, not "nope" / write for example `bind: 127.0.0.1:8080`',
    ],
    [
      'gateway: {bind: 127.0.0.1:70000}',
      '1:17 bind must be an address as host:port, not "127.0.0.1:70000" / write for example `bind: 127.0.0.1:8080`',
    ],
    ['hosts: 0', '1:8 hosts must be a whole number from 1 to 256, not 0 / write for example `hosts: 1`'],
    ['hosts: 1.5', '1:8 hosts must be a whole number from 1 to 256, not 1.5 / write for example `hosts: 1`'],
    [
      'log:\n  level: wran',
      '2:10 level must be one of trace, debug, info, warn, error, fatal, silent, not "wran" / did you mean "warn"?',
    ],
    [
      'hives:\n  tenant:\n    - meta: {localdir: p}',
      '3:7 the key "key" is missing / add `key: acme:atlas:dev:main` (a tenant key customer:product:env:tenant)',
    ],
    [
      'hives: {tenant: [{key: "a:b:c:d", meta: {}}]}',
      '1:41 meta must name one source / write either `localdir: <directory>` or `url: <URL>`',
    ],
    [
      'hives: {tenant: [{key: "a:b:C:d", meta: {localdir: x}}]}',
      '1:24 key must be a tenant key customer:product:env:tenant, not "a:b:C:d" / write for example `key: acme:atlas:dev:main`',
    ],
    [
      'hives: {tenant: [{key: "a:b:c:d", meta: {localdir: x}, datastores: {main: {driver: lmbd}}}]}',
      '1:84 driver must be one of lmdb, not "lmbd" / did you mean "lmdb"?',
    ],
    [
      'hives: {tenant: [{key: "a:b:c:d", meta: {localdir: x}, datastores: {Main: {driver: lmdb}}}]}',
      '1:69 "Main" is not a valid name here / use lower-case letters, digits and _, a letter first, at most 63 characters',
    ],
    [
      'hives:\n  tenant:\n    - {key: "a:b:c:d", meta: {localdir: x}}\n    - {key: "a:b:c:d", meta: {localdir: y}}',
      '4:13 the tenant a:b:c:d is listed twice / remove one (the other is in line 3)',
    ],
    [
      'hives:\n  tenant:\n    - {key: "a:b:c:shared", meta: {localdir: x}}',
      '3:13 the tenant of a:b:c:shared is reserved for a plane / choose another name for the tenant',
    ],
    [
      'listeners: {operations: 3}',
      '1:25 operations must be true, false or {bind: host:port}, not 3 / write for example `operations: true`',
    ],
    ['listeners: {data: {bid: x}}', '1:20 unknown key "bid" / did you mean "bind"?'],
    [
      'rates: {auth_token: on}',
      '1:21 auth_token must be {burst, per_second} or off, not "on" / write for example `auth_token: { burst: 15, per_second: 0.25 }`',
    ],
    ['rates: {auth_token: {burst: 5}}', '1:9 the key "per_second" is missing / add `per_second: 1` (a number above 0)'],
    [
      'rates: {ipv6_prefix: 129}',
      '1:22 ipv6_prefix must be a whole number from 1 to 128, not 129 / write for example `ipv6_prefix: 64`',
    ],
    [
      'jwks: {issuers: {iam: ftp://x}}',
      '1:23 iam must be the URL of the issuer, or self for this node, not "ftp://x" / write for example `iam: self`',
    ],
    [
      'intake: {http: {read_timeout: 5}}',
      '1:31 read_timeout must be a duration above zero of at most 24h0m0s in Go notation, with its unit, not 5 / write for example `read_timeout: 25ms`',
    ],
    [
      'intake: {storage: {batch_max: 10, queue_depth: 5}}',
      '1:31 batch_max is larger than queue_depth, so no batch can fill / lower it, or raise queue_depth',
    ],
    [
      'intake:\n  http:\n    bind: 8.8.8.8:80',
      '3:11 intake must not listen on 8.8.8.8:80 / bind a loopback or private address, or set security.bind_gateway_only: false',
    ],
    [
      'intake: {http: {bind: "127.0.0.1:1"}}\nlisteners: {intake: {bind: "127.0.0.1:2"}}',
      '1:23 the address of intake is written twice / keep listeners.intake or http.bind',
    ],
    [
      'listeners: {data: {bind: "127.0.0.1:8080"}}',
      '1:19 127.0.0.1:8080 is the address of gateway.bind too / give one of them another port',
    ],
    [
      'bootstrap: {token: "${NOPE}"}',
      '1:20 the environment has no NOPE / set it (export NOPE=…), or write the value here',
    ],
    [
      'bootstrap: {token: ""}',
      '1:20 token must be the token that creates the first superadmin, not what is written there / write for example `token: ${NAME}`',
    ],
    [
      'bootstrap: {token: vault:boot}',
      '1:20 there is no vault in this file / enable it (vault.enabled: true), or use ${NAME} and set the variable',
    ],
    ['a: 1\na: 2', '2:1 the key is written twice / keep one of them'],
    ['- a', '1:1 the file must be a map of the platform keys, not a list / write its keys as `key: value`, one a line'],
    [
      'bootstrap: {token: ${X}}',
      '1:21 not YAML: Unexpected flow-map-start at node end / put "${NAME}" in quotes inside { } and [ ]',
    ],
    ['__proto__: 1', '1:1 not usable as a key / write the key as a plain word'],
    ['? {a: b}\n: c', '1:3 a key must be text / put the key in quotes'],
    ['hosts: *x', '1:8 an alias without an anchor before it / put the anchor (&name) before its use'],
    ['['.repeat(9000), '1:1 the file is nested too deeply / nest at most 32 levels'],
  ])('%s', (text, expected) => {
    expect(bad(text)).toContain(expected);
  });

  test('are all listed, in the order of the lines', () => {
    const found = bad('log: {level: x}\nhosts: many\ngatway: 1\nintake: {http: {max_fields: 0}}');
    expect(found.map((text) => text.split(' ')[0])).toEqual(['1:14', '2:8', '3:1', '4:29']);
  });

  test('name the file, and render with the mend beneath', () => {
    const loaded = load('gatway: 1') as { problems: never[] };
    expect(renderProblems(loaded.problems)).toBe(
      '/etc/skep/p.yaml:1:1: unknown key "gatway"\n    did you mean "gateway"?\n1 problem\n',
    );
  });

  test('a file that is not there is a problem too', () => {
    const loaded = loadPlatform('/nowhere/p.yaml', BASE);
    expect(loaded).toMatchObject({
      problems: [{ file: '/nowhere/p.yaml', mend: 'check the path and its permissions' }],
    });
  });

  test('an alias bomb is refused, a plain alias is not', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 0; i < 8; i++) {
      const [from, to] = [String.fromCodePoint(97 + i), String.fromCodePoint(98 + i)];
      bomb.push(`${to}: &${to} [${Array.from({ length: 10 }, () => `*${from}`).join(', ')}]`);
    }
    expect(bad(bomb.join('\n')).join()).toContain('aliases repeat too much');
    expect(good('bff: {a: &x {b: 1}, c: *x}').bff).toEqual({ a: { b: 1 }, c: { b: 1 } });
  });

  test('no value of a secret is ever quoted', () => {
    const texts = ['bootstrap: {token: [hunter2]}', 'intake: {chat: {default_webhook: hunter2}}', 'hosts: ${PIN}'];
    for (const text of texts) expect(bad(text, { env: { PIN: 'hunter2' } }).join()).not.toContain('hunter2');
  });
});
