import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { compileRouter, type PathMatch, type RouterRow } from '#actors/protocol/router.ts';

const rows: RouterRow[] = [
  { methods: ['GET', 'POST'], path: '/data/rest/{entity}' },
  { methods: ['GET', 'PATCH', 'DELETE'], path: '/data/rest/{entity}/id/{id}' },
  { methods: ['POST'], path: '/data/rest/{entity}/bulk' },
  { methods: ['GET'], path: '/assets/{app}/{rest*}' },
  { methods: ['GET'], path: '/assets/logo' },
  { methods: ['GET'], path: '/' },
  { methods: ['GET'], path: '/users/{id}' },
  { methods: ['POST'], path: '/users/import' },
];
const router = compileRouter(rows);

function row(path: string, method: string): number | undefined {
  return router.find(path, method)?.methods[method];
}

describe('router', () => {
  test('takes parameters raw and in order', () => {
    expect(router.find('/data/rest/city/id/a%2Fb')).toMatchObject({ params: 'city\na%2Fb' });
    expect(row('/data/rest/city/id/7', 'PATCH')).toBe(1);
    expect(router.find('/')).toMatchObject({ params: '' });
  });

  test('an unknown path is null, a known one says its verbs', () => {
    expect(router.find('/nope', 'GET')).toBeNull();
    expect(router.find('', 'GET')).toBeNull();
    expect(router.find('*', 'OPTIONS')).toBeNull();
    expect(router.find('data/rest/city', 'GET')).toBeNull();
    expect(Object.keys(router.find('/data/rest/city', 'DELETE')!.methods)).toEqual(['GET', 'POST']);
  });

  test('a row that takes empty parameters is found with one', () => {
    const taking = compileRouter([
      { methods: ['GET'], path: '/rest/{entity}', emptyParams: true },
      { methods: ['GET'], path: '/rest/{entity}/id/{id}', emptyParams: true },
      { methods: ['GET'], path: '/f/{id}' },
    ]);
    expect(taking.find('/rest/', 'GET')).toMatchObject({ params: '', methods: { GET: 0 } });
    expect(taking.find('/rest//id/7', 'GET')).toMatchObject({ params: '\n7', methods: { GET: 1 } });
    expect(taking.find('/rest/city/id/', 'GET')).toMatchObject({ params: 'city\n', methods: { GET: 1 } });
    for (const path of ['/f/', '/rest', '/rest//', '//rest/']) expect(taking.find(path, 'GET')).toBeNull();
  });

  test('names of Object.prototype are no verbs', () => {
    expect(router.find('/data/rest/city', 'constructor')!.methods['constructor']).toBeUndefined();
    expect(router.find('/data/rest/city')!.methods['__proto__']).toBeUndefined();
  });

  test('an empty segment is no parameter and a trailing slash is another path', () => {
    expect(router.find('/data/rest/')).toBeNull();
    expect(router.find('/data/rest/city/')).toBeNull();
    expect(router.find('/data/rest//id/7')).toBeNull();
    expect(router.find('//')).toBeNull();
  });

  test('dots are ordinary text', () => {
    expect(router.find('/data/rest/..')).toMatchObject({ params: '..' });
    expect(router.find('/data/rest/%2e%2e/id/.')).toMatchObject({ params: '%2e%2e\n.' });
    expect(router.find('/data/x/../rest/city')).toBeNull();
  });

  test('the rest takes slashes, but not nothing', () => {
    expect(router.find('/assets/shop/a/b//c/')).toMatchObject({ params: 'shop\na/b//c/' });
    expect(router.find('/assets/shop/')).toBeNull();
    expect(router.find('/assets/logo')!.methods['GET']).toBe(4);
    expect(router.find('/assets/logo/x')).toMatchObject({ params: 'logo\nx' });
  });

  test('a verb that only the parameter has is found behind the literal', () => {
    expect(row('/users/import', 'POST')).toBe(7);
    expect(row('/users/import', 'GET')).toBe(6);
    expect(router.find('/users/import', 'HEAD')).toMatchObject({ params: 'import', methods: { GET: 6 } });
    expect(Object.keys(router.find('/users/import', 'DELETE')!.methods).sort()).toEqual(['GET', 'POST']);
  });

  test('gives the numbers of the rows where they have them', () => {
    expect(compileRouter([{ no: 41, methods: ['GET'], path: '/a' }]).find('/a')!.methods['GET']).toBe(41);
  });

  test.each([
    ['the same shape twice', ['/a/{x}', '/a/{y}']],
    ['no slash first', ['a']],
    ['rest not last', ['/a/{x*}/b']],
    ['half a parameter', ['/a/x{y}']],
    ['a name twice', ['/{a}/{a}']],
    ['an empty name', ['/{}']],
  ])('refuses %s', (_, paths) => {
    expect(() => compileRouter(paths.map((path) => ({ methods: ['GET'], path })))).toThrow(/router:/);
  });
});

