/** A product with every type, trait and kind of reference, and with entities that not every caller sees. */
import { entityOf, productOf } from '#test/kit/data-call.ts';

const EDITORS = '"editor" in principal.roles';

export const atlas = productOf([
  entityOf('country', {
    id: { type: 'string', required: true, max_length: 2 },
    name: { type: 'string', required: true, unique: true },
    capital_id: { type: 'ref', ref: { entity: 'city', on_delete: 'setnull' } },
  }),
  entityOf(
    'city',
    {
      name: { type: 'string', required: true, min_length: 1, max_length: 20, pattern: '^[A-Za-z0-9 ]+$' },
      country_id: { type: 'ref', ref: { entity: 'country', on_delete: 'restrict' } },
      twin: { type: 'ref', ref: { entity: 'city' } },
      population: { type: 'integer', min: 0, default: 0, index: true },
      height: { type: 'number', min: -500, max: 9000 },
      area: { type: 'decimal' },
      founded: { type: 'date' },
      seen_at: { type: 'datetime' },
      capital: { type: 'boolean' },
      climate: { type: 'enum', enum: ['dry', 'wet'] },
      stage: { type: 'enum', enum: ['not yet', 'done'] },
      code: { type: 'uuid' },
      tags: { type: 'json' },
      seal: { type: 'bytes' },
    },
    { traits: ['soft_delete', 'versioned', 'timestamps'], index: [['country_id', 'population']] },
  ),
  entityOf(
    'note',
    { owner: { type: 'string' }, text: { type: 'text' }, city_id: { type: 'ref', ref: { entity: 'city' } } },
    {
      access: { create: 'true', read: 'true', update: EDITORS, delete: EDITORS },
      rowRule: 'row.owner == principal.subject',
    },
  ),
  entityOf('vault', { city_id: { type: 'ref', ref: { entity: 'city' } } }, { access: { read: EDITORS } }),
  entityOf('sealed', { text: { type: 'string' } }, { access: {} }),
]);
