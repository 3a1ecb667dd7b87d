import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { RefusedSubmissions as Told } from '#actors/protocol/topics.ts';
import { RefusedSubmissions } from '#runtime/door/refused-submissions.ts';
import { SubmissionVisit } from '#runtime/door/submission-visit.ts';
import type { Visit } from '#runtime/door/port.ts';

const visit = new SubmissionVisit(
  {
    method: 'POST',
    path: '/f/x',
    query: '',
    header: (name: string) => (name === 'content-length' ? '7' : ''),
  } as Visit,
  'x',
  '192.0.2.1',
  undefined,
);

function bench(lines = true, fails = false): { refused: RefusedSubmissions; told: Told[] } {
  const told: Told[] = [];
  const tell = (what: Told): Promise<unknown> => {
    told.push(what);
    return fails ? Promise.reject(new Error('the writer is gone')) : Promise.resolve();
  };
  return { refused: new RefusedSubmissions(tell, lines), told };
}

test('adds up what the door answered, with a line each, and tells it once', () => {
  const { refused, told } = bench();
  for (const status of [403, 413, 429, 429, 503, 404, 200, 408]) refused.add(visit, 'r', status);
  refused.flush();
  refused.flush();
  expect(told).toHaveLength(1);
  expect(Object.fromEntries(told[0]!.counts)).toEqual({
    forbidden: 1,
    too_large: 1,
    rate_limited: 2,
    shedding: 1,
    bad_request: 1,
  });
  expect(told[0]!.lines).toHaveLength(6);
  expect(told[0]!.lines[0]).toMatchObject({ requestId: 'r', form: 'x', ip: '192.0.2.1', status: 403, bytes: 7 });
});

test('a flood keeps so many lines and counts the others; without lines only counts travel', () => {
  const { refused, told } = bench();
  for (let i = 0; i < limits.intake.doorLinesMax + 3; i++) refused.add(visit, 'r', 429);
  refused.flush();
  expect([told[0]!.lines.length, told[0]!.dropped]).toEqual([limits.intake.doorLinesMax, 3]);
  const quiet = bench(false);
  quiet.refused.add(visit, 'r', 429);
  quiet.refused.flush();
  expect(quiet.told[0]).toEqual({ counts: [['rate_limited', 1]], lines: [], dropped: 0 });
});

test('a writer that is gone loses its counts, and nothing else fails', async () => {
  const { refused, told } = bench(true, true);
  refused.add(visit, 'r', 429);
  refused.flush();
  await Promise.resolve();
  refused.add(visit, 'r', 503);
  refused.flush();
  expect(told).toHaveLength(2);
});
