import { expect, test } from 'vitest';
import { findFormerRevision, findRevision, putRevision } from '#actors/engine/schema/store.ts';
import { TenantProducts, type TenantProductsPorts } from '#runtime/threads/tenant-products.ts';
import { MemoryStore } from '#test/storage/memory.ts';

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string];

test('a tenant keeps the revision of before, and the sweep hears of both', () => {
  const store = new MemoryStore();
  const products = new TenantProducts({ store: () => store } as unknown as TenantProductsPorts);
  const serve = (revision: string): void => {
    const turn = store.begin();
    putRevision(turn, revision);
    turn.commit();
  };
  const kept = (): readonly (string | undefined)[] => {
    const turn = store.begin();
    try {
      return [findRevision(turn), findFormerRevision(turn)];
    } finally {
      turn.abort();
    }
  };
  const entries = [{}, {}] as never; // two tenants of one store: each revision once
  expect(products.revisionsOf(entries)).toEqual([]);
  serve(A);
  expect(kept()).toEqual([A, undefined]);
  expect(products.revisionsOf(entries)).toEqual([A]);
  serve(A); // the same once more has no other before it
  expect(kept()).toEqual([A, undefined]);
  serve(B);
  serve(B);
  expect(kept()).toEqual([B, A]);
  serve(C);
  expect(products.revisionsOf(entries)).toEqual([C, B]);
  serve(B);
  expect(kept()).toEqual([B, C]);
});

/** Whether a tenant of revision A is served by a machine without its archive, whose checkout is another revision. */
async function servedFrom(checkout: string): Promise<string | null> {
  const store = new MemoryStore();
  const turn = store.begin();
  putRevision(turn, A);
  turn.commit();
  const archives = new Set<string>();
  const products = new TenantProducts({
    store: () => store,
    products: {
      blobs: { size: (revision: string) => Promise.resolve(archives.has(revision) ? 1 : null) },
      first: () => Promise.resolve(void archives.add(checkout)),
      kept: (revision: string) => Promise.resolve({ problem: archives.has(revision) ? null : `no ${revision}` }),
    },
  } as unknown as TenantProductsPorts);
  return (await products.of({ localdir: '/checkout', state: 'active' } as never)).problem;
}

test('a machine without the archive of a revision serves its checkout where that is the same', async () => {
  expect(await servedFrom(A)).toBeNull();
  expect(await servedFrom(B)).toBe(`no ${A}`);
});
