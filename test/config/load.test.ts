import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadPlatform } from '#config/load.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { bad, BASE, good } from './load-text.ts';

describe('defaults', () => {
  const platform = loadPlatform(null, BASE);
  const value = (platform as { platform: Platform }).platform;

  test('of the platform', () => {
    expect(value.gateway).toEqual({
      bind: '127.0.0.1:8080',
      trusted_proxies: [],
      client_address: 'auto',
      drain_notice: '1s',
      compression: { enabled: true },
      access_log: { enabled: false, one_in: 1, slow: '1s' },
      slow_callers: { window: '30s', body_bytes_per_second: 500, answer_bytes_per_second: 500 },
      cors: {},
      sites: {},
    });
    expect(value.listeners).toEqual({
      operations: '127.0.0.1:9098',
      intake: '127.0.0.1:8081',
      identity: null,
      data: null,
      bff: null,
      content: null,
      vault: null,
      audit: null,
      pki: null,
      console: null,
    });
    expect(value.storage).toEqual({
      dir: '/work-dir/.skep',
      journal: { driver: 'file', replication: 'strict', seal: 'none', snapshots: { every: '6h0m0s' } },
      segment_bytes: limits.storage.segmentBytes,
      free_bytes_min: limits.storage.freeBytesMin,
      ballast_bytes: limits.storage.ballastBytes,
      scrub_percent: 2,
      scrub_every: '24h0m0s',
    });
    expect(value).toMatchObject({ file: null, hosts: 3, log: { level: 'info' }, hives: { tenant: [] } });
    expect(value.rates).toEqual({ ipv6_prefix: 64, profiles: {} });
    expect(value.jwks).toEqual({ issuers: {}, check_audience: false });
    expect(value.bootstrap).toEqual({});
    expect(value.outbound).toEqual({ allow_private: [] });
  });

  test('the plain listener of the authority stands beside a vault that speaks TLS, unless the file closes it', () => {
    const vault = (more = '', rest = '') =>
      good(`vault: {enabled: true, tls: {cert: c.pem, key: k.pem}, seal: {current: {file: root.key}}${more}}\n${rest}`)
        .listeners.pki;
    expect(vault()).toBe('127.0.0.1:7998');
    expect(vault(', host: 0.0.0.0, pki: {port: 80}')).toBe('0.0.0.0:80');
    expect(vault('', 'listeners: {pki: {bind: "10.0.0.1:8008"}}')).toBe('10.0.0.1:8008');
    expect(vault(', pki: {listen: false}')).toBeNull();
    expect(vault('', 'listeners: {pki: false}')).toBeNull();
    expect(good('vault: {enabled: true, profile: development}').listeners.pki).toBeNull();
    expect(good('').listeners.pki).toBeNull();
    const tls = 'vault: {enabled: true, tls: {cert: c.pem, key: k.pem}, seal: {current: {file: root.key}}';
    expect(bad(`${tls}, pki: {url: "https://a.test"}}`)[0]).toContain('fetched over plain HTTP');
  });

  test('every listener that is opened has the address of docs/contract/platform.md §3', () => {
    const names = ['operations', 'intake', 'identity', 'data', 'bff', 'content', 'vault', 'audit', 'console'];
    const all = good(`listeners: {${names.map((name) => `${name}: true`).join(', ')}}`);
    expect(all.listeners).toEqual({
      operations: '127.0.0.1:9098',
      intake: '127.0.0.1:8081',
      identity: '127.0.0.1:5030',
      data: '127.0.0.1:5031',
      bff: '127.0.0.1:5032',
      content: '127.0.0.1:5033',
      vault: '127.0.0.1:7999',
      console: '127.0.0.1:9097',
      audit: '127.0.0.1:8443',
      pki: null,
    });
  });

  /** The table of docs/contract/intake.md §2, key by key. */
  const TABLE: Readonly<Record<string, unknown>> = {
    'http.bind': '127.0.0.1:8081',
    'http.max_body_bytes': 65_536,
    'http.max_fields': 100,
    'http.max_parts': 100,
    'http.read_timeout': '5s',
    'http.write_timeout': '5s',
    'http.idle_timeout': '60s',
    'storage.backend': 'embedded',
    'storage.wal_jsonl': true,
    'storage.batch_max': 64,
    'storage.batch_wait': '25ms',
    'storage.queue_depth': 1024,
    'embedded.path': '/work-dir/.skep/intake/embedded',
    'jsonl.dir': '/work-dir/.skep/intake/jsonl',
    'jsonl.rotate': 'daily',
    'forms.dir': '/work-dir/forms',
    'forms.reload': 'startup',
    'logging.output': 'stdout',
    'logging.format': 'json',
    'logging.level': 'info',
    'logging.file.path': '/work-dir/.skep/logs/intake.log',
    'logging.file.max_size_mb': 100,
    'logging.file.max_backups': 14,
    'logging.file.max_age_days': 30,
    'logging.file.compress': true,
    'ratelimit.per_ip': 5,
    'ratelimit.per_ip_burst': 20,
    'ratelimit.global': 200,
    'ratelimit.global_burst': 400,
    'ratelimit.ip_ttl': '10m',
    'ratelimit.max_ips': 100_000,
    'security.client_ip_header': 'X-Edge-Client-IP',
    'security.bind_gateway_only': true,
    'security.gateway_secret': '',
    'security.gateway_secret_header': 'X-Edge-Gateway-Secret',
    'cors.origins': [],
    'notify.enabled': false,
    'notify.workers': 4,
    'notify.queue_depth': 1024,
    'notify.max_retries': 4,
    'notify.retry_backoff': '2s',
    'notify.timeout': '10s',
    'email.provider': 'smtp',
    'email.from': '',
    'email.smtp.host': '',
    'email.smtp.port': 587,
    'email.smtp.starttls': true,
    'email.smtp.auth': 'plain',
    'email.smtp.username': '',
    'email.smtp.password': '',
    'email.smtp.oauth.client_id': '',
    'email.smtp.oauth.client_secret': '',
    'email.smtp.oauth.scope': '',
    'email.webapi.api_key': '',
    'chat.default_webhook': '',
  };

  test('of intake are the table, and the table is all there is', () => {
    expect(leaves(value.intake)).toEqual(TABLE);
  });
});