/** One pattern against one path, segment by segment: the parameters, or null. */
function fits(pattern: string, path: string): string[] | null {
  if (!path.startsWith('/')) return null;
  const want = pattern.slice(1).split('/');
  const have = path.slice(1).split('/');
  const params: string[] = [];
  for (const [i, part] of want.entries()) {
    if (part.endsWith('*}')) {
      const rest = have.slice(i).join('/');
      return rest === '' ? null : [...params, rest];
    }
    if (i >= have.length) return null;
    if (part.startsWith('{')) {
      if (have[i] === '') return null;
      params.push(have[i]!);
    } else if (part !== have[i]) return null;
  }
  return have.length === want.length ? params : null;
}

/** Literals first, then parameters, then rests, from left to right. */
function rank(pattern: string): string {
  return pattern
    .slice(1)
    .split('/')
    .map((part) => (part.endsWith('*}') ? '2' : part.startsWith('{') ? '1' : '0'))
    .join('');
}

function naive(table: readonly RouterRow[], path: string, method: string): PathMatch | null {
  const fitting = table.map((r, no) => ({ r, no, params: fits(r.path, path) })).filter((f) => f.params !== null);
  if (fitting.length === 0) return null;
  const own = fitting
    .filter((f) => f.r.methods.includes(method))
    .sort((a, b) => (rank(a.r.path) < rank(b.r.path) ? -1 : 1));
  return own.length === 0
    ? { methods: {}, params: '' }
    : { methods: { [method]: own[0]!.no }, params: own[0]!.params!.join('\n') };
}

const word = fc.constantFrom('a', 'b', 'ab', '..', '%2e%2e', '');
const pattern = fc
  .tuple(fc.array(fc.oneof(word, fc.constant('{}')), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(
    ([parts, rest]) =>
      '/' + [...parts.map((part, i) => (part === '{}' ? `{p${i}}` : part)), ...(rest ? ['{r*}'] : [])].join('/'),
  );
const table = fc
  .array(fc.record({ path: pattern, methods: fc.constantFrom(['GET'], ['POST'], ['GET', 'POST']) }), { maxLength: 8 })
  .map((all) => {
    const seen = new Set<string>();
    return all.filter((r) => {
      const shape = r.path.replace(/p\d/g, 'p');
      return seen.has(shape) ? false : seen.add(shape) !== undefined;
    });
  });
const anyPath = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 6 }).map((parts) => '/' + parts.join('/')),
  fc.string({ maxLength: 6 }),
);

test('agrees with a naive matcher', () => {
  fc.assert(
    fc.property(
      table,
      fc.array(anyPath, { minLength: 1, maxLength: 10 }),
      fc.constantFrom('GET', 'POST', 'PUT'),
      (all, paths, method) => {
        const compiled = compileRouter(all);
        for (const path of paths) {
          const want = naive(all, path, method);
          const got = compiled.find(path, method);
          expect(got === null).toBe(want === null);
          if (got === null || want === null) continue;
          expect(got.methods[method]).toBe(want.methods[method]);
          if (want.methods[method] !== undefined) expect(got.params).toBe(want.params);
          else
            expect(Object.keys(got.methods).sort()).toEqual(
              [...new Set(all.filter((r) => fits(r.path, path)).flatMap((r) => r.methods))].sort(),
            );
        }
      },
    ),
    { numRuns: 2000 },
  );
});
