import { expect, test } from 'vitest';
import { SlowBodies } from '#runtime/door/slow-bodies.ts';

test('ends what is over its time, oldest first, and nothing that has arrived', () => {
  let now = 0;
  const bodies = new SlowBodies(1000, () => now);
  const ended: string[] = [];
  const body = (name: string) => ({ expire: () => void ended.push(name) });
  const [a, b, c] = [body('a'), body('b'), body('c')];
  bodies.watch(a);
  now = 500;
  bodies.watch(b);
  bodies.watch(c);
  bodies.forget(b);
  now = 999;
  bodies.sweep();
  expect(ended).toEqual([]);
  now = 1000;
  bodies.sweep();
  expect(ended).toEqual(['a']);
  now = 5000;
  bodies.sweep();
  bodies.sweep();
  expect(ended).toEqual(['a', 'c']);
});
