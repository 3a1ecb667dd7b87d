import { expect, test } from 'vitest';
import type { Platform } from '#config/platform.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { productSource, type SourcePlatform } from '#runtime/product-source.ts';

const node = (key: string, meta: Platform['hives']['tenant'][number]['meta']) => ({ key, meta });
const platform: SourcePlatform = {
  storage: { dir: '/data' },
  hives: {
    tenant: [
      node('acme:atlas:dev:main', { localdir: '/p/dev' }),
      node('acme:atlas:prod:main', { localdir: '/p/prod' }),
      node('acme:remote:dev:main', { url: 'https://example.org/p' }),
    ],
  },
};

const CONTROL = 'superadmin:superadmin:superadmin:superadmin';
const of = (key: string, source: string | null = null, registered?: string, by = CONTROL) => {
  const position = parsePosition(key)!;
  const entry = { no: 2, position, shard: 0, state: 'active', localdir: registered ?? null } as const;
  return productSource(
    platform,
    position,
    registered === undefined ? undefined : entry,
    source === null ? null : { source, by },
  );
};

test.each([
  ['its own node', of('acme:atlas:dev:main'), '/p/dev'],
  ['its own node, wished for', of('acme:atlas:dev:main', '/p/dev'), '/p/dev'],
  ['a sibling of its env', of('acme:atlas:prod:more'), '/p/prod'],
  ['a sibling of its product', of('acme:atlas:test:more'), '/p/dev'],
  ['a named directory', of('zeta:atlas:dev:more', '/p/prod'), '/p/prod'],
  ['a named tenant', of('zeta:atlas:dev:more', 'acme:atlas:dev:main'), '/p/dev'],
  ['what it is registered with', of('acme:atlas:prod:more', null, '/p/dev'), '/p/dev'],
  [
    'its own product, named by its operator',
    of('acme:atlas:dev:more', '/p/prod', undefined, 'acme:atlas:dev:superadmin'),
    '/p/prod',
  ],
  ['nothing, as a plane', of('acme:atlas:dev:superadmin'), null],
])('the checkout is that of %s', (_name, source, localdir) => expect(source).toEqual({ localdir }));

test.each([
  ['an unknown product', of('acme:other:dev:main')],
  ['a directory that is not configured', of('acme:atlas:dev:more', '/etc')],
  ['another source than its node has', of('acme:atlas:dev:main', '/p/prod')],
  [
    'the product of another customer, named by an operator',
    of('zeta:atlas:dev:more', '/p/prod', undefined, 'zeta:atlas:dev:superadmin'),
  ],
  [
    'another product of the customer, named by an operator',
    of('acme:other:dev:more', '/p/prod', undefined, 'acme:other:dev:superadmin'),
  ],
  ['a source for a plane', of('acme:atlas:dev:shared', '/p/dev')],
])('a problem for %s', (_name, source) => expect(source).toHaveProperty('problem'));

test('a product from a URL lies under the data directory, in one place for all tenants that name the URL', () => {
  const found = of('acme:remote:dev:main');
  expect(found).toEqual({
    url: 'https://example.org/p',
    localdir: expect.stringMatching(/^\/data\/products\/[0-9a-f]{32}$/),
  });
  for (const same of [
    of('acme:remote:dev:main', 'https://example.org/p'),
    of('x:y:z:w', 'https://example.org/p'),
    of('acme:remote:test:x'),
  ])
    expect(same).toEqual(found);
});
