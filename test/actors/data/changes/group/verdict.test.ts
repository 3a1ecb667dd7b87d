/** Where a consumer group's place goes: forwards, over what was acknowledged alone. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { isLive, verdictOf } from '#actors/data/changes/group/verdict.ts';
import type { GroupPlace } from '#actors/data/changes/group/store.ts';
import { numberAfter, positionAt } from '#actors/data/changes/position.ts';
import { fc } from '#test/kit/property.ts';

const NOW = Date.UTC(2026, 0, 1);
const HEAD = { seq: positionAt(NOW) - 100, floor: positionAt(NOW) - 500 };
const at = (after: number, entity = 'note'): GroupPlace => ({ after, entity, at: NOW, type: 'service', subject: 's' });

test('a group without a place begins now, or at a position that it names', () => {
  expect(verdictOf(undefined, 'note', null, HEAD, NOW)).toEqual({ kind: 'moves', after: HEAD.seq });
  expect(verdictOf(undefined, 'note', HEAD.floor, HEAD, NOW)).toEqual({ kind: 'moves', after: HEAD.floor });
  expect(verdictOf(undefined, 'note', HEAD.floor - 1, HEAD, NOW)).toEqual({ kind: 'over' });
});

test('a place does not go back, and stays without a position', () => {
  const place = at(HEAD.seq - 50);
  for (const after of [null, place.after, place.after - 1, 0])
    expect(verdictOf(place, 'note', after, HEAD, NOW)).toEqual({ kind: 'stays', after: place.after });
  expect(verdictOf(place, 'note', place.after + 1, HEAD, NOW)).toEqual({ kind: 'moves', after: place.after + 1 });
});

test('a place that is too old is told, and a newer position mends it', () => {
  const old = at(HEAD.floor - 1);
  for (const after of [null, old.after, 0]) expect(verdictOf(old, 'note', after, HEAD, NOW)).toEqual({ kind: 'over' });
  expect(verdictOf(old, 'note', HEAD.seq, HEAD, NOW)).toEqual({ kind: 'moves', after: HEAD.seq });
});

test('a place in the changes of another entity is none in these', () => {
  const other = at(HEAD.seq - 50, 'quiet');
  expect(isLive(other, 'note', HEAD, NOW)).toBe(false);
  expect(verdictOf(other, 'note', null, HEAD, NOW)).toEqual({ kind: 'over' });
  expect(verdictOf(other, 'note', HEAD.floor, HEAD, NOW)).toEqual({ kind: 'moves', after: HEAD.floor });
});

test('a position of the future is refused, one of now stays behind all later numbers', () => {
  expect(verdictOf(undefined, 'note', positionAt(NOW) + 1, HEAD, NOW)).toEqual({ kind: 'over' });
  expect(verdictOf(undefined, 'note', positionAt(NOW), HEAD, NOW)).toEqual({ kind: 'moves', after: HEAD.seq });
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), noise: fc.nat(255) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('told' as const), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('raw' as const), ms: fc.integer({ min: -400_000, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const), count: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('clock' as const), ms: fc.integer({ min: 0, max: 300_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('back' as const), ms: fc.nat(limits.changes.idleLagMs) }) },
);

test('no change is passed that was not there when a position behind it was acknowledged', () => {
  const reached = { moved: 0, stayed: 0, over: 0, clamped: 0, lost: 0, open: 0 };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let highest = NOW;
      let now = NOW;
      let head = { seq: positionAt(NOW) - 1000, floor: positionAt(NOW) - 1000 };
      let place: GroupPlace | undefined;
      let kept: number[] = [];
      /** Changes that no acknowledgement covers: what the group must still be told, or be told that it is over. */
      let open: number[] = [];
      const live = () => place !== undefined && isLive(place, 'note', head, now);
      const acknowledge = (after: number): void => {
        const wasLive = live();
        const verdict = verdictOf(place, 'note', after, head, now);
        if (verdict.kind === 'over') return void reached.over++;
        if (verdict.kind === 'moves') {
          if (wasLive) expect(verdict.after).toBeGreaterThan(place!.after);
          reached.moved++;
          if (verdict.after < after) reached.clamped++;
          place = at(verdict.after);
        } else {
          expect(verdict.after).toBe(place!.after);
          reached.stayed++;
        }
        open = open.filter((seq) => seq > after);
      };
      for (const one of steps) {
        if (one.do === 'clock') now += one.ms;
        // A clock that is set back is held at a floor that was written less than the lag ago.
        else if (one.do === 'back') now = Math.max(now - one.ms, highest - limits.changes.idleLagMs);
        else if (one.do === 'raw') acknowledge(positionAt(now + one.ms));
        else if (one.do === 'told') acknowledge(kept.at(-1 - one.which) ?? head.seq);
        else if (one.do === 'sweep') {
          const gone = kept.slice(0, one.count);
          kept = kept.slice(one.count);
          head = { ...head, floor: Math.max(head.floor, ...gone) };
        } else {
          const seq = numberAfter(head.seq, now, one.noise);
          head = { ...head, seq };
          kept.push(seq);
          open.push(seq);
        }
        highest = Math.max(highest, now);
        if (!live()) {
          if (place !== undefined) reached.lost++;
          continue;
        }
        const passed = open.filter((seq) => seq <= place!.after);
        expect(passed).toEqual([]);
        // Whatever is open is still there to be told.
        for (const seq of open) {
          if (seq < place!.after) continue;
          expect(kept).toContain(seq);
          reached.open++;
        }
      }
    }),
    { numRuns: 300 },
  );
  for (const [what, count] of Object.entries(reached)) expect([what, count > 20]).toEqual([what, true]);
});
