import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { changingRow, createUrl, listUrl, readDevFile, rowUrl, type DevFile } from '#bench/kit/dev-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'skep-dev-file-'));
afterAll(() => rmSync(directory, { recursive: true }));

const dev: DevFile = {
  gateway: 'http://127.0.0.1:20000',
  operations: 'http://127.0.0.1:20001',
  headers: {},
  api_key: 'a.b',
  service_key: 'c.d',
  sample: { entity: 'city', id: 'a/b', create: {}, filter: 'country_id=CH&orderby=-population&limit=5' },
};

test('a file that is not there yet is null, a broken one an error', () => {
  expect(readDevFile(directory)).toBeNull();
  writeFileSync(join(directory, 'dev.json'), JSON.stringify(dev));
  expect(readDevFile(directory)).toEqual(dev);
  writeFileSync(join(directory, 'dev.json'), '{');
  expect(() => readDevFile(directory)).toThrow('JSON');
});

test('URLs of the contract', () => {
  expect(rowUrl(dev)).toBe('http://127.0.0.1:20000/data/rest/city/id/a%2Fb');
  expect(createUrl(dev)).toBe('http://127.0.0.1:20000/data/rest/city');
  expect(listUrl(dev, 20)).toBe('http://127.0.0.1:20000/data/rest/city?country_id=CH&orderby=-population&limit=20');
});

const fill = (parts: ReturnType<typeof changingRow>): unknown =>
  JSON.parse(parts.map((part) => (typeof part === 'string' ? part : part.kind === 'unique' ? 'u1' : '42')).join(''));

test('a row with its name and its population changing, the rest as it was', () => {
  const row = { name: 'New "Skep"', country_id: 'CH', population: 4210, latitude: 46.95 };
  expect(fill(changingRow(row))).toEqual({ name: 'u1', country_id: 'CH', population: 42, latitude: 46.95 });
  expect(fill(changingRow({ name: 'a', note: 'é"' }))).toEqual({ name: 'u1', note: 'é"' });
});

test('a sample without a name cannot be made unique', () => {
  expect(() => changingRow({ title: 'x' })).toThrow('no name');
});
