/** The examples in the demo's commands and its dev.json: one entity, one row, one filter, one form. */
import { ulidOfGeoname } from './rows.ts';

export const DEMO_TENANT = 'acme:atlas:dev:main';

export const SAMPLE = {
  entity: 'city',
  /** Bern (GeoNames 2661552). */
  id: ulidOfGeoname(2661552),
  create: { name: 'New Skep', country_id: 'CH', population: 4210, latitude: 46.95, longitude: 7.44 },
  filter: 'country_id=CH&orderby=-population&limit=5',
  form: 'contact',
  submission: { name: 'Ada Lovelace', email: 'ada@example.org', topic: 'question', message: 'Does the skep hum?' },
} as const;
