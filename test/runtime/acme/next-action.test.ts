/** The plan of orders under a simulated clock: when, in which order, and how long a failure is waited for. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import {
  FRESH,
  afterFailure,
  afterSuccess,
  dueAtMs,
  isTrouble,
  nextAction,
  remembered,
  renewAtMs,
} from '#runtime/acme/next-action.ts';
import type { Attempts, Failure, Life, NameFacts } from '#runtime/acme/next-action.ts';
import { fc } from '#test/kit/property.ts';

const DAY = 24 * 60 * 60_000;
const NOW = Date.UTC(2026, 10, 26);
const { backoffMs, backoffMsMax, backoffSpread, lookMsMax, retryAfterMsMax } = limits.acme;
const evenly = (): number => 0.5;
const failureAt = (atMs: number): Failure => ({ atMs, what: 'w', mend: 'm' });
const facts = (name: string, life: Life | null, attempts: Attempts = FRESH): NameFacts => ({ name, life, attempts });
/** A certificate of 90 days that began so many days ago. */
const begun = (days: number): Life => ({ notBeforeMs: NOW - days * DAY, notAfterMs: NOW + (90 - days) * DAY });

describe('what is next', () => {
  test('a name without a certificate is ordered, and one is renewed at two thirds of its life', () => {
    expect(nextAction([facts('a', null)], NOW)).toEqual({ kind: 'order', name: 'a' });
    expect(renewAtMs(begun(0))).toBe(NOW + 60 * DAY);
    expect(nextAction([facts('a', begun(60))], NOW)).toEqual({ kind: 'order', name: 'a' });
    expect(nextAction([facts('a', begun(60))], NOW - 1)).toEqual({ kind: 'wait', untilMs: NOW });
  });

  test('the one that ends first comes first, and a name without one before all', () => {
    expect(nextAction([facts('late', begun(61)), facts('soon', begun(89))], NOW)).toEqual({
      kind: 'order',
      name: 'soon',
    });
    expect(nextAction([facts('soon', begun(89)), facts('none', null)], NOW)).toEqual({ kind: 'order', name: 'none' });
  });

  test('a name that waits after a failure keeps no other from its order', () => {
    const waits = afterFailure(FRESH, failureAt(NOW), null, evenly);
    expect(nextAction([facts('none', null, waits), facts('soon', begun(70))], NOW)).toEqual({
      kind: 'order',
      name: 'soon',
    });
    expect(nextAction([facts('none', null, waits)], NOW)).toEqual({ kind: 'wait', untilMs: NOW + backoffMs });
  });

  test('an order that failed is made again after its wait, though the certificate is young', () => {
    const failed = afterFailure(FRESH, failureAt(NOW), null, evenly);
    expect(dueAtMs(facts('a', begun(1), failed))).toBe(NOW + backoffMs);
  });

  test('it looks again within the hour, whatever the plan says', () => {
    expect(nextAction([facts('a', begun(0))], NOW)).toEqual({ kind: 'wait', untilMs: NOW + lookMsMax });
    expect(nextAction([], NOW)).toEqual({ kind: 'wait', untilMs: NOW + lookMsMax });
  });
});

describe('after a failure', () => {
  test('the wait doubles up to its bound, spread by chance', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const next = afterFailure({ ...FRESH, failures }, failureAt(NOW), null, () => random);
        const plain = Math.min(backoffMs * 2 ** failures, backoffMsMax);
        expect(next.failures).toBe(failures + 1);
        expect(next.notBeforeMs - NOW).toBeGreaterThanOrEqual(plain * (1 - backoffSpread) - 1);
        expect(next.notBeforeMs - NOW).toBeLessThanOrEqual(plain * (1 + backoffSpread) + 1);
      }),
    );
  });

  test('an authority that names a time is left alone for so long, within a week', () => {
    const asked = (ms: number): number => afterFailure(FRESH, failureAt(NOW), ms, evenly).notBeforeMs - NOW;
    expect([asked(0), asked(1000), asked(DAY), asked(1000 * DAY)]).toEqual([
      backoffMs,
      backoffMs,
      DAY,
      retryAfterMsMax,
    ]);
  });

  test('in the worst case four orders of a name within an hour, and Let’s Encrypt takes five', () => {
    let attempts = FRESH;
    let now = NOW;
    let orders = 0;
    for (; now < NOW + 60 * 60_000; now = attempts.notBeforeMs) {
      orders++;
      attempts = afterFailure(attempts, failureAt(now), null, () => 0);
    }
    expect(orders).toBe(4);
  });

  test('a year of an authority that is down is some 1500 orders, and one that comes back is asked within hours', () => {
    let attempts = FRESH;
    let now = NOW;
    let orders = 0;
    for (; now < NOW + 365 * DAY; now = dueAtMs(facts('a', null, attempts))) {
      orders++;
      attempts = afterFailure(attempts, failureAt(now), null, evenly);
    }
    expect(orders).toBeGreaterThan(1400);
    expect(orders).toBeLessThan(1500);
    expect(attempts.notBeforeMs - attempts.failure!.atMs).toBe(backoffMsMax);
  });

  test('a clock that is months ahead makes no order after the other', () => {
    const ahead = NOW + 80 * DAY; // each certificate of 90 days that is issued now is due already
    const issued = begun(0);
    const attempts = afterSuccess(issued, ahead);
    expect(nextAction([facts('a', issued)], ahead)).toEqual({ kind: 'order', name: 'a' });
    expect(dueAtMs(facts('a', issued, attempts))).toBe(ahead + 30 * DAY);
    expect(dueAtMs(facts('a', issued, afterSuccess(issued, NOW)))).toBe(renewAtMs(issued));
    expect(dueAtMs(facts('a', null, attempts))).toBe(0);
  });

  test('what was read back waits no longer than the longest wait, though the clock was set back by years', () => {
    const far = { failures: 1, notBeforeMs: NOW + 1000 * DAY, failure: null };
    expect(remembered(far, NOW).notBeforeMs).toBe(NOW + retryAfterMsMax);
    expect(remembered({ ...far, notBeforeMs: NOW + 1 }, NOW).notBeforeMs).toBe(NOW + 1);
  });
});

test('operators hear of it at once where no valid certificate is left, else after several failures', () => {
  const failed = (failures: number): Attempts => ({ failures, notBeforeMs: NOW, failure: failureAt(NOW) });
  const said = (life: Life | null, failures: number): boolean => isTrouble(facts('a', life, failed(failures)), NOW);
  expect([said(null, 0), said(null, 1), said(begun(91), 1), said(begun(61), 2), said(begun(61), 3)]).toEqual([
    false,
    true,
    true,
    false,
    true,
  ]);
});
