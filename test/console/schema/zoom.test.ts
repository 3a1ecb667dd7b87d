/** The window over a drawing: what is under the mouse stays there, and the whole of it fits. */
import { expect, test } from 'vitest';
import { fits } from '#console/schema/find.ts';
import { readSearch } from '#console/schema/search.ts';
import { about, moved, whole, zoomed } from '#console/schema/zoom.ts';
import type { EntityDoc } from '#console/data/shapes.ts';

const WINDOW = { width: 400, height: 300 };

test('what is under the mouse stays there, however far it is zoomed', () => {
  const view = { x: 30, y: -20, scale: 0.5 };
  const at = { x: 120, y: 70 };
  for (const factor of [1.25, 0.8, 100, 0.001]) {
    const now = zoomed(view, factor, at);
    expect(now.x + at.x / now.scale).toBeCloseTo(view.x + at.x / view.scale);
    expect(now.y + at.y / now.scale).toBeCloseTo(view.y + at.y / view.scale);
    expect(now.scale).toBeGreaterThanOrEqual(0.1);
    expect(now.scale).toBeLessThanOrEqual(2);
  }
});

test('the whole of it is in the window, in the middle, and no larger than it is', () => {
  for (const drawing of [
    { width: 4000, height: 100 },
    { width: 100, height: 50 },
    { width: 500, height: 2900 },
  ]) {
    const { x, y, scale } = whole(drawing, WINDOW);
    expect(scale).toBeLessThanOrEqual(1);
    expect([x <= 0, y <= 0]).toEqual([true, true]);
    expect(x + WINDOW.width / scale).toBeGreaterThanOrEqual(drawing.width - 1e-6);
    expect(-x * scale).toBeCloseTo((x + WINDOW.width / scale - drawing.width) * scale);
  }
});

test('a drag moves by what it is on the screen; a part is brought to the middle', () => {
  expect(moved({ x: 0, y: 0, scale: 0.5 }, 10, -20)).toEqual({ x: 20, y: -40, scale: 0.5 });
  expect(about({ x: 0, y: 0, scale: 0.5 }, { x: 1000, y: 500 }, WINDOW)).toEqual({ x: 600, y: 200, scale: 0.5 });
});

test('a text finds entities by their names and by those of their fields', () => {
  const entity = { name: 'Ticket', fields: [{ name: 'customer_id' }] } as unknown as EntityDoc;
  expect(['', 'tick', ' CUSTOMER ', 'note'].map((q) => fits(entity, q))).toEqual([true, true, true, false]);
});

test('an address says which entity is open, and what is searched for', () => {
  expect(readSearch({ entity: 'ticket', q: 'a', more: 'b' })).toEqual({ entity: 'ticket', q: 'a' });
  expect(readSearch({ entity: '', q: ['a', 'b'] })).toEqual({});
});