/** Every leaf by its dotted key; lists count as leaves. */
function leaves(value: object, at = ''): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const isGroup = typeof item === 'object' && item !== null && !Array.isArray(item);
    if (isGroup) Object.assign(out, leaves(item as object, `${at}${key}.`));
    else out[`${at}${key}`] = item as unknown;
  }
  return out;
}

describe('precedence', () => {
  test('flags over environment over file over defaults', () => {
    const file = 'storage: {dir: data}\nlog: {level: warn}';
    expect(good('').storage.dir).toBe('/work-dir/.skep');
    expect(good(file).storage.dir).toBe('/etc/skep/data');
    expect(good(file, { env: { SKEP_DATA: 'env-data' } }).storage.dir).toBe('/work-dir/env-data');
    const flags = { 'storage.dir': 'flag-data', 'log.level': undefined };
    const all = good(file, { env: { SKEP_DATA: 'env-data' }, flags });
    expect(all.storage.dir).toBe('/work-dir/flag-data');
    expect(all.log.level).toBe('warn');
  });

  test('the texts of flags and variables become numbers and booleans where those are wanted', () => {
    const flags = { hosts: '2', 'intake.storage.wal_jsonl': 'false', 'bootstrap.token': '12345' };
    const platform = good('intake: {http: {max_fields: "${N}"}}', { env: { N: '7' }, flags });
    expect(platform.hosts).toBe(2);
    expect(platform.intake.storage.wal_jsonl).toBe(false);
    expect(platform.intake.http.max_fields).toBe(7);
    expect(platform.bootstrap.token).toBe('12345');
    expect(bad('hosts: "2"')[0]).toContain('hosts must be a whole number');
  });

  test('a faulty flag is named as one, an unknown one too', () => {
    expect(bad('', { flags: { hosts: 'x' } })).toEqual([
      '--hosts hosts must be a whole number from 1 to 256, not "x" / give for example 1',
    ]);
    expect(bad('', { flags: { 'gatway.bind': 'x' } })).toEqual([
      '--gatway.bind unknown key "gatway" / did you mean "gateway"?',
    ]);
  });

  test('a flag opens a listener that the file names shortly', () => {
    const flags = { 'listeners.data.bind': '127.0.0.1:7000' };
    expect(good('listeners: {data: true}', { flags }).listeners.data).toBe('127.0.0.1:7000');
  });

  test('the secrets of intake come from their variables; an empty one counts as not set', () => {
    const env = {
      EDGE_INTAKE_GATEWAY_SECRET: 'a',
      EDGE_INTAKE_SMTP_PASSWORD: 'b',
      EDGE_INTAKE_SMTP_OAUTH_SECRET: 'c',
      EDGE_INTAKE_WEBAPI_KEY: 'd',
      EDGE_INTAKE_CHAT_WEBHOOK: 'https://chat.example/e',
    };
    const { security, email, chat } = good('intake: {security: {gateway_secret: file}}', { env }).intake;
    expect([security.gateway_secret, email.smtp.password, email.smtp.oauth.client_secret]).toEqual(['a', 'b', 'c']);
    expect([email.webapi.api_key, chat.default_webhook]).toEqual(['d', 'https://chat.example/e']);
    const empty = good('intake: {security: {gateway_secret: file}}', { env: { EDGE_INTAKE_GATEWAY_SECRET: '' } });
    expect(empty.intake.security.gateway_secret).toBe('file');
  });

  test('SKEP_PORT_BASE moves every port and keeps the hosts; a flag outranks it', () => {
    const text = 'gateway: {bind: "0.0.0.0:80"}\nlisteners: {identity: true, data: {bind: "[::1]:9"}, audit: true}';
    const env = { SKEP_PORT_BASE: '20000' };
    const platform = good(text, { env });
    expect(platform.gateway.bind).toBe('0.0.0.0:20000');
    expect(platform.listeners).toMatchObject({
      operations: '127.0.0.1:20001',
      identity: '127.0.0.1:20002',
      data: '[::1]:20003',
      intake: '127.0.0.1:20004',
      bff: null,
      audit: '127.0.0.1:20008',
    });
    expect(platform.intake.http.bind).toBe('127.0.0.1:20004');
    expect(good(text, { env, flags: { 'gateway.bind': '127.0.0.1:1' } }).gateway.bind).toBe('127.0.0.1:1');
    expect(bad('', { env: { SKEP_PORT_BASE: 'x' } })[0]).toContain('SKEP_PORT_BASE must be a port');
    expect(bad('', { env: { SKEP_PORT_BASE: '65530' } })[0]).toContain('leaves no 11 ports');
  });
});

