/** Pages of submissions against a list in memory: whatever is asked, all pages together are what a filter of everything gives, once and in order. */
import { expect, test } from 'vitest';
import { Work } from '#actors/host/work.ts';
import { newestSubmissions, oldestSubmissions } from '#actors/data/submission/list.ts';
import type { SubmissionPage, SubmissionWish } from '#actors/data/submission/list.ts';
import { addSubmission, SUBMISSION_OUTCOMES, type StoredSubmission } from '#actors/data/submission/store.ts';
import { IdSource } from '#actors/kit/id.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';
import { fc } from '#test/kit/property.ts';

const FORMS = ['contact', 'order'];
const STEP_MS = 1000;

const stored = fc.record({
  form: fc.constantFrom(...FORMS),
  outcome: fc.constantFrom(...SUBMISSION_OUTCOMES),
  /** Received so many steps after the first instant: the order of ids is not that of times. */
  step: fc.nat({ max: 9 }),
  past: fc.boolean(),
});
const wish = fc.record({
  form: fc.option(fc.constantFrom(...FORMS, 'none'), { freq: 1 }),
  outcome: fc.option(fc.constantFrom(...SUBMISSION_OUTCOMES), { freq: 1 }),
  from: fc.option(fc.nat({ max: 10 })),
  to: fc.option(fc.nat({ max: 10 })),
  limit: fc.integer({ min: 1, max: 3 }),
  newest: fc.boolean(),
});

test('pages are what a filter of everything gives', async () => {
  const reached = { pages: 0, cut: 0, empty: 0, whole: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(stored, { maxLength: 40 }),
      fc.array(wish, { minLength: 1, maxLength: 6 }),
      async (given, wishes) => {
        const tenant = await DataTenant.open(productOf([entityOf('a', { b: { type: 'string' } })]));
        const ids = new IdSource(tenant.clock);
        const now = tenant.clock.now();
        const work = new Work(tenant.activation);
        const all = given.map(({ form, outcome, step, past }): StoredSubmission => {
          const received_at = new Date(now + step * STEP_MS).toISOString();
          const end = { outcome, attempts: 0, error: null, ended_at: null };
          const until_ms = past ? now : null;
          return { id: ids.next(), form, received_at, fields: { a: 'b' }, person: '', until_ms, ...end };
        });
        for (const one of all) addSubmission(work.turn(), one);
        work.commit();
        for (const { newest, from, to, ...asked } of wishes) {
          const fromMs = from === null ? -Infinity : now + from * STEP_MS;
          const toMs = to === null ? Infinity : now + to * STEP_MS;
          const expected = all.filter(
            (one) =>
              one.until_ms === null &&
              (asked.form === null || one.form === asked.form) &&
              (asked.outcome === null || one.outcome === asked.outcome) &&
              Date.parse(one.received_at) >= fromMs &&
              Date.parse(one.received_at) < toMs,
          );
          if (newest) expected.reverse();
          const page = newest ? newestSubmissions : oldestSubmissions;
          const found: string[] = [];
          let behind: string | null = null;
          for (let pages = 0; pages <= all.length; pages++) {
            const got: SubmissionPage = page(new Work(tenant.activation), {
              ...asked,
              fromMs,
              toMs,
              behind,
            } satisfies SubmissionWish);
            expect(got.submissions.length).toBeLessThanOrEqual(asked.limit);
            found.push(...got.submissions.map(({ id }) => id));
            reached.pages++;
            if (got.next !== null) reached.cut++;
            behind = got.next;
            if (behind === null) break;
          }
          expect(behind).toBeNull();
          expect(found).toEqual(expected.map(({ id }) => id));
          if (expected.length === 0) reached.empty++;
          else reached.whole++;
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(reached.cut).toBeGreaterThan(100);
  expect(reached.empty).toBeGreaterThan(50);
  expect(reached.whole).toBeGreaterThan(200);
});
