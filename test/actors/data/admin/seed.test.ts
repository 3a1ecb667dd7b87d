/** Seeds over an engine: strategies, ledger, checksums, environments, force, dry runs, failures (docs/contract/data-admin.md §4). */
import { describe, expect, test } from 'vitest';
import type { SeedDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { listSeeds } from '#actors/data/admin/seed/list.ts';
import { rowCount } from '#actors/engine/rows/count/store.ts';
import { runSeeds, unknownSeeds, type SeedWish } from '#actors/data/admin/seed/run.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

function seedOf(name: string, rows: Rows, options: Partial<SeedDefinition> = {}): SeedDefinition {
  return {
    name,
    entity: 'city',
    strategy: 'insert',
    environments: null,
    source: `seeds/${name}.yaml`,
    rows: rows.map((input, at) => ({ line: at + 5, input })),
    file: null,
    checksum: JSON.stringify(rows),
    where: `seeds/${name}.yaml:1:1`,
    ...options,
  };
}

const city = entityOf(
  'city',
  {
    id: { type: 'string' },
    name: { type: 'string', required: true },
    people: { type: 'integer', default: 7 },
    note: { type: 'string' },
    state: { type: 'enum', enum: ['open', 'shut'], default: 'open' },
  },
  { unique: [['name']], traits: ['timestamps'] },
);

const flow = {
  name: 'opening',
  entity: 'city',
  field: 'state',
  initial: 'open',
  states: { open: { events: { close: { target: 'shut' } } }, shut: { events: {} } },
  where: '',
} as const;

async function tenantOf(seeds: readonly SeedDefinition[]) {
  const tenant = await DataTenant.open({ ...productOf([city]), seeds, stateflows: [flow] });
  const run = (wish: Partial<SeedWish> = {}) => {
    const full = { planId: 'p1', names: null, environment: 'dev', dryRun: false, force: false, ...wish };
    return runSeeds(new Work(tenant.activation), full, () => undefined);
  };
  const rows = async () => (await tenant.send('GET', '/data/rest/city?orderby=id')).body.data as Rows;
  const list = () => listSeeds(tenant.store.begin(), tenant.activation.product.seeds ?? []);
  return { tenant, run, rows, list };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const outcome = async (report: ReturnType<typeof runSeeds>) =>
  (await report).outcomes.map(({ Name, Status, Rows: count }) => [Name, Status, count]);

describe('strategies', () => {
  test('insert creates what is not there, and leaves alone what is', async () => {
    const { tenant, run, rows } = await tenantOf([
      seedOf('cities', [
        { id: 'a', name: 'Arles' },
        { id: 'b', name: 'Bonn' },
      ]),
    ]);
    await tenant.send('POST', '/data/rest/city', { id: 'a', name: 'mine' });
    expect(await outcome(run())).toEqual([['cities', 'applied', 1]]);
    expect((await rows()).map(({ id, name }) => [id, name])).toEqual([
      ['a', 'mine'],
      ['b', 'Bonn'],
    ]);
  });

  test('upsert changes the given fields, replace all of them but what a machine governs', async () => {
    const given = [
      { id: 'a', name: 'Arles' },
      { id: 'b', name: 'Bonn' },
    ];
    for (const strategy of ['upsert', 'replace'] as const) {
      const { tenant, run, rows } = await tenantOf([seedOf('cities', given, { strategy })]);
      await tenant.send('POST', '/data/rest/city', { id: 'a', name: 'mine', people: 9, note: 'n', state: 'shut' });
      expect(await outcome(run())).toEqual([['cities', 'applied', 2]]);
      expect((await rows())[0]).toMatchObject(
        strategy === 'upsert'
          ? { name: 'Arles', people: 9, note: 'n', state: 'shut' }
          : { name: 'Arles', people: 7, note: null, state: 'shut' },
      );
    }
  });

  test('rows of upsert and replace without a key fail the seed', async () => {
    const { run } = await tenantOf([seedOf('cities', [{ name: 'x' }], { strategy: 'upsert' })]);
    expect((await run()).outcomes[0]).toMatchObject({
      Status: 'failed',
      Reason: 'seeds/cities.yaml:5: id is required',
    });
  });
});

describe('the ledger', () => {
  test('the same content is applied once, other content and force again', async () => {
    const first = seedOf('cities', [{ id: 'a', name: 'Arles' }], { strategy: 'upsert' });
    const { tenant, run, list } = await tenantOf([first]);
    expect(list()).toEqual([
      { name: 'cities', entity: 'city', source: 'seeds/cities.yaml', strategy: 'upsert', status: 'pending' },
    ]);
    expect(await run()).toMatchObject({ plan_id: 'p1', dry_run: false, applied_count: 1, skipped_count: 0 });
    expect(list()).toMatchObject([
      { status: 'applied', applied_at: '2026-01-01T00:00:00.000Z', applied_checksum: first.checksum },
    ]);
    expect(await outcome(run())).toEqual([['cities', 'skipped', 0]]);
    expect(await outcome(run({ force: true }))).toEqual([['cities', 'applied', 0]]);
    const changed = { ...first, rows: [{ line: 5, input: { id: 'a', name: 'Aix' } }], checksum: 'other' };
    Object.assign(tenant.activation.product, { seeds: [changed] });
    expect(await outcome(run())).toEqual([['cities', 'applied', 1]]);
  });

  test('a failed seed keeps nothing, says where, counts, and does not block the next', async () => {
    const { run, rows, list } = await tenantOf([
      seedOf('bad', [{ id: 'x', name: 'X' }, { id: 'y' }]),
      seedOf('good', [{ id: 'a', name: 'Arles' }]),
    ]);
    const report = await run();
    expect(report).toMatchObject({ applied_count: 1, failed_count: 1 });
    expect(report.outcomes[0]!.Reason).toBe('seeds/bad.yaml:6: name is required');
    expect((await rows()).map(({ id }) => id)).toEqual(['a']);
    expect(list()).toMatchObject([{ status: 'failed', error: report.outcomes[0]!.Reason }, { status: 'applied' }]);
    expect(list()[0]).not.toHaveProperty('applied_at');
    expect(await outcome(run())).toEqual([
      ['bad', 'failed', 0],
      ['good', 'skipped', 0],
    ]);
  });

  test('a dry run says what would be, and keeps neither rows nor records', async () => {
    const { run, rows, list } = await tenantOf([
      seedOf('cities', [{ id: 'a', name: 'Arles' }]),
      seedOf('bad', [{ id: 'y' }]),
    ]);
    expect(await outcome(run({ dryRun: true }))).toEqual([
      ['cities', 'applied', 1],
      ['bad', 'failed', 0],
    ]);
    expect(await rows()).toEqual([]);
    expect(list().map(({ status }) => status)).toEqual(['pending', 'pending']);
  });
});

test('environments choose, names choose among them, unknown names are reported', async () => {
  const seeds = [
    seedOf('all', [{ id: 'a', name: 'A' }]),
    seedOf('prod', [{ id: 'b', name: 'B' }], { environments: ['prod'] }),
    seedOf('dev', [{ id: 'c', name: 'C' }], { environments: ['dev', 'test'] }),
  ];
  const { run } = await tenantOf(seeds);
  expect(await outcome(run())).toEqual([
    ['all', 'applied', 1],
    ['dev', 'applied', 1],
  ]);
  expect((await run({ names: ['prod'] })).outcomes).toMatchObject([
    { Name: 'prod', Status: 'skipped', Reason: 'not for the environment dev' },
  ]);
  expect(await outcome(run({ names: ['prod'], environment: 'prod' }))).toEqual([['prod', 'applied', 1]]);
  expect(unknownSeeds(seeds, ['all', 'nope'])).toEqual(['nope']);
});

describe('files', () => {
  const file = (format: 'csv' | 'json' | 'jsonl', text: string) =>
    seedOf('cities', [], { rows: null, file: { source: `seeds/c.${format}`, format, text } });

  test.each([
    ['csv', 'id,name,people\na,Arles,3\nb,Bonn,\n'],
    ['json', '[{"id":"a","name":"Arles","people":3},{"id":"b","name":"Bonn"}]'],
    ['jsonl', '{"id":"a","name":"Arles","people":3}\n{"id":"b","name":"Bonn"}\n'],
  ] as const)('%s', async (format, text) => {
    const { run, rows } = await tenantOf([file(format, text)]);
    expect(await outcome(run())).toEqual([['cities', 'applied', 2]]);
    expect((await rows()).map(({ id, people }) => [id, people])[0]).toEqual(['a', 3]);
  });

  test('a fault names file and line', async () => {
    const { run } = await tenantOf([file('csv', 'id,name\na,Arles\nb,\n')]);
    expect((await run()).outcomes[0]!.Reason).toMatch(/^seeds\/c\.csv:3: name /);
    const broken = await tenantOf([file('json', '[{"id": 1')]);
    expect((await broken.run()).outcomes[0]).toMatchObject({
      Status: 'failed',
      Reason: expect.stringContaining('c.json'),
    });
  });

  test('more rows than a seed may have fail it', async () => {
    const text = '{"name":"x"}\n'.repeat(limits.seeds.rowsMax + 1);
    const { run, rows } = await tenantOf([file('jsonl', text)]);
    expect((await run()).outcomes[0]!.Reason).toContain(`more than ${limits.seeds.rowsMax} rows`);
    expect(await rows()).toEqual([]);
  });
});

test('a large seed holds the tenant between its slices, and joins whole', async () => {
  const many = Array.from({ length: 2000 }, (_, at) => ({ id: `k${at}`, name: `n${at}` }));
  const { tenant, run } = await tenantOf([seedOf('many', many)]);
  const running = run();
  const seen = new Set<number>();
  for (let held = false; !held; held = tenant.activation.exclusive.held) await nextTurn();
  for (; tenant.activation.exclusive.held; await nextTurn()) seen.add(rowCount(tenant.store.begin(), 256).live);
  expect([...seen]).toEqual([0]);
  expect((await running).outcomes[0]).toMatchObject({ Status: 'applied', Rows: 2000 });
  expect(rowCount(tenant.store.begin(), 256).live).toBe(2000);
});
