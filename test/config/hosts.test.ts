import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isHosts } from '#config/bind.ts';
import { loadPlatform } from '#config/load.ts';

test.each([
  'sso.internal',
  'localhost:8080',
  '127.0.0.1',
  '127.0.0.1:80',
  '10.0.0.0/8',
  '10.0.0.0/8:443',
  '::1',
  '[::1]:443',
])('%s names hosts', (text) => expect(isHosts(text)).toBe(true));

test.each(['', ':80', '10.0.0.0/33', '10.0.0.256', '10.0.0', 'a b', 'http://a', '[a]:80', 'a:b', '-a', '[::1]', 'a/8'])(
  '%j names none',
  (text) => expect(isHosts(text)).toBe(false),
);

test('outbound.allow_private is checked when the file is read', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'skep-hosts-')), 'p.yaml');
  writeFileSync(file, 'outbound:\n  allow_private: [localhost:80, 10.0.0.0/99]\n');
  const loaded = loadPlatform(file, { env: {} });
  expect('problems' in loaded && loaded.problems.map(({ line, column, message }) => [line, column, message])).toEqual([
    [2, 33, expect.stringContaining('a host, an IP address or a CIDR range, with or without :port') as string],
  ]);
});
