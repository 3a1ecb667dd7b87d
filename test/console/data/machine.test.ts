import { expect, test } from 'vitest';
import { drawingOf, STATE_HEIGHT, STATE_WIDTH, type Drawing } from '#console/data/machine.ts';

type States = Readonly<Record<string, readonly string[]>>;

/** States with the targets of their events, which have the names of both. */
function draw(of: States, initial: string): Drawing {
  const states = Object.fromEntries(
    Object.entries(of).map(([name, targets]) => [
      name,
      {
        ...(targets.length === 0 && { type: 'final' }),
        events: Object.fromEntries(targets.map((target) => [`${name} to ${target}`, { target }])),
      },
    ]),
  );
  return drawingOf({ name: 'flow', field: 'state', initial_state: initial, states });
}

const TICKET: States = {
  closed: [],
  open: ['pending', 'solved'],
  pending: ['open', 'urgent', 'solved'],
  urgent: ['solved', 'urgent'],
  solved: ['open', 'closed'],
};

test('states stand below each other by how many events they are from the first one', () => {
  const { states } = draw(TICKET, 'open');
  expect(states.map(({ name }) => name)).toEqual(['open', 'pending', 'solved', 'urgent', 'closed']);
  expect(states.every(({ y }, at) => at === 0 || y >= states[at - 1]!.y + STATE_HEIGHT)).toBe(true);
  expect(states.filter(({ isFinal }) => isFinal).map(({ name }) => name)).toEqual(['closed']);
});

test('each move is a line of its own, inside the drawing, and runs through no state', () => {
  const { states, moves, width, height } = draw(TICKET, 'open');
  expect(moves).toHaveLength(9);
  expect(new Set(moves.map(({ path }) => path)).size).toBe(9);
  for (const { path } of moves) {
    const numbers = path.match(/-?\d+(?:\.\d+)?/g)!.map(Number);
    for (const [at, number] of numbers.entries()) {
      expect(number).toBeGreaterThanOrEqual(0);
      expect(number).toBeLessThanOrEqual(at % 2 === 0 ? width : height);
    }
  }
  for (const { from, path } of moves)
    for (const { name, x, y } of states) {
      const points = [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, across, down]) => [
        Number(across),
        Number(down),
      ]);
      const inside = points.filter(
        ([across, down]) => across! > x && across! < x + STATE_WIDTH && down! > y && down! < y + STATE_HEIGHT,
      );
      expect([from, name, inside]).toEqual([from, name, []]);
    }
});

test('states that no event leads to come last; an event to a state that is not declared is no line', () => {
  const { states, moves } = draw({ a: ['b', 'nowhere'], lost: ['a'], b: [] }, 'a');
  expect(states.map(({ name }) => name)).toEqual(['a', 'b', 'lost']);
  expect(moves.map(({ event }) => event)).toEqual(['a to b', 'lost to a']);
});

test('a machine without states is an empty drawing; a first state that is not there is the first that is', () => {
  expect(draw({}, 'a')).toMatchObject({ states: [], moves: [] });
  expect(draw({ b: ['c'], c: [] }, 'a').states.map(({ name }) => name)).toEqual(['b', 'c']);
});
