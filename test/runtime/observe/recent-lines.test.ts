/** The newest lines of a thread, against all that were written. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { LINE_LEVELS } from '#actors/protocol/node-view.ts';
import { RecentLines } from '#runtime/observe/recent-lines.ts';
import { Random } from '#test/kit/random.ts';

const { lineCharsMax, linesKept } = limits.nodeView;
const lineOf = (level: string, msg: string): string => `{"level":"${level}","time":"t","msg":"${msg}"}\n`;

test.each([1, 2, 3])('the newest of each level, in the order in which they were written (seed %i)', (seed) => {
  const random = new Random(seed);
  const recent = new RecentLines();
  const written: { level: (typeof LINE_LEVELS)[number]; json: string }[] = [];
  for (let i = 0; i < 3 * linesKept; i++) {
    const level = random.chance(0.9) ? 'info' : random.pick(LINE_LEVELS);
    recent.add(lineOf(level, `line ${i}`));
    written.push({ level, json: lineOf(level, `line ${i}`).trimEnd() });
  }
  for (const [weight, level] of LINE_LEVELS.entries()) {
    const kept = LINE_LEVELS.slice(weight).flatMap((one) => written.filter((w) => w.level === one).slice(-linesKept));
    const expected = written.filter((line) => kept.includes(line)).map(({ json }) => json);
    const list = (most: number): string[] => recent.list({ since: 0, level, most }).map(({ json }) => json);
    expect(list(10_000)).toEqual(expected);
    expect(list(3)).toEqual(expected.slice(-3));
  }
  expect(recent.list({ since: Date.now() + 1000, level: 'debug', most: 9 })).toEqual([]);
});

test('errors stay through a flood of other lines, and a long line is kept without its fields', () => {
  const recent = new RecentLines();
  recent.add(lineOf('fatal', 'the disk is gone'));
  recent.add(
    `{"level":"warn","time":"t","service":"data","stack":"${'x'.repeat(2 * lineCharsMax)}","msg":"it broke"}\n`,
  );
  for (let i = 0; i < 10 * linesKept; i++) recent.add(lineOf('info', 'flood'));
  const [gone, broke] = recent.list({ since: 0, level: 'warn', most: 9 });
  expect(JSON.parse(gone!.json)).toMatchObject({ level: 'fatal', msg: 'the disk is gone' });
  expect(broke!.json.length).toBeLessThan(lineCharsMax);
  expect(JSON.parse(broke!.json)).toEqual({
    level: 'warn',
    time: 't',
    service: 'data',
    msg: 'it broke',
    left_out: expect.any(Number),
  });
});
