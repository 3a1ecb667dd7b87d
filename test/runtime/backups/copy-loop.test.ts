import { expect, test } from 'vitest';
import type { DegradedReport } from '#actors/protocol/degraded.ts';
import type { JournalCopyNews } from '#actors/protocol/topics.ts';
import { limits } from '#config/limits.ts';
import { CopyLoop } from '#runtime/backups/copy-loop.ts';
import { CopyWatch } from '#runtime/backups/copy-watch.ts';
import type { Copied } from '#storage/journal-copy/copier.ts';

const NOTHING: Copied = { bytes: 0, gaps: [], more: false };

/** A loop over a copier that answers as it is told, with a clock and timers of its own. */
function bench(answers: (Copied | Error)[]) {
  const told: JournalCopyNews[] = [];
  const timers: { at: number; run: () => void }[] = [];
  const world = { now: 1000, opened: 0, told };
  const loop = new CopyLoop({
    open: () => {
      world.opened++;
      return Promise.resolve({
        copy: () => {
          const answer = answers.shift() ?? NOTHING;
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        },
      });
    },
    everyMs: 5000,
    drainMs: 10_000,
    now: () => world.now,
    after: (ms, run) => void timers.push({ at: world.now + ms, run }),
    told: (news) => void told.push(news),
  });
  const pass = async (ms: number): Promise<void> => {
    world.now += ms;
    for (const timer of timers.splice(0)) {
      if (timer.at <= world.now) timer.run();
      else timers.push(timer);
    }
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { loop, world, pass };
}

test('copies until nothing is left, then rests; what failed is tried again at the next turn', async () => {
  const { loop, world, pass } = bench([{ ...NOTHING, bytes: 8, more: true }, { ...NOTHING, bytes: 2 }, new Error('no bucket')]); // prettier-ignore
  loop.start();
  await pass(0);
  expect(world.told).toEqual([{ at: 1000, bytes: 10, lost: [], failed: null }]);
  await pass(4999);
  expect(world.told.length).toBe(1);
  await pass(1);
  expect(world.told[1]).toMatchObject({ at: 6000, failed: 'no bucket' });
  await pass(5000);
  expect(world.told[2]).toMatchObject({ failed: null });
  expect(world.opened).toBe(1);
});

test('a stop copies what is left, for as long as it may, and begins nothing after that', async () => {
  const more = { ...NOTHING, bytes: 1, more: true };
  const { loop, world, pass } = bench([NOTHING, more, more, NOTHING]);
  loop.start();
  await pass(0);
  await loop.drain();
  expect(world.told.at(-1)).toMatchObject({ bytes: 2, failed: null });
  await pass(5000);
  await pass(5000);
  expect(world.told.length).toBe(2);
});

function watch() {
  const lines: string[] = [];
  const trouble = new Map<string, DegradedReport>();
  const take = (_fields: object, line: string): void => void lines.push(line);
  const seen = new CopyWatch({
    log: { info: take, debug: take, warn: take, error: take },
    degraded: { report: (entry) => void trouble.set(entry.name, entry), clear: (_, name) => void trouble.delete(name) },
    everyMs: 5000,
  });
  const metric = (name: string): number => seen.families().find((family) => family.name === name)!.samples[0]!.value;
  return { seen, lines, trouble, metric };
}

test('a place that does not answer is told once a minute, and counts as degraded after five', () => {
  const { seen, lines, trouble, metric } = watch();
  seen.heard({ at: 0, bytes: 5, lost: [], failed: null });
  for (let at = 5000; at < limits.backup.copyBehindMs; at += 5000)
    seen.heard({ at, bytes: 0, lost: [], failed: 'away' });
  expect([lines.length, trouble.size]).toEqual([5, 0]);
  seen.heard({ at: limits.backup.copyBehindMs, bytes: 0, lost: [], failed: 'away' });
  expect(trouble.get('journal copy')!.reason).toMatch(/not copied since 1970-01-01T00:00:00.000Z: away/);
  expect(seen.status()).toEqual({ journal_copied: '1970-01-01T00:00:00.000Z', journal_failed: 'away' });
  seen.heard({ at: 400_000, bytes: 7, lost: [], failed: null });
  expect(trouble.size).toBe(0);
  expect([metric('skep_journal_copy_timestamp_seconds'), metric('skep_journal_copy_bytes_total')]).toEqual([400, 12]);
});

test('lost records count until a set was begun after them', () => {
  const { seen, trouble, metric } = watch();
  seen.heard({ at: 9000, bytes: 0, lost: ['records 1 to 5 of the journal x'], failed: null });
  expect(trouble.get('journal gap')!.reason).toMatch(/lost records 1 to 5 .*skep backup now/);
  seen.setMade(8000);
  expect(trouble.size).toBe(1);
  seen.setMade(9001);
  expect(trouble.size).toBe(0);
  expect(metric('skep_journal_copy_gaps_total')).toBe(1);
});
