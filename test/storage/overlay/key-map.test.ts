import { fc } from '#test/kit/property.ts';
import { afterEach, expect, it, vi } from 'vitest';
import { KeyFilter } from '#storage/overlay/key-filter.ts';
import { hashOf, KeyMap } from '#storage/overlay/key-map.ts';

/** Writes of a slice of an index build; 32 maps that are equal copy 12,000 to 43,000 within one. */
const SLICE = 150;
const COPIED_MAX = 5000;

afterEach(() => vi.restoreAllMocks());

/** A number as keys have it: most significant byte first. */
const bytes = (number: number, length: number): string =>
  Array.from({ length }, (_, at) => String.fromCharCode(Math.floor(number / 256 ** (length - 1 - at)) % 256)).join('');

const scattered = (number: number): string => bytes(Math.imul(number, 0x9e3779b1) >>> 0, 4);

/** Ways in which the keys of one table differ. */
const shapes: Record<string, (number: number) => string> = {
  'rows in order': (number) => `table${bytes(number, 16)}`,
  'scattered rows': (number) => `table${scattered(number)}tail of the row`.slice(0, 17),
  'an index whose fields come first': (number) => `k${number % 50}${scattered(number)}${bytes(number, 16)}`,
  'versions of rows': (number) => `table${bytes(number, 16)}${bytes(1, 8)}`,
  'short keys': (number) => bytes(number, 3),
};

it.each(Object.entries(shapes))('gives what was set last, of 30,000 keys: %s', (_, keyOf) => {
  const map = new KeyMap<number>();
  const model = new Map<string, number>();
  for (let at = 0; at < 40_000; at++) {
    const key = keyOf(at % 30_000);
    map.set(key, at);
    model.set(key, at);
  }
  for (const [key, value] of model) expect(map.get(key) === value).toBe(true);
  expect(map.get('absent')).toBeUndefined();
});

it('is as a Map, whatever the keys', () => {
  const key = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
    fc.integer({ min: 0, max: 2000 }).map(scattered),
  );
  fc.assert(
    fc.property(fc.array(key, { size: '+1' }), (keys) => {
      const map = new KeyMap<number>();
      const model = new Map<string, number>();
      for (const [at, each] of keys.entries()) {
        map.set(each, at);
        model.set(each, at);
        expect(map.get(each)).toBe(at);
      }
      for (const [each, value] of model) expect(map.get(each)).toBe(value);
    }),
  );
});

/** Entries that a Map copies when it takes one more: it doubles, from 4 on. */
const copiedBy = ({ size }: ReadonlyMap<unknown, unknown>): number =>
  size > 4 && Number.isInteger(Math.log2(size - 1)) ? size - 1 : 0;

it.each(Object.entries(shapes))(
  'copies little within the writes of one slice, whatever their number: %s',
  (_, keyOf) => {
    const set = vi.spyOn(Map.prototype, 'set');
    const map = new KeyMap<number>();
    let most = 0;
    for (let slice = 0; slice < 100_000; slice += SLICE) {
      for (let at = 0; at < SLICE; at++) map.set(keyOf(slice + at), at);
      const copied = (set.mock.contexts as Map<string, number>[]).reduce((sum, one) => sum + copiedBy(one), 0);
      most = Math.max(most, copied);
      set.mockClear();
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(COPIED_MAX);
  },
);

it('keeps keys whose ends all have the same hash', () => {
  const map = new KeyMap<number>();
  for (let at = 0; at < 2000; at++) map.set(`${bytes(at, 2)}the same ending of all`, at);
  for (let at = 0; at < 2000; at++) expect(map.get(`${bytes(at, 2)}the same ending of all`)).toBe(at);
});

const BLOCK = 8000;

it.each(Object.entries(shapes))('a filter has every key that was added, and few others: %s', (_, keyOf) => {
  const filter = new KeyFilter();
  for (let at = 0; at < BLOCK; at++) filter.add(hashOf(keyOf(at)));
  const pass = (from: number): number =>
    Array.from({ length: BLOCK }, (__, at) => filter.mayHave(hashOf(keyOf(from + at)))).filter(Boolean).length;
  expect(pass(0)).toBe(BLOCK);
  expect(pass(BLOCK)).toBeLessThan(BLOCK / 4);
});
