import { describe, expect, test } from 'vitest';
import { WrongCodes } from '#actors/identity/mfa/wrong-codes.ts';
import { limits } from '#config/limits.ts';

const { wrongCodesBurst, wrongCodeEveryMs, wrongCodeEntriesMax } = limits.mfa;

describe('wrong codes', () => {
  test('a burst, then one per interval, then a whole burst again', () => {
    const wrong = new WrongCodes();
    const allowed = (nowMs: number) => {
      let count = 0;
      for (; !wrong.blocked('u', nowMs); count++) wrong.note('u', nowMs);
      return count;
    };
    expect(allowed(0)).toBe(wrongCodesBurst);
    expect(allowed(wrongCodeEveryMs - 1)).toBe(0);
    expect(allowed(wrongCodeEveryMs)).toBe(1);
    expect(allowed(wrongCodeEveryMs * (wrongCodesBurst + 1))).toBe(wrongCodesBurst);
    expect(wrong.blocked('other', 0)).toBe(false);
  });

  test('is bounded: the subject noted longest ago is forgotten', () => {
    const wrong = new WrongCodes();
    for (let i = 0; i < wrongCodesBurst; i++) wrong.note('first', 0);
    for (let i = 0; i < wrongCodesBurst; i++) wrong.note('second', 0);
    for (let i = 0; i < wrongCodeEntriesMax - 1; i++) wrong.note(`u${i}`, 0);
    expect([wrong.blocked('first', 0), wrong.blocked('second', 0)]).toEqual([false, true]);
  });
});
