/** The way over references that a reader has gone in the sheet: in the address, without circles, bounded. */
import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from '#console/frame/search.ts';
import { followed, searchOf, viewOf } from '#console/data/view.ts';

const CH = { entity: 'country', id: 'CH' };
const ODD = { entity: 'note', id: 'a/b c&d' };

test('the address has the way, whatever the keys are', () => {
  const view = { ...viewOf({}), row: '1', trail: [CH, ODD] };
  const text = stringifySearch(searchOf(view));
  expect(viewOf(parseSearch(text))).toEqual(view);
  expect(text.startsWith('?row=1&follow=country/CH&follow=note/a/b')).toBe(true);
});

test('what is no step is none', () => {
  expect(viewOf({ follow: ['country', '/CH', 'country/', 'country/CH'] }).trail).toEqual([CH]);
});

test('a row that was passed is gone back to, and a long way is cut where it begins', () => {
  expect(followed([CH, ODD], CH)).toEqual([CH]);
  let trail = followed([], CH);
  for (let at = 0; at < 20; at++) trail = followed(trail, { entity: 'city', id: String(at) });
  expect(trail).toHaveLength(12);
  expect(trail.at(-1)).toEqual({ entity: 'city', id: '19' });
});
