import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { burn, fuelled, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import {
  atOnce,
  inSlices,
  makeInSlices,
  overSnapshot,
  sliceBySlice,
  takeSteps,
  TookTooLong,
} from '#actors/kit/pace/steps.ts';
import type { Holder, Steps } from '#actors/kit/pace/steps.ts';
import { limits } from '#config/limits.ts';

const BOUND = { sliceReadMsMax: 2, sliceRowsMax: 3 };
const STEP_BOUNDS = { turnStepsMax: 4, sliceStepsMax: 3, sliceMsMax: 2 };

/** Writes down what happens, in order; each turn of others takes `othersMs`. */
function scene(othersMs = 0) {
  const log: string[] = [];
  const clock = new SimulatedClock();
  const who: Holder = {
    clock,
    yieldTurn: () => {
      log.push('others');
      clock.advance(othersMs);
      return Promise.resolve();
    },
    hold: () => void log.push('hold'),
    turn: () => ({ prepare: () => prepared(log) }),
  };
  return { log, clock, who };
}

// oxlint-disable-next-line require-yield
function* prepared(log: string[]): Steps<void> {
  log.push('prepared');
}

function* counted(log: string[], steps: number, result: string, each: () => void = () => undefined): Steps<string> {
  for (let at = 0; at < steps; at++) {
    each();
    log.push('step');
    yield;
  }
  log.push(result);
  return result;
}

const runs = (log: readonly string[]): string => log.map((one) => one[0]).join('');

test('at once: to the end, however many', () => {
  const { log } = scene();
  expect(atOnce(counted(log, 5, 'end'))).toBe('end');
  expect(runs(log)).toBe('ssssse');
});

test('what is made beside the turn: a slice ends by its steps or by its time, and keeps no caller waiting', async () => {
  const byNumber = scene();
  expect(await makeInSlices(byNumber.who, counted(byNumber.log, 7, 'end'), 3)).toBe('end');
  expect(runs(byNumber.log)).toBe('sssosssose');
  const byTime = scene();
  const half = () => byTime.clock.advance(limits.data.sliceMsMax / 2);
  expect(await makeInSlices(byTime.who, counted(byTime.log, 4, 'end', half), 100)).toBe('end');
  expect(runs(byTime.log)).toBe('ssossoe');
});

test('slice by slice: the first at once, with a result where that was all', async () => {
  const { log, who } = scene();
  const all = (steps: Steps<string>) =>
    sliceBySlice(
      () => steps.next(),
      () => who.yieldTurn(),
    );
  expect(all(counted(log, 0, 'end'))).toBe('end');
  expect(await all(counted(log, 2, 'end'))).toBe('end');
  expect(runs(log)).toBe('esosoe');
});

describe('a mutation', () => {
  test('that fits ends within the turn, and holds nothing', () => {
    const { log, who } = scene();
    expect(takeSteps(who, counted(log, 3, 'end'), STEP_BOUNDS)).toBe('end');
    expect(runs(log)).toBe('ssse');
  });

  test('that is long holds, goes on behind others by steps, and makes its commit ready', async () => {
    const { log, who } = scene();
    expect(await takeSteps(who, counted(log, 8, 'end'), STEP_BOUNDS)).toBe('end');
    expect(runs(log)).toBe(['ssssh', 'osss', 'ose', 'op'].join(''));
  });

  test('ends a slice by time, too; one step is the least', async () => {
    const { log, who, clock } = scene();
    await takeSteps(
      who,
      counted(log, 6, 'end', () => clock.advance(2)),
      STEP_BOUNDS,
    );
    expect(runs(log)).toBe(['ssssh', 'os', 'os', 'oe', 'op'].join(''));
  });

  test('has the fuel of a stretch for each step behind others', async () => {
    const { log, who } = scene();
    const dear = counted(log, 6, 'end', () => burn(limits.host.turnUnits));
    expect(await takeSteps(who, dear, STEP_BOUNDS)).toBe('end');
  });
});

describe('work that spends its own budget', () => {
  test('has a new slice behind each of its steps', async () => {
    const { log, who } = scene();
    const budget = new Budget(who.clock, BOUND);
    function* work(): Steps<number> {
      for (let at = 0; at < 7; at++) if (budget.spend(1)) yield;
      return 7;
    }
    expect(await inSlices(who, budget, work())).toBe(7);
    expect(runs(log)).toBe('oo');
  });

  test('is given the value of what it waits for', async () => {
    const { log, who } = scene();
    function* work(): Steps<unknown, Promise<number> | void> {
      const given = yield Promise.resolve(3);
      yield;
      return given;
    }
    expect(await inSlices(who, new Budget(who.clock, BOUND), work())).toBe(3);
    expect(runs(log)).toBe('o');
  });

  test.each([
    ['outlives its snapshot', limits.storage.snapshotMsMax + 1, (): void => undefined, TookTooLong],
    ['burns more in a step than a slice may', 0, (): void => burn(limits.host.turnUnits + 1), OutOfFuel],
  ] as const)('that %s lets go of it', async (_name, othersMs, each, error) => {
    const { log, who } = scene(othersMs);
    const view = { close: () => void log.push('close') };
    const work = (): Steps<string> => counted(log, 3, 'end', each);
    const done = overSnapshot(who, new Budget(who.clock, BOUND), view, work);
    await expect(done).rejects.toThrow(error);
    expect(log.at(-1)).toBe('close');
  });
});

test('a budget has not the fuel for one more row where the stretch has burned it', () => {
  const budget = new Budget(new SimulatedClock(), BOUND);
  expect(budget.isSpent).toBe(false);
  fuelled(limits.rules.perRowMax * limits.rules.evaluationUnits, () => {
    expect(budget.isSpent).toBe(false);
    burn(1);
    expect(budget.isSpent).toBe(true);
  });
  budget.count(3);
  expect(budget.isSpent).toBe(true);
  budget.next();
  expect(budget.isSpent).toBe(false);
});
