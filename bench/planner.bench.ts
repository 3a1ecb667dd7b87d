/** How long it takes to choose a plan: before a query reads its first row, and with every request anew. */
import { planQuery } from '#actors/engine/rows/plan.ts';
import { equals, query, type Query } from '#actors/engine/rows/query.ts';
import type { Plan } from '#actors/engine/rows/access-path.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';

const predicate = (field: string, op: 'gte' | 'lt', value: unknown) =>
  ({ kind: 'predicate', field, op, value }) as const;
const byPopulation = [{ kind: 'order', field: 'population', descending: true } as const];

/** By name: the query, and the kind of plan that it must get. */
const QUERIES: Readonly<Record<string, readonly [Query, Plan['kind']]>> = {
  'plan by key': [query('city', { where: [equals('id', '1')] }), 'point'],
  'plan list of an index': [
    query('city', { where: [equals('country', 'CH')], order: byPopulation, limit: 20 }),
    'index',
  ],
  'plan range and residue': [
    query('city', {
      where: [equals('country', 'CH'), predicate('population', 'gte', 1000), predicate('latitude', 'lt', 47)],
      limit: 20,
    }),
    'index',
  ],
  'plan of several indexes': [query('city', { where: [equals('country', 'CH'), equals('name', 'Bern')] }), 'index'],
  'plan of the table': [
    query('city', { order: [{ kind: 'order', field: 'latitude', descending: false }], limit: 20 }),
    'table',
  ],
};

export const planner: BenchCase = {
  name: 'planner',
  measures: 'choosing the plan of a query: by key, of one index, of several, of the table',
  target: '',
  http: false,
  seconds: (options) => (Object.keys(QUERIES).length * functionMs(options)) / 1000,
  async run({ options }) {
    const fields = {
      name: { type: 'string' },
      country: { type: 'string' },
      population: { type: 'integer' },
      latitude: { type: 'number' },
    } as const;
    const city = { ...entityOf('city', fields), index: [['country', 'population'], ['name'], ['population']] };
    const model = new Engine(productOf([city])).models.get('city')!;
    const figures = [];
    for (const [name, [asked, kind]] of Object.entries(QUERIES)) {
      const plan = planQuery(model, asked);
      if (plan.kind !== kind) throw new Error(`${name}: the plan is ${plan.kind} instead of ${kind}`);
      figures.push(await timeFunction(name, () => planQuery(model, asked), functionMs(options)));
    }
    return figures;
  },
};
