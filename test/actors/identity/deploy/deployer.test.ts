import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { isOutOfBounds } from '#actors/identity/deploy/deployer.ts';
import { Sent } from '#actors/identity/deploy/sent.ts';
import { routes } from '#actors/identity/routes.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';

const key = (roles: readonly string[], more: Partial<Principal> = {}): Principal => ({
  ...ANONYMOUS,
  type: 'key',
  subject: 'k',
  roles,
  ...more,
});

test('a key for deploys counts at the routes of deploys alone, whatever else it has', () => {
  const counts = (principal: Principal): string[] =>
    Object.entries(routes).flatMap(([name, { callers }]) => (isOutOfBounds(principal, callers) ? [] : [name]));
  const deploys = ['deployTenants', 'deployRevision', 'deployPlan', 'deployApply'];
  expect(counts(key(['skep-deployer']))).toEqual(deploys);
  expect(counts(key(['impersonate', 'skep-deployer'], { superadmin: true, scope: ['*:*:*:*'] }))).toEqual(deploys);
  expect(counts(key(['tenant_admin']))).toHaveLength(Object.keys(routes).length);
  // A user with such a role is no key: the routes of deploys refuse it by their callers.
  expect(counts(key(['skep-deployer'], { type: 'user' }))).toHaveLength(Object.keys(routes).length);
});

test('past their number the revision that was sent first is forgotten', () => {
  const sent = new Sent();
  const { sentMax } = limits.develop;
  for (let i = 0; i < sentMax; i++) sent.add(String(i));
  sent.add('0'); // once more: it is the newest now
  sent.add('new');
  expect([sent.has('0'), sent.has('1'), sent.has('2'), sent.has('new')]).toEqual([true, false, true, true]);
});
