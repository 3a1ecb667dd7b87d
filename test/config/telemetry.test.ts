/** `telemetry.traces`. Source: docs/contract/platform.md §4.1. */
import { expect, test } from 'vitest';
import { redacted } from '#config/redact.ts';
import { bad, good } from './load-text.ts';

const traces = (lines: string, env: Record<string, string> = {}) =>
  good(`telemetry: { traces: { ${lines} } }`, { env }).telemetry.traces;
const faults = (lines: string, env: Record<string, string> = {}) =>
  bad(`telemetry: { traces: { ${lines} } }`, { env }).join('\n');

test('nothing is traced by default', () => {
  expect(good('').telemetry).toEqual({});
  expect(good('telemetry:').telemetry.traces).toBeUndefined();
});

test('one request in a hundred is traced, and no caller is trusted', () => {
  expect(traces('to: "https://otlp.example.org/v1/traces"')).toEqual({
    to: 'https://otlp.example.org/v1/traces',
    headers: {},
    sample: 0.01,
    trust_parent: [],
    service_name: 'skep',
  });
});

test('credentials come from the environment and are shown nowhere', () => {
  const env = { OTLP_KEY: 'a-credential' };
  const text = 'telemetry: { traces: { to: "https://otlp.example.org", headers: { x-key: "${OTLP_KEY}" } } }';
  const platform = good(text, { env });
  expect(platform.telemetry.traces!.headers).toEqual({ 'x-key': 'a-credential' });
  const shown = JSON.stringify(redacted(platform));
  expect(shown).toContain('"x-key":"********"');
  expect(shown).not.toContain('a-credential');
  expect(
    faults('to: "https://otlp.example.org", headers: { x-key: "${OTLP_KEY}" }', { OTLP_KEY: 'a-credential\n' }),
  ).not.toContain('a-credential');
});

test.each([
  ['sample: 0.5', 'to'],
  ['to: "ftp://otlp.example.org"', 'the http or https URL of an OTLP receiver'],
  ['to: "https://otlp.example.org", sample: 1.5', 'a share from 0 (none) to 1 (all)'],
  ['to: "https://otlp.example.org", trust_parent: [everyone]', 'an IP address or a CIDR range'],
  ['to: "https://otlp.example.org", service_name: "two words"', 'a name without spaces'],
  ['to: "https://otlp.example.org", headers: { "a b": c }', 'use the name of a header'],
  ['to: "https://otlp.example.org", headers: { Content-Type: c }', 'is written by the node itself'],
  ['to: "https://otlp.example.org", headers: { x-key: "a\\nb" }', 'cannot be sent'],
  ['to: "https://user:secret@otlp.example.org"', 'the URL holds a credential'],
  ['to: "https://otlp.example.org/?token=secret"', 'the URL has a query'],
  ['to: "http://192.0.2.7:4318/v1/traces"', 'in clear text'],
])('%s: refused, with %s', (lines, words) => {
  expect(faults(lines)).toContain(words);
});

test.each([
  'http://127.0.0.1:4318/v1/traces',
  'http://[::1]:4318/v1/traces',
  'http://10.0.0.7:4318/',
  'http://collector:4318/v1/traces',
])('a collector near the node: %s', (to) => {
  expect(traces(`to: "${to}"`)?.to).toBe(to);
});

test('a credential may be a secret of the vault', () => {
  const text = 'telemetry: { traces: { to: "https://otlp.example.org", headers: { x-key: "vault:otlp/key" } } }';
  expect(bad(text).join()).toContain('there is no vault in this file');
  expect(good(`${text}\nvault: { enabled: true, profile: development }`).telemetry.traces!.headers['x-key']).toBe(
    'vault:otlp/key',
  );
});
