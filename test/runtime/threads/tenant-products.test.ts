import { expect, test } from 'vitest';
import { findFormerRevision, findRevision, putRevision } from '#actors/engine/schema/store.ts';
import { TenantProducts } from '#runtime/threads/tenant-products.ts';
import type { TenantProductsPorts } from '#runtime/threads/tenant-products.ts';
import { MemoryStore } from '#storage/memory.ts';

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
