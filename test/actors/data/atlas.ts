/** A tenant with countries and cities: one of each before every test. */
import { beforeEach } from 'vitest';
import { DataTenant, entityOf, productOf, type Answer } from '#test/kit/data-call.ts';

export const ATLAS = productOf(
  [
    entityOf('country', { code: { type: 'string', unique: true, required: true }, name: { type: 'string' } }),
    entityOf(
      'city',
      {
        name: { type: 'string', required: true, max_length: 20 },
        country_id: { type: 'ref', ref: { entity: 'country', on_delete: 'restrict' } },
        population: { type: 'integer', min: 0, default: 0 },
        area: { type: 'decimal' },
        founded: { type: 'date' },
        capital: { type: 'boolean' },
        tags: { type: 'json' },
      },
      { traits: ['soft_delete', 'versioned', 'timestamps'], index: [['country_id', 'population']] },
    ),
    entityOf('secret', { text: { type: 'string' } }, { access: {} }),
  ],
  { static_api_key: { secret: 'sesame', roles: ['reader'] } },
);

export interface Atlas {
  readonly tenant: DataTenant;
  /** The ids of France and Paris. */
  readonly country: string;
  readonly city: string;
  readonly get: (path: string) => Promise<Answer>;
  readonly post: (path: string, body: unknown) => Promise<Answer>;
  readonly patch: (path: string, body: unknown) => Promise<Answer>;
  readonly del: (path: string) => Promise<Answer>;
}

/** Opens a fresh tenant before each test of the calling file. */
export function useAtlas(): Atlas {
  let tenant: DataTenant;
  let country: string;
  let city: string;
  const post = (path: string, body: unknown) => tenant.send('POST', `/data/rest/${path}`, body);
  beforeEach(async () => {
    tenant = await DataTenant.open(ATLAS);
    country = (await post('country', { code: 'FR', name: 'France' })).body.data[0].id;
    city = (await post('city', { name: 'Paris', country_id: country, population: 2_100_000 })).body.data[0].id;
  });
  return {
    get tenant() {
      return tenant;
    },
    get country() {
      return country;
    },
    get city() {
      return city;
    },
    get: (path) => tenant.send('GET', `/data/rest/${path}`),
    post,
    patch: (path, body) => tenant.send('PATCH', `/data/rest/${path}`, body),
    del: (path) => tenant.send('DELETE', `/data/rest/${path}`),
  };
}
