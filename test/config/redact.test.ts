import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { generateIntake } from '#config/generate-intake.ts';
import { intakeSection } from '#config/intake-section.ts';
import { leavesOf } from '#config/schema-walk.ts';
import { generateBootstrapDev } from '#config/generate.ts';
import { loadPlatformText, type LoadOptions } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { MASK, redacted, redactedIntake } from '#config/redact.ts';

const BASE: LoadOptions = { env: { SECRET: 'hunter2-env' }, cwd: '/w', cores: 2 };

function platformOf(text: string, options: Partial<LoadOptions> = {}): Platform {
  const loaded = loadPlatformText(text, '/w/p.yaml', { ...BASE, ...options });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.platform;
}

const PLANTED = `
bootstrap: { token: hunter2-1 }
jwks: { issuers: { iam: 'https://user:hunter2-2@id.example/keys' } }
intake:
  security: { gateway_secret: hunter2-3, gateway_secret_header: X-Shown }
  email:
    smtp: { password: hunter2-4, oauth: { client_secret: hunter2-5, token_url: 'https://shown.example' } }
    webapi: { api_key: hunter2-6 }
  chat: { default_webhook: 'https://chat.example/hunter2-7' }
vault:
  backend: { endpoints: ['https://etcd:hunter2-19@etcd.example'], url: 'postgres://skep:hunter2-20@db.example/vault' }
hives:
  tenant:
    - key: a:b:c:d
      meta: { localdir: x }
      contentstores:
        - { name: media, contentroot: { type: s3, url: 's3.example:9', accesskey: hunter2-13, secretkey: hunter2-14, path: shown } }
content:
  contentsource: { type: inline }
  contentapps: [{ name: blog, preview: { secret: hunter2-15 }, webhooks: [{ name: site, url: 'https://u:hunter2-16@w.example', secret: hunter2-19 }] }]
bff:
  root_key: { current: hunter2-8, previous: [hunter2-9] }
  backend: { url: 'https://etcd:hunter2-10@etcd.example', password: '\${SECRET}' }
  unseal: { shares: [hunter2-11, hunter2-12] }
  path_template: shown
  vault_token: 1234567
  headers: { Authorization: Bearer hunter2-17 }
  api_key: hunter2-18
  token_url: 'https://shown.example'
`;

test('no planted secret is shown; what is no secret is', () => {
  const text = stringify(redacted(platformOf(PLANTED)));
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain('1234567');
  expect(text.match(/shown/gi)).toHaveLength(5);
  expect(text).toContain(`iam: https://${MASK}@id.example/keys`);
  expect(stringify(redactedIntake(platformOf(PLANTED)))).not.toContain('hunter2');
});

test('an empty secret is shown as empty, so that one sees it is not set', () => {
  const shown = redactedIntake(platformOf('')) as { security: Record<string, unknown> };
  expect(shown.security.gateway_secret).toBe('');
});

test.each([
  ['nothing', ''],
  [
    'much',
    'hosts: 3\nhives: {tenant: [{key: "a:b:c:d", meta: {localdir: x}, schema: s}]}\nlisteners: {intake: {bind: "127.0.0.1:9"}, data: true, operations: false}\n' +
      'rates: {auth_token: off, x: {burst: 1, per_second: 2}}\ngateway: {trusted_proxies: [10.0.0.0/8], tls: {cert: c, key: k}}',
  ],
])('what is shown loads again to the same platform: %s', (_, text) => {
  const platform = platformOf(text);
  expect(platformOf(stringify(redacted(platform)))).toEqual(platform);
});

test('of a node on a log it is shown who it is among the others; one on files is alone', () => {
  const journal = 'storage: {journal: {driver: postgres, url: "postgres://db.example/log"}}';
  const among = platformOf(`${journal}\ncluster: {node: n2, lease: 9s, reads: local}`);
  expect(redacted(among)).toMatchObject({ cluster: { node: 'n2', lease: '9s', reads: 'local' } });
  expect(redacted(platformOf(''))).not.toHaveProperty('cluster');
});

test('the starter file loads without problems and carries a token of its own', () => {
  const platform = platformOf(generateBootstrapDev((bytes) => Buffer.alloc(bytes, 7)));
  expect(platform.bootstrap.token).toBe(Buffer.alloc(24, 7).toString('base64url'));
  expect(platform.jwks.issuers.iam).toBe('self');
  expect(generateBootstrapDev()).not.toBe(generateBootstrapDev());
});

test('the generated intake file loads, and says what is the default anyway', () => {
  const generated = platformOf(generateIntake(), { service: 'intake' });
  expect(generated.intake).toEqual(platformOf('', { service: 'intake' }).intake);
});

test('no number of the generated files is a bound in place of a default', () => {
  const text = generateIntake();
  expect(text).toMatch(/^ *# ipv6_prefix: 64 #/m);
  const commented = [...text.matchAll(/^ *# (\w+): (\d+) # a whole number from (\d+) to (\d+)$/gm)];
  expect(commented.map(([, key]) => key)).toContain('ipv6_prefix');
  for (const [, key, value, least, most] of commented) expect([least, most], key).not.toContain(value);
  expect(generateBootstrapDev()).toMatch(/^# +ipv6_prefix: 64 /m);
});

test('the generated intake file names every key, those without a default as comments that can be uncommented', () => {
  const text = generateIntake();
  for (const { path } of leavesOf(intakeSection))
    expect(text, path.join('.')).toMatch(new RegExp(`\\b${path.at(-1)}:`));
  const uncommented = text.replace(/^(\s*)# ?(token_url|url|default_webhook|embedded|outbound|dir):/gm, '$1$2:');
  expect(uncommented).not.toBe(text);
  const { intake } = platformOf(uncommented, { service: 'intake' });
  expect(intake.email.smtp.oauth.token_url).toMatch(/^https:/);
  expect(intake.email.webapi.url).toMatch(/^https:/);
});
