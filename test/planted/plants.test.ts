import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { CONTROLS } from '#test/simulation/controls.ts';
import { planted, type PlantedRecord } from './planted.ts';
import { PLANTS } from './plants.ts';

const names = Object.keys(PLANTS);
const { found } = JSON.parse(readFileSync(join(ROOT, 'docs/planted.json'), 'utf8')) as PlantedRecord;

test.each(names)('%s has one place in the sources, and tests that are there', (name) => {
  const plant = PLANTS[name]!;
  const sound = readFileSync(join(ROOT, plant.file), 'utf8');
  expect(planted(plant, sound)).not.toBe(sound);
  for (const path of plant.foundBy) expect(existsSync(join(ROOT, path)), path).toBe(true);
});

const controls = Object.entries(CONTROLS).flatMap(([name, { plant }]) =>
  plant === undefined ? [] : [{ name, plant }],
);

test.each(controls)('$name, a control of the simulation, has one place in the sources', ({ plant }) => {
  const sound = readFileSync(join(ROOT, plant.file), 'utf8');
  expect(planted(plant, sound)).not.toBe(sound);
});

test('a place that is not there once is refused', () => {
  const plant = { what: '', file: 'x.ts', find: 'b', put: 'c', foundBy: [] };
  expect(planted(plant, 'abd')).toBe('acd');
  for (const text of ['a', 'bb']) expect(() => planted(plant, text)).toThrow('x.ts has not once: b');
});

test('each of at least twenty was noticed when it was tried', () => {
  expect(names.length).toBeGreaterThanOrEqual(20);
  expect(found.map(({ name }) => name)).toEqual(names);
  expect(found.filter(({ by }) => by.length === 0)).toEqual([]);
});
