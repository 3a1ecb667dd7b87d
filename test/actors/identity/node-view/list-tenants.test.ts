/** Pages of the registry: whole, in order, and bounded by what one page may look at. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { pageOf } from '#actors/identity/node-view/list-tenants.ts';
import { putTenant } from '#actors/identity/store.ts';
import { World } from '#test/kit/identity-call.ts';

const { tenantLooksMax } = limits.nodeView;
const TENANTS = tenantLooksMax + 100;
const at = { shard: 0, state: 'active', localdir: '/p', created_at: '2026-01-01T00:00:00Z' } as const;
const keyOf = (no: number): string => `a:b:c:t${String(no).padStart(5, '0')}`;

function registryOf(count: number): Work {
  const { activation } = new World({ position: 'superadmin:superadmin:superadmin:superadmin' });
  const fill = new Work(activation);
  for (let no = 0; no < count; no++) putTenant(fill.turn(), { ...at, key: keyOf(no), no: no + 2 });
  fill.commit();
  return new Work(activation);
}

/** The keys of all pages, and how many each page had. */
function walk(work: Work, q: string, limit: number): { keys: string[]; pages: number[] } {
  const keys: string[] = [];
  const pages: number[] = [];
  for (let after = ''; ;) {
    const { tenants, next } = pageOf(work.turn(), { q, after, limit });
    keys.push(...tenants.map(({ key }) => key));
    pages.push(tenants.length);
    if (next === null) return { keys, pages };
    after = next;
  }
}

const work = registryOf(TENANTS);

test('the pages are all tenants in the order of their keys, each once', () => {
  const { keys, pages } = walk(work, '', 200);
  expect(keys).toEqual(Array.from({ length: TENANTS }, (_, no) => keyOf(no)));
  expect(Math.max(...pages)).toBe(200);
});

test('a search looks at so many records and goes on from there, also with an empty page', () => {
  const last = keyOf(TENANTS - 1);
  expect(walk(work, 't01099', 10)).toEqual({ keys: [last], pages: [0, 1] });
  expect(pageOf(work.turn(), { q: 't01099', after: '', limit: 10 })).toEqual({
    tenants: [],
    next: keyOf(tenantLooksMax - 1),
  });
});

test('a cursor that is no key begins at the next one; behind the last there is nothing', () => {
  const from = (after: string) => pageOf(work.turn(), { q: '', after, limit: 1 }).tenants.map(({ key }) => key);
  expect(from('a:b:c:t00003x')).toEqual([keyOf(4)]);
  expect(from('z')).toEqual([]);
  expect(from(keyOf(TENANTS - 1))).toEqual([]);
});
