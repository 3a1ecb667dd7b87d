import { expect, test } from 'vitest';
import { Policies } from '#actors/vault/caller/policy.ts';
import { isLocalName, isLocalOrigin } from '#actors/vault/caller/stranger.ts';
import { flawOfWorkloadId } from '#actors/vault/workload/workload-id.ts';

test.each([
  ['127.0.0.1:7999', true],
  ['127.8.8.8', true],
  ['localhost:7999', true],
  ['LOCALHOST.', true],
  ['skep.localhost:80', true],
  ['[::1]:7999', true],
  ['evil.com', false],
  ['127.0.0.1.evil.com:7999', false],
  ['localhost.evil.com', false],
  ['evil.com:7999@localhost', false],
  ['10.0.0.1', false],
  ['', false],
  [undefined, false],
])('the host %j is local: %s', (host, isLocal) => {
  expect(isLocalName(host)).toBe(isLocal);
});

test.each([
  [undefined, true],
  ['http://localhost:3000', true],
  ['https://evil.com', false],
  ['null', false],
])('the origin %j is local: %s', (origin, isLocal) => {
  expect(isLocalOrigin(origin)).toBe(isLocal);
});

test('/vault/… is issued to no workload: an audit service believes its holder', () => {
  expect(flawOfWorkloadId('spiffe://hive.test/vault/vault-1', 'hive.test')).toContain('/vault/');
  expect(flawOfWorkloadId('spiffe://hive.test/vaulted/x', 'hive.test')).toBeNull();
});

test('a reserved place is an operator’s only by a row that names it; others go by their rows', () => {
  const all = ['read', 'write', 'exists', 'list', 'delete'] as const;
  const place = 'secret/_node/audit/';
  const operator = { spiffeId: 'spiffe://x/operator/ada', role: 'operator', name: 'ada' } as const;
  const service = { spiffeId: 'spiffe://x/audit', role: 'workload', name: 'audit' } as const;
  const path = `${place}node/platform/signing-key`;
  const may = (glob: string, who: typeof operator | typeof service, capability: (typeof all)[number]): boolean =>
    new Policies([{ subject: '**', path: glob, capabilities: all }], [place]).allows(who, capability, path);
  for (const glob of ['**', 'secret/**', 'secret/_node/**', 'secret/_node/a*/**'])
    expect([may(glob, operator, 'read'), may(glob, operator, 'write'), may(glob, operator, 'exists')], glob).toEqual([
      false,
      false,
      true,
    ]);
  for (const glob of [`${place}**`, `${place}node/**`, path]) expect(may(glob, operator, 'read'), glob).toBe(true);
  expect(may('**', service, 'read')).toBe(true);
});
