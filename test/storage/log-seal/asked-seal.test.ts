import { expect, test } from 'vitest';
import { askedSeal } from '#storage/log-seal/asked-seal.ts';

test('the keys are asked for once, by all who wait; and again where that failed', async () => {
  const answers = [Promise.reject(new Error('the vault is away')), Promise.resolve(null)];
  let asked = 0;
  const seal = askedSeal(() => answers[asked++]!);
  const both = await Promise.allSettled([seal(), seal()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toBe(1);
  expect(await Promise.all([seal(), seal()])).toEqual([null, null]);
  expect(await seal()).toBe(null);
  expect(asked).toBe(2);
});
