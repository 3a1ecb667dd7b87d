import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { exceededChannel } from '#actors/identity/authority.ts';
import type { Capabilities } from '#actors/identity/shapes.ts';
import { parsePosition, type Position } from '#actors/protocol/position.ts';
import type { Principal, PrincipalType } from '#actors/protocol/principal.ts';

const HERE = parsePosition('acme:atlas:dev:main')!;

const issuer = (type: PrincipalType, roles: readonly string[], superadmin = false): Principal => ({
  type,
  subject: 'S',
  tenant: HERE.key,
  roles,
  scope: [],
  superadmin,
  sid: null,
  actor: null,
  readonly: false,
  expiresAtMs: Infinity,
});

/** The contract's three rules and its ladder, read off the page: grants as arrays in their written order. */
function oracle(who: Principal, at: Position, wish: Capabilities): 'roles' | 'scope' | 'is_superadmin' | null {
  const { customer: c, product: p, env: e, tenant: t } = at;
  const ladder: Record<string, string[]> = {
    platform_admin: ['*', '*', '*', '*'],
    customer_admin: [c, '*', '*', '*'],
    product_admin: [c, '*', p, '*'],
    env_admin: [c, e, p, '*'],
    tenant_admin: [c, e, p, t],
    tenant_user: [c, e, p, t],
    tenant_viewer: [c, e, p, t],
  };
  // A superadmin of a tenant may confer any role but those that reach beyond the tenant.
  const beyond = ['platform_admin', 'customer_admin', 'product_admin', 'env_admin'];
  for (const role of wish.roles ?? [])
    if (!new Set(who.roles).has(role) && (!who.superadmin || beyond.includes(role))) return 'roles';
  for (const grant of wish.scope ?? []) {
    const wanted = grant.split(':');
    const covered = who.roles.some((role) => {
      const held = Object.hasOwn(ladder, role) ? ladder[role]! : null;
      return held !== null && wanted.every((segment, i) => held[i] === '*' || held[i] === segment);
    });
    if (!covered) return 'scope';
  }
  if (wish.is_superadmin === true && (who.type !== 'key' || !who.superadmin)) return 'is_superadmin';
  return null;
}

const role = fc.constantFrom(
  'platform_admin',
  'customer_admin',
  'product_admin',
  'env_admin',
  'tenant_admin',
  'tenant_user',
  'tenant_viewer',
  'editor',
  'superadmin',
  'constructor',
);
const segments = (own: string) => fc.constantFrom(own, 'x', '*');
const grant = fc
  .tuple(segments('acme'), segments('dev'), segments('atlas'), segments('main'))
  .map((parts) => parts.join(':'));
const wishes = fc.record({
  roles: fc.array(role, { maxLength: 2 }),
  scope: fc.array(grant, { maxLength: 2 }),
  is_superadmin: fc.boolean(),
});

describe('issuance authority', () => {
  test('agrees with the naive reading of the contract', () => {
    const who = fc
      .tuple(fc.constantFrom<PrincipalType>('key', 'user', 'service'), fc.array(role, { maxLength: 3 }), fc.boolean())
      .map((parts) => issuer(...parts));
    fc.assert(
      fc.property(who, wishes, (who, wish) => {
        const exceeded = exceededChannel(who, HERE, wish);
        expect(exceeded === null ? null : exceeded.split(':')[0]).toBe(oracle(who, HERE, wish));
      }),
      { numRuns: 2000 },
    );
  });

  test('asking for none of the three channels passes for every caller', () => {
    for (const wish of [{}, { roles: [], scope: [] }, { is_superadmin: false }])
      expect(exceededChannel(issuer('service', []), HERE, wish)).toBeNull();
  });

  test.each([
    ['superadmin:superadmin:superadmin:superadmin', null],
    ['acme:atlas:dev:superadmin', 'product_admin'],
    ['acme:atlas:dev:main', 'env_admin'],
    ['acme:atlas:dev:shared', 'env_admin'],
  ])('a superadmin of %s confers any role of the ladder below %s', (plane, first) => {
    const position = parsePosition(plane)!;
    const ladder = ['tenant_viewer', 'tenant_user', 'tenant_admin', 'env_admin', 'product_admin', 'customer_admin'];
    const all = [...ladder, 'platform_admin'];
    const may = first === null ? all : all.slice(0, all.indexOf(first));
    for (const type of ['key', 'user'] as const) {
      const who = { ...issuer(type, ['superadmin'], true), tenant: plane };
      expect(all.filter((role) => exceededChannel(who, position, { roles: [role] }) === null)).toEqual(may);
      expect(exceededChannel(who, position, { roles: ['editor'] })).toBeNull();
      const held = { ...who, roles: ['platform_admin'] };
      expect(exceededChannel(held, position, { roles: ['platform_admin'] })).toBeNull();
    }
  });

  test.each([
    ['platform_admin', '*:*:*:*', 'x:y:z:w'],
    ['customer_admin', 'acme:*:*:*', 'other:dev:atlas:main'],
    ['product_admin', 'acme:*:atlas:*', 'acme:*:other:*'],
    ['env_admin', 'acme:dev:atlas:*', 'acme:prod:atlas:main'],
    ['tenant_admin', 'acme:dev:atlas:main', 'acme:dev:atlas:*'],
    ['tenant_user', 'acme:dev:atlas:main', 'acme:dev:atlas:other'],
    ['tenant_viewer', 'acme:dev:atlas:main', 'acme:atlas:dev:main'],
    ['editor', null, 'acme:dev:atlas:main'],
    ['superadmin', null, 'acme:dev:atlas:main'],
  ])('%s may grant %s', (role, may, mayNot) => {
    const who = issuer('user', [role]);
    if (may !== null) expect(exceededChannel(who, HERE, { scope: [may] })).toBeNull();
    const refused = exceededChannel(who, HERE, { scope: [mayNot] });
    if (role === 'platform_admin') expect(refused).toBeNull();
    else expect(refused).toMatch(/^scope: /);
  });

  test('only a superadmin key sets is_superadmin: a bearer always fails', () => {
    const wish = { is_superadmin: true };
    expect(exceededChannel(issuer('key', [], true), HERE, wish)).toBeNull();
    expect(exceededChannel(issuer('user', ['superadmin'], true), HERE, wish)).toMatch(/^is_superadmin: /);
    expect(exceededChannel(issuer('key', []), HERE, wish)).toMatch(/^is_superadmin: /);
  });
});
