import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { grantCovers, parseGrant } from '#actors/kit/grant.ts';
import { parsePosition } from '#actors/protocol/position.ts';

test('a grant is written customer:env:product:tenant', () => {
  expect(parseGrant('acme:dev:atlas:main')).toEqual({ customer: 'acme', env: 'dev', product: 'atlas', tenant: 'main' });
});

test.each(['', 'a', 'a:b:c', 'a:b:c:d:e', 'a:b:c:', ':::', 'A:b:c:d', 'a:b:c:d ', 'a:b:**:d', 'a*:b:c:d', '-a:b:c:d'])(
  '%j is no grant',
  (text) => {
    expect(parseGrant(text)).toBeNull();
  },
);

test('covers by named segment, as the plain reading has it', () => {
  const part = fc.constantFrom('a', 'b', '*');
  const solid = fc.constantFrom('a', 'b');
  fc.assert(
    fc.property(fc.tuple(part, part, part, part), fc.tuple(solid, solid, solid, solid), (wide, at) => {
      const [customer, env, product, tenant] = wide;
      const [c, p, e, t] = at;
      const naive =
        [c, '*'].includes(customer) &&
        [e, '*'].includes(env) &&
        [p, '*'].includes(product) &&
        [t, '*'].includes(tenant);
      expect(grantCovers(parseGrant(wide.join(':'))!, parsePosition(at.join(':'))!)).toBe(naive);
    }),
  );
});

test('a concrete segment never covers a wildcard', () => {
  expect(grantCovers(parseGrant('a:b:c:d')!, parseGrant('a:b:c:*')!)).toBe(false);
  expect(grantCovers(parseGrant('a:b:c:*')!, parseGrant('a:b:c:*')!)).toBe(true);
});
