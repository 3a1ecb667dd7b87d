import { expect, test } from 'vitest';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Work } from '#actors/host/work.ts';

function workOn(store: MemoryStore): Work {
  return new Work({ store } as unknown as Activation);
}

test('one turn until it ends; what is committed is there, what is aborted is not', () => {
  const store = new MemoryStore();
  const work = workOn(store);
  expect(work.turn()).toBe(work.turn());
  work.turn().put('a', Buffer.from('1'));
  expect(work.commit()).toBeGreaterThan(0);
  work.turn().put('b', Buffer.from('2'));
  work.abort();
  expect([store.begin().get('a'), store.begin().get('b')]).toEqual([Buffer.from('1'), undefined]);
});

test('the newest number read or written counts over every turn of the work, an aborted one too', () => {
  const work = workOn(new MemoryStore());
  expect(work.abort()).toBe(0);
  work.turn().put('a', Buffer.from('1'));
  const written = work.commit();
  expect(written).toBeGreaterThan(0);
  const first = work.turn();
  expect(work.nextTurn()).not.toBe(first);
  expect(work.abort()).toBe(written);
  work.saw(written + 5);
  work.saw(written + 2);
  expect(work.commit()).toBe(written + 5);
});
