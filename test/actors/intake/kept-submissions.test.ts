/** What intake tells the audit log. Contract: docs/contract/audit.md §2.3 (node/intake), docs/contract/common.md §6 (names of events). */
import { expect, test } from 'vitest';
import { KeptSubmissions } from '#actors/intake/kept-submissions.ts';
import type { Submission } from '#actors/intake/submission.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import type { NodeEvent } from '#actors/protocol/audit.ts';

const submission = (id: string, form: string): Submission => ({
  id,
  form,
  received_at: '2026-01-01T00:00:00.000Z',
  fields: { secret: 'never told' },
  idempotency_key: '',
});

test('batches of a time are one event, which counts and never shows what was submitted', () => {
  const told: NodeEvent[] = [];
  const timers: (() => void)[] = [];
  const kept = new KeptSubmissions({
    clock: new SimulatedClock(),
    everyMs: 1000,
    after: (_ms, run) => void timers.push(run),
    tell: (event) => void told.push(event),
  });
  kept.add([submission('a', 'contact'), submission('b', 'order')]);
  kept.add([]);
  kept.add([submission('c', 'contact')]);
  expect(timers).toHaveLength(1);
  expect(told).toEqual([]);
  timers.shift()!();
  const data = { count: 3, forms: { contact: 2, order: 1 }, first: 'a', last: 'c' };
  expect(told).toMatchObject([{ action: 'intake.submissions.keep', outcome: 'ok', data }]);
  expect(JSON.stringify(told)).not.toContain('never told');
  kept.flush();
  expect(told).toHaveLength(1);
  kept.add([submission('d', 'contact')]);
  kept.flush();
  expect(told[1]).toMatchObject({ data: { count: 1, forms: { contact: 1 }, first: 'd', last: 'd' } });
});
