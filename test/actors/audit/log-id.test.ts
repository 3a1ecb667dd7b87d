/** Names of logs. Contract: docs/contract/vault.md §6, docs/contract/audit.md §2.3. */
import { expect, test } from 'vitest';
import { isLogId, matchesLog } from '#actors/audit/log-id.ts';

test('the ids of the contract are ids, and nothing that leaves the directory is', () => {
  for (const id of [
    'vault/dc1/main/acme',
    'vault/dc1/main/_cluster',
    'vault/_global',
    'tenant/acme/shop/dev/main',
    'node/intake',
    'node/platform',
  ])
    expect(isLogId(id), id).toBe(true);
  for (const id of [
    '',
    'vault',
    'vault/',
    'vault/../x',
    'vault/./x',
    'tenant/acme/shop/dev',
    'tenant/acme/shop/dev/main/more',
    'tenant/acme//dev/main',
    '/node/intake',
    'node/.state',
    'node/Intake',
    'other/x',
    'node/a b',
    `node/${'x'.repeat(64)}`,
    'node/x\0',
  ])
    expect(isLogId(id), id).toBe(false);
});

test('a star stays within a segment, two go across', () => {
  expect(matchesLog('tenant/*/shop/*/main', 'tenant/acme/shop/dev/main')).toBe(true);
  expect(matchesLog('tenant/*', 'tenant/acme/shop/dev/main')).toBe(false);
  expect(matchesLog('tenant/**', 'tenant/acme/shop/dev/main')).toBe(true);
  expect(matchesLog('vault/**/_cluster', 'vault/dc1/main/_cluster')).toBe(true);
  expect(matchesLog('node/in.ake', 'node/intake')).toBe(false);
});
