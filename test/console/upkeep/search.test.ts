import { expect, test } from 'vitest';
import { readUpkeepSearch } from '#console/upkeep/search.ts';

test('the address names one sheet at most, whatever was written there', () => {
  expect(readUpkeepSearch({ lock: 'retention:default', seed: 'countries' })).toEqual({ lock: 'retention:default' });
  expect(readUpkeepSearch({ seed: ['countries', 'more'] })).toEqual({ seed: 'countries' });
  for (const search of [{}, { lock: '' }, { other: 'x' }]) expect(readUpkeepSearch(search)).toEqual({});
});
