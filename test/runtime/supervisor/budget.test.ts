import { expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { RestartBudget } from '#runtime/supervisor/budget.ts';

test('so many exits within the window, and no more', () => {
  const clock = new SimulatedClock();
  const budget = new RestartBudget({ max: 3, windowMs: 1000 }, clock);
  expect([1, 2, 3, 4].map(() => budget.spend())).toEqual([true, true, true, false]);
});

test('an exit counts until the window has passed it, to the millisecond', () => {
  const clock = new SimulatedClock();
  const budget = new RestartBudget({ max: 1, windowMs: 1000 }, clock);
  expect(budget.spend()).toBe(true);
  clock.advance(999);
  expect(budget.spend()).toBe(false);
  clock.advance(1000);
  expect(budget.spend()).toBe(true);
});

test('a slow drip is no storm', () => {
  const clock = new SimulatedClock();
  const budget = new RestartBudget({ max: 2, windowMs: 1000 }, clock);
  for (let i = 0; i < 50; i++) {
    expect(budget.spend()).toBe(true);
    clock.advance(501);
  }
});

test('a budget of none is spent by the first exit', () => {
  expect(new RestartBudget({ max: 0, windowMs: 1000 }, new SimulatedClock()).spend()).toBe(false);
});
