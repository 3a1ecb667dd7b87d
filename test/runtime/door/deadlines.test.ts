import { expect, test } from 'vitest';
import { Deadlines } from '#runtime/door/deadlines.ts';

test('ends what is over its time, oldest first, and nothing that was done in time', () => {
  let now = 0;
  const ended: string[] = [];
  const answers = new Deadlines<string>(
    1000,
    (name) => ended.push(name),
    () => now,
  );
  answers.watch('a');
  now = 500;
  answers.watch('b');
  answers.watch('c');
  answers.forget('b');
  now = 999;
  answers.sweep();
  expect(ended).toEqual([]);
  now = 1000;
  answers.sweep();
  expect(ended).toEqual(['a']);
  now = 5000;
  answers.sweep();
  answers.sweep();
  expect(ended).toEqual(['a', 'c']);
});
