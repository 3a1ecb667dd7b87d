import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { RequestLines } from '#runtime/observe/request-lines.ts';

/** What was written, and the turns of the event loop. */
function rig() {
  const written: string[] = [];
  const turns: (() => void)[] = [];
  let now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
  const lines = new RequestLines(
    { write: (text: string) => written.push(text) },
    { service: 'intake', message: 'submission', now: () => now, later: (run) => turns.push(run) },
  );
  const turn = (): void => turns.splice(0).forEach((run) => run());
  return { lines, written, turns, turn, pass: (ms: number) => (now += ms) };
}

const { requestLinesMax: MOST, requestLinesPerTurn: PER_TURN } = limits.log;

test('a line is JSON with level, time of its request, service, fields and message, whatever a field holds', () => {
  const { lines, written, turn, pass } = rig();
  lines.add({ id: 'a"b\n\u2028', status: 200, ms: 1.5 });
  pass(1000);
  turn();
  expect(written).toHaveLength(1);
  expect(written[0]!.endsWith('}\n')).toBe(true);
  expect(JSON.parse(written[0]!)).toEqual({
    level: 'info',
    time: '2026-01-02T03:04:05.006Z',
    service: 'intake',
    id: 'a"b\n\u2028',
    status: 200,
    ms: 1.5,
    msg: 'submission',
  });
  expect(written[0]!.trimEnd()).not.toContain('\n');
});

test('a burst leaves a few lines a turn, in order, and each once', () => {
  const { lines, written, turns, turn } = rig();
  for (let i = 0; i < 3 * PER_TURN - 1; i++) lines.add({ i });
  turn();
  expect([written.length, turns.length]).toEqual([PER_TURN, 1]);
  lines.add({ i: 3 * PER_TURN - 1 });
  turn();
  turn();
  expect(turns).toHaveLength(0);
  expect(written.map((line) => (JSON.parse(line) as { i: number }).i)).toEqual([...Array(3 * PER_TURN).keys()]);
});

test('a flush writes all that waits, and the turn that was planned nothing more', () => {
  const { lines, written, turn } = rig();
  for (let i = 0; i < PER_TURN + 5; i++) lines.add({ i });
  lines.flush();
  turn();
  expect(written).toHaveLength(PER_TURN + 5);
});

test('past the bound lines are counted, and one line says how many', () => {
  const { lines, written } = rig();
  for (let i = 0; i < MOST + 7; i++) lines.add({ i });
  lines.flush();
  expect(written).toHaveLength(MOST + 1);
  expect(JSON.parse(written.at(-1)!)).toMatchObject({ dropped: 7, msg: 'submission' });
});

test('a flood that never lets the list run empty does not make it grow', () => {
  const { lines, written, turn } = rig();
  for (let i = 0; i < PER_TURN; i++) lines.add({ i: -1 });
  for (let i = 0; i < 2000; i++) {
    for (let j = 0; j < PER_TURN; j++) lines.add({ i });
    turn();
  }
  expect(lines.held).toBeLessThan(10_000);
  lines.flush();
  expect([written.length, lines.held]).toEqual([2001 * PER_TURN, 0]);
});
