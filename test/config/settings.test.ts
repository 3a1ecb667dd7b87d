/** The settings of a node as operators see them: values, sources, and never a secret. Spec: docs/contract/node.md §3. */
import { expect, test } from 'vitest';
import { loadPlatformText, type LoadOptions } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { settingsOf, type Setting } from '#config/settings.ts';

function platformOf(text: string, options: Partial<LoadOptions> = {}): Platform {
  const loaded = loadPlatformText(text, '/w/p.yaml', { env: {}, cwd: '/w', cores: 2, ...options });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.platform;
}

const at = (settings: readonly Setting[], key: string): Setting | undefined =>
  settings.find((setting) => setting.key === key);

const TEXT = `log: { level: debug }
storage: { dir: /elsewhere, segment_bytes: 1048576 }
gateway: { bind: '127.0.0.1:1234', trusted_proxies: [127.0.0.1, 10.0.0.0/8] }
listeners: { data: true, identity: { bind: '\${OWN_BIND}' } }
bootstrap: { token: hunter2-1 }
intake: { email: { smtp: { password: '\${SMTP}' } } }
hives:
  tenant:
    - key: a:b:c:d
      meta: { localdir: x }
`;
const ENV = {
  OWN_BIND: '127.0.0.1:4000',
  SMTP: 'hunter2-2',
  SKEP_DATA: '/of-env',
  EDGE_INTAKE_GATEWAY_SECRET: 'hunter2-3',
};

test('each setting says whether file, environment, flag or default gave it', () => {
  const settings = settingsOf(platformOf(TEXT, { env: ENV, flags: { 'storage.segment_bytes': 2_097_152 } }));
  const shown = (key: string) => {
    const { value, source, from } = at(settings, key)!;
    return [value, source, from];
  };
  expect(shown('log.level')).toEqual(['debug', 'file', 'line 1']);
  expect(shown('log.output')).toEqual(['stdout', 'default', null]);
  expect(shown('storage.dir')).toEqual(['/of-env', 'environment', 'SKEP_DATA']);
  expect(shown('storage.segment_bytes')).toEqual([2_097_152, 'flag', '--storage.segment_bytes']);
  expect(shown('gateway.bind')).toEqual(['127.0.0.1:1234', 'file', 'line 3']);
  expect(shown('listeners.identity.bind')).toEqual(['127.0.0.1:4000', 'environment', 'OWN_BIND']);
  expect(shown('listeners.data.bind')).toEqual(['127.0.0.1:5031', 'file', 'line 4']);
  expect(shown('listeners.vault')).toEqual([false, 'default', null]);
  expect(shown('gateway.trusted_proxies')).toEqual([['127.0.0.1', '10.0.0.0/8'], 'file', 'line 3']);
});

test('SKEP_PORT_BASE gives addresses, unless a flag does', () => {
  const env = { ...ENV, SKEP_PORT_BASE: '20000' };
  const settings = settingsOf(platformOf(TEXT, { env, flags: { 'gateway.bind': '127.0.0.1:7' } }));
  expect(at(settings, 'gateway.bind')).toMatchObject({ value: '127.0.0.1:7', source: 'flag', from: '--gateway.bind' });
  for (const name of ['data', 'identity', 'operations'])
    expect(at(settings, `listeners.${name}.bind`)).toMatchObject({ source: 'environment', from: 'SKEP_PORT_BASE' });
  expect(at(settings, 'log.level')).toMatchObject({ source: 'file' });
});

test('secrets are told as set or not set, wherever they come from, and tenants are not listed', () => {
  const settings = settingsOf(platformOf(TEXT, { env: ENV }));
  expect(JSON.stringify(settings)).not.toContain('hunter2');
  for (const [key, source] of [
    ['bootstrap.token', 'file'],
    ['intake.email.smtp.password', 'environment'],
    ['intake.security.gateway_secret', 'environment'],
  ])
    expect(at(settings, key!)).toMatchObject({ value: null, secret: true, set: true, source });
  const bare = settingsOf(platformOf(''));
  expect(at(bare, 'intake.security.gateway_secret')).toMatchObject({ value: null, secret: true, set: false });
  expect(settings.filter(({ key }) => key.startsWith('hives.'))).toEqual([]);
  const keys = settings.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

test('a platform that was changed after it was read has no sources, and no wrong ones', () => {
  const sources = settingsOf({ ...platformOf(TEXT, { env: ENV }) }).map(({ source, from }) => [source, from]);
  expect(new Set(sources.map(String))).toEqual(new Set([String([null, null])]));
});
