import { expect, test } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import { newestOf, raisedVersions, recordChanges } from '#storage/record-versions.ts';

test('only what is above 1 is noted', () => {
  expect(raisedVersions()).toEqual({ [TABLES.api_key.no]: 2, [TABLES.user.no]: 2 });
  expect(raisedVersions({ user: { no: 11, version: 3 }, plan: { no: 39, version: 1 } })).toEqual({ 11: 3 });
});

test('a change is named by its table; what is equal is none; an unknown table has its number', () => {
  const { no } = TABLES.user;
  expect(recordChanges({}, { [no]: 2, row: 2 })).toEqual([
    { table: 'user', from: 1, to: 2 },
    { table: 'rows of entities', from: 1, to: 2 },
  ]);
  expect(recordChanges({ [no]: 2 }, { [no]: 2 })).toEqual([]);
  expect(recordChanges({ 200: 2 }, {})).toEqual([{ table: 'table 200', from: 2, to: 1 }]);
});

test('a directory keeps the highest version that was ever written', () => {
  expect(newestOf({ 11: 3, 12: 2 }, { 11: 2, 13: 2 })).toEqual({ 11: 3, 12: 2, 13: 2 });
});
