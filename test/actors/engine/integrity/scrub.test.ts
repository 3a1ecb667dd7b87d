/** A tenant that is served is looked at in steps: writes between them are no faults, damage is, and the count is judged at one moment. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { scrubEntities, type ScrubPorts } from '#actors/engine/integrity/scrub/store.ts';
import { checkEntities, type IntegrityFault } from '#actors/engine/integrity/store.ts';
import { loadSchema } from '#actors/engine/schema/store.ts';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import { TABLES } from '#storage/catalogue.ts';
import { u16 } from '#storage/key.ts';
import type { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';

const note = entityOf(
  'note',
  { id: { type: 'string' }, n: { type: 'integer', index: true }, code: { type: 'string', unique: true } },
  { traits: ['soft_delete', 'versioned'] },
);
const product = productOf([note, entityOf('memo', { text: { type: 'string', index: true } })]);

const ROWS = 30;

async function tenantOf(): Promise<DataTenant> {
  const tenant = await DataTenant.open(product);
  for (let n = 0; n < ROWS; n++) {
    await tenant.send('POST', '/data/rest/note', { id: `n${n}`, n, code: `c${n}` });
    await tenant.send('POST', '/data/rest/memo', { text: `t${n % 7}` });
  }
  return tenant;
}

/** One entry a step; a frozen view is the store as it is then. */
function portsOf(store: MemoryStore, fine = (): number => 0): ScrubPorts {
  return {
    now: {
      get: (key) => store.begin().get(key),
      range: (from, to, reverse) => store.begin().range(from, to, reverse),
    },
    frozen: () => store.snapshot(),
    isOver: () => true,
    fine,
  };
}

interface Seen {
  readonly faults: IntegrityFault[];
  readonly entries: number;
  readonly steps: number;
  readonly whole: boolean;
}

async function scrub(
  ports: ScrubPorts,
  between: (step: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<Seen> {
  const faults: IntegrityFault[] = [];
  const steps = scrubEntities(ports);
  let entries = 0;
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done === true) return { faults, entries, steps: count, whole: step.value };
    faults.push(...step.value.faults);
    entries += step.value.entries;
    await between(count);
  }
}

const write = (store: MemoryStore, key: string, value: Uint8Array | null): void => {
  const turn = store.begin();
  if (value === null) turn.del(key);
  else turn.put(key, value);
  turn.commit();
};

/** Keys of one table of an entity, with what lies there. */
const entriesOf = (store: MemoryStore, table: number) => [...store.begin().range(u16(table), u16(table + 1))];
const tableOf = (store: MemoryStore, name: string) =>
  loadSchema(store.begin()).entities.find((entity) => entity.name === name)!;

test('a sound tenant has none, and every row and entry was looked at', async () => {
  const { store } = await tenantOf();
  const seen = await scrub(portsOf(store));
  expect(seen).toMatchObject({ faults: [], whole: true });
  // Rows; entries of n, code and text.
  expect(seen.entries).toBeGreaterThanOrEqual(5 * ROWS);
  expect(seen.steps).toBeGreaterThanOrEqual(seen.entries);
});

test('creates, updates, soft deletes and purges between any two steps are no faults', async () => {
  const tenant = await tenantOf();
  const seen = await scrub(portsOf(tenant.store), async (step) => {
    const id = `n${(step * 7) % ROWS}`;
    if (step % 4 === 0) await tenant.send('POST', '/data/rest/note', { id: `x${step}`, n: step % 5, code: `x${step}` });
    else if (step % 4 === 1) await tenant.send('PATCH', `/data/rest/note/id/${id}`, { n: step, code: `y${step}` });
    else if (step % 4 === 2) await tenant.send('DELETE', `/data/rest/note/id/${id}`);
    else await tenant.send('DELETE', `/data/rest/note/id/x${step - 3}?purge=true`);
  });
  expect(seen).toMatchObject({ faults: [], whole: true });
  expect([...checkEntities(tenant.store.begin())]).toEqual([]);
});

test('a row without its entry, an entry without its row, a row that cannot be read', async () => {
  const { store } = await tenantOf();
  const { table, indexes } = tableOf(store, 'note');
  const [lost] = entriesOf(store, indexes[0]!.no);
  const entries = entriesOf(store, indexes[1]!.no);
  write(store, lost!.key, null);
  write(store, `${entries[3]!.key.slice(0, -2)}zz`, entries[3]!.value);
  const row = entriesOf(store, table)[9]!;
  const damaged = Buffer.from(row.value);
  damaged[12]! ^= 1;
  write(store, row.key, damaged);
  const { faults, whole } = await scrub(portsOf(store));
  expect(whole).toBe(true);
  expect(faults.map(({ kind, entity }) => `${kind} ${entity}`).toSorted()).toEqual([
    'index note',
    'index note',
    'row note',
  ]);
  expect(faults.find(({ kind }) => kind === 'row')!.key).toBe(row.key);
});

test('a wrong count is found, also while rows are written; where one view cannot hold all rows it is left', async () => {
  const tenant = await tenantOf();
  const { store } = tenant;
  const [count] = entriesOf(store, TABLES.row_count.no);
  write(store, count!.key, null);
  const create = (step: number) => tenant.send('POST', '/data/rest/memo', { text: `s${step}` });
  const { faults } = await scrub(portsOf(store), create);
  expect(faults.map(({ kind }) => kind)).toEqual(['count']);
  let now = 0;
  const late = await scrub(portsOf(store, () => (now += limits.scrub.countMsMax)));
  expect(late.faults).toEqual([]);
});

test('a table that no schema names is found once', async () => {
  const { store } = await tenantOf();
  const turn = store.begin();
  const schema = loadSchema(turn);
  expect(schema.nextTable).toBeGreaterThan(259);
  const { indexes } = tableOf(store, 'memo');
  // The last index of the schema is one that nothing names any more.
  const stray = u16(indexes.at(-1)!.no);
  const ports = portsOf(store);
  const bytes = store.begin().get(`${u16(TABLES.schema.no)}0current\0`);
  expect(bytes).toBeDefined();
  const { encodeRecord } = await import('#storage/record.ts');
  const without = schema.entities.map((entity) =>
    entity.name === 'memo' ? { ...entity, indexes: entity.indexes.slice(0, -1) } : entity,
  );
  write(store, `${u16(TABLES.schema.no)}0current\0`, encodeRecord(1, { ...schema, entities: without }));
  const { faults } = await scrub(ports);
  expect(faults).toHaveLength(1);
  expect(faults[0]!.key.startsWith(stray)).toBe(true);
});

test('a schema that changes meanwhile ends the look', async () => {
  const tenant = await tenantOf();
  const wider = productOf([
    note,
    entityOf('memo', { text: { type: 'string', index: true }, more: { type: 'string' } }),
  ]);
  const seen = await scrub(portsOf(tenant.store), async (step) => {
    if (step === 5) await provisionSchema(tenant.store, wider);
  });
  expect(seen).toMatchObject({ whole: false, faults: [], steps: 6 });
  expect(await scrub(portsOf(tenant.store))).toMatchObject({ whole: true, faults: [] });
});
