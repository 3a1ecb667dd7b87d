import { expect, test } from 'vitest';
import { addressesIn, grantOf, readKeySearch } from '#console/keys/search.ts';

test('the address names the open key, whatever was written there', () => {
  expect(readKeySearch({ key: '01M' })).toEqual({ key: '01M' });
  expect(readKeySearch({ key: ['01M', '02M'], more: '1' })).toEqual({ key: '01M' });
  for (const search of [{}, { key: '' }, { other: 'x' }]) expect(readKeySearch(search)).toEqual({});
});

test('addresses are parted by commas, blanks and lines', () => {
  expect(addressesIn(' 203.0.113.7,10.0.0.0/8;\n::1  ')).toEqual(['203.0.113.7', '10.0.0.0/8', '::1']);
  expect(addressesIn(' , ')).toEqual([]);
});

test('a grant has the environment before the product, unlike the key of a tenant', () => {
  expect(grantOf('acme:shop:dev:main')).toBe('acme:dev:shop:main');
});