describe('paths', () => {
  test('of a file start at the file', () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-config-'));
    const file = join(dir, 'p.yaml');
    writeFileSync(
      file,
      'hives: {tenant: [{key: "a:b:c:d", meta: {localdir: ./p}}]}\nstorage: {dir: ../d}\n' +
        'gateway: {tls: {cert: c.pem, key: /k.pem, others: [{cert: d.pem, key: /e.pem}]}}\nintake: {jsonl: {dir: log}, logging: {file: {path: l.log}}}\n',
    );
    const loaded = loadPlatform(file, BASE) as { platform: Platform };
    const { hives, storage, gateway, intake } = loaded.platform;
    expect(hives.tenant[0]!.meta.localdir).toBe(join(dir, 'p'));
    expect(hives.tenant[0]!.datastores).toEqual({ default: { driver: 'lmdb' } });
    expect(storage.dir).toBe(join(dir, '../d'));
    const others = [{ cert: join(dir, 'd.pem'), key: '/e.pem' }];
    expect(gateway.tls).toEqual({ cert: join(dir, 'c.pem'), key: '/k.pem', others });
    expect(intake.forms.dir).toBe(join(dir, 'forms'));
    expect(intake.jsonl.dir).toBe(join(dir, 'log'));
    expect(intake.logging.file.path).toBe(join(dir, 'l.log'));
    expect(intake.embedded.path).toBe(join(dir, '../d/intake/embedded'));
  });
});

