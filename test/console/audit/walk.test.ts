/** A log that is read from its end: every record that fits is met once, newest first, whatever the log's size, what was pruned and how many fit. */
import { expect, test } from 'vitest';
import type { AuditRecord, RecordsPage } from '#console/audit/shapes.ts';
import { fromField, readSearch, toField } from '#console/audit/search.ts';
import { walkBack, type Walked } from '#console/audit/walk.ts';
import { limits } from '#config/limits.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';

interface Wish {
  readonly size: number;
  readonly kept: number;
  /** Each so many-th record fits; 0 without a filter. */
  readonly each: number;
}

/** Answers as `GET /audit/logs/{id}/records` does. */
function answering({ size, kept, each }: Wish) {
  let asks = 0;
  const ask = (from: number, limit: number): Promise<RecordsPage> => {
    asks++;
    expect(limit).toBeLessThanOrEqual(limits.audit.listMax);
    const most = each > 0 ? limits.audit.scanRecordsMax : limit;
    const records: AuditRecord[] = [];
    let at = Math.max(from, kept);
    for (const end = Math.min(size, at + most); at < end && records.length < limit; at++)
      if (each === 0 || at % each === 0) records.push({ seq: at } as AuditRecord);
    return Promise.resolve({ records, size, next: at < size ? at : null, personal: {} });
  };
  return { ask, asks: () => asks };
}

test('every record that fits is met once, newest first', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 60_000 }),
      fc.nat({ max: 100 }),
      fc.constantFrom(0, 1, 2, 7, 500, 9_999, 30_000),
      async (size, percent, each) => {
        const kept = Math.floor((size * percent) / 100);
        const { ask, asks } = answering({ size, kept, each });
        const met: number[] = [];
        for (let end = size; end > 0;) {
          const before = asks();
          const walked: Walked = await walkBack(end, each > 0, ask);
          expect(asks() - before).toBeLessThanOrEqual(10);
          expect(walked.from).toBeLessThan(end);
          met.push(...walked.records.map(({ seq }) => seq));
          end = walked.from;
        }
        const wanted = Array.from({ length: size }, (_, i) => i).filter(
          (i) => i >= kept && (each === 0 || i % each === 0),
        );
        expect(met).toEqual(wanted.toReversed());
      },
    ),
    { numRuns: rounds({ suite: 40, ci: 200 }) },
  );
});

test('an address is read whatever a person has written there', () => {
  expect(
    readSearch({ actor: 7, action: 'auth.*', target: '', record: '12', log: 'node/platform', other: 'x' }),
  ).toEqual({
    actor: '7',
    action: 'auth.*',
    log: 'node/platform',
    record: 12,
  });
  for (const record of ['', 'x', -1, 1.5, {}, null]) expect(readSearch({ record })).toEqual({});
  expect(readSearch({ actor: { a: 1 }, since: ['x'] })).toEqual({});
});

test('a time goes into a field and out of it', () => {
  expect(fromField(toField('2026-11-28T01:02:00.000Z'))).toBe('2026-11-28T01:02:00.000Z');
  expect([toField(undefined), toField('noon'), fromField('')]).toEqual(['', '', undefined]);
});