test('a file given to `skep intake` has the intake keys at its root', () => {
  const platform = good('http: {max_fields: 7}\nforms: {dir: f}', { service: 'intake' });
  expect(platform.intake.http.max_fields).toBe(7);
  expect(platform.intake.forms.dir).toBe('/etc/skep/f');
  expect(bad('htp: {}', { service: 'intake' })).toEqual(['1:1 unknown key "htp" / did you mean "http"?']);
  expect(good('', { service: 'intake' }).intake.http.max_fields).toBe(100);
});

test('a file given to `skep audit` has the audit keys at its root, and the defaults of the contract', () => {
  const tls = 'tls: {cert: c.pem, key: k.pem}';
  const one = good(tls, { service: 'audit', flags: { 'audit.enabled': true } });
  expect(one.listeners).toMatchObject({ audit: '127.0.0.1:8443', operations: null, intake: null, data: null });
  expect(one.audit).toMatchObject({ base_dir: '/var/lib/audit/logs', key_dir: '/var/lib/audit/keys', enabled: true });
  expect([one.storage.dir, one.hosts, one.jwks.issuers.iam]).toEqual(['/var/lib/audit', 0, undefined]);
  const text = `port: 9443\nhost: 0.0.0.0\naudit: {base_dir: ./logs}\nissuer: https://iam.example.org\n${tls}`;
  const two = good(text, { service: 'audit' });
  expect(two.listeners.audit).toBe('0.0.0.0:9443');
  expect(two.audit).toMatchObject({ base_dir: '/etc/skep/logs', tls: { cert: '/etc/skep/c.pem' } });
  expect([two.storage.dir, two.jwks.issuers.iam]).toEqual(['/etc/skep', 'https://iam.example.org']);
  expect(good(tls, { service: 'audit', env: { SKEP_PORT_BASE: '20000' } }).listeners.audit).toBe('127.0.0.1:20008');
  expect(bad('audit: {enabled: true, port: 8443}')[0]).toContain('audit listens with TLS only');
  expect(bad('audit: {issuer: "https://iam.example.org"}')[0]).toContain('jwks.issuers.iam');
});

test('an environment reference is escaped by a second dollar sign', () => {
  const platform = good('bootstrap: {token: "a$${B}c${D}e$"}', { env: { D: 'd' } });
  expect(platform.bootstrap.token).toBe('a${B}cde$');
});

test('services that are not served yet keep their keys unread', () => {
  const platform = good('bff: {a: [1]}');
  expect(platform.bff).toEqual({ a: [1] });
});

test('rates change profiles and turn them off', () => {
  const { rates } = good('rates: {auth_token: {burst: 5, per_second: 0.5}, auth_login: off, ipv6_prefix: 64}');
  expect(rates).toEqual({
    ipv6_prefix: 64,
    profiles: { auth_token: { burst: 5, per_second: 0.5 }, auth_login: 'off' },
  });
});

test('a section with nothing beneath it is as if left out', () => {
  expect(good('gateway:\nintake:\n  http:\nrates:\n')).toEqual(good(''));
});

test('the platform is frozen to the leaves, and can be sent to a thread', () => {
  const platform = good('hives: {tenant: [{key: "a:b:c:d", meta: {localdir: p}}]}');
  expect(Object.isFrozen(platform.hives.tenant[0]!.meta)).toBe(true);
  expect(structuredClone(platform)).toEqual(platform);
});
