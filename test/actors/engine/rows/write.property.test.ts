/**
 * Writes against a plain model in memory: uniqueness, references with every action, soft delete, restore, versions, and the
 * envelope as all or nothing. The model knows rows as objects and nothing of indexes, turns or counters.
 */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { runOperations, type Operation } from '#actors/engine/rows/operations.ts';
import { restoreRow } from '#actors/engine/rows/restore.ts';
import { takeSteps } from '#actors/kit/pace/steps.ts';
import { rowCount } from '#actors/engine/rows/count/store.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { stateOf } from '#actors/engine/rows/versions/store.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';

type Row = Record<string, unknown>;
type Tables = Record<string, Map<string, Row>>;

const seed = testSeed();
const ref = (entity: string, on_delete: 'cascade' | 'setnull' | 'restrict' | 'noaction') =>
  ({ type: 'ref', ref: { entity, on_delete } }) as const;

/** `node` refers to itself and to `root` in every way; keys are few, so that rows meet. */
const product = productOf([
  entityOf(
    'root',
    { id: { type: 'string' }, a: { type: 'integer' }, b: { type: 'integer' } },
    { unique: [['a', 'b']] },
  ),
  entityOf(
    'node',
    {
      id: { type: 'string' },
      u: { type: 'integer', unique: true },
      cascade_id: ref('node', 'cascade'),
      setnull_id: ref('root', 'setnull'),
      restrict_id: ref('root', 'restrict'),
      noaction_id: ref('node', 'noaction'),
    },
    { traits: ['soft_delete', 'versioned'] },
  ),
]);
const REFERENCES = [
  ['cascade_id', 'node', 'cascade'],
  ['setnull_id', 'root', 'setnull'],
  ['restrict_id', 'root', 'restrict'],
  ['noaction_id', 'node', 'noaction'],
] as const;
const UNIQUE: Readonly<Record<string, readonly (readonly string[])[]>> = { root: [['a', 'b']], node: [['u']] };

/** The model. Each write gives whether it is allowed; a refused one leaves the tables as they were. */
class Model {
  tables: Tables = { root: new Map(), node: new Map() };
  old = new Map<string, Row>();

  attempt(write: () => boolean): boolean {
    const before = structuredClone(this.tables);
    const versions = new Map(this.old);
    if (write()) return true;
    this.tables = before;
    this.old = versions;
    return false;
  }

  run(action: string, entity: string, row: Row): boolean {
    const id = row['id'] as string;
    const present = this.tables[entity]!.get(id);
    if (action === 'create') return present === undefined && this.#put(entity, this.#fresh(entity, row));
    if (action === 'upsert' && present === undefined) return this.#put(entity, this.#fresh(entity, row));
    if (present === undefined) return false;
    if (action === 'delete') return this.#delete(entity, present, row['purge'] === true);
    if (action === 'restore')
      return present['deleted'] === true && this.#change(entity, { ...present, deleted: false });
    return present['deleted'] !== true && this.#update(entity, present, row);
  }

  #fresh(entity: string, row: Row): Row {
    const empty =
      entity === 'root'
        ? { a: null, b: null }
        : { u: null, cascade_id: null, setnull_id: null, restrict_id: null, noaction_id: null };
    return { ...empty, ...row, version: 1, deleted: false };
  }

  #update(entity: string, present: Row, row: Row): boolean {
    const next = { ...present, ...row };
    if (JSON.stringify(next) === JSON.stringify(present)) return true;
    return this.#change(entity, next, present);
  }

  #change(entity: string, next: Row, before: Row = this.tables[entity]!.get(next['id'] as string)!): boolean {
    if (entity === 'node') this.old.set(`${String(before['id'])} ${String(before['version'])}`, before);
    return this.#put(entity, { ...next, version: (before['version'] as number) + 1 }, before);
  }

  /** Stores a row when its references and unique values allow it. */
  #put(entity: string, row: Row, before: Row | null = null): boolean {
    for (const fields of UNIQUE[entity]!) {
      if (fields.some((field) => row[field] === null)) continue;
      for (const other of this.tables[entity]!.values())
        if (other['id'] !== row['id'] && fields.every((field) => other[field] === row[field])) return false;
    }
    if (entity === 'node')
      for (const [field, to] of REFERENCES) {
        const value = row[field];
        if (value === null || value === before?.[field] || (to === 'node' && value === row['id'])) continue;
        const target = this.tables[to]!.get(value as string);
        if (target === undefined || target['deleted'] === true) return false;
      }
    this.tables[entity]!.set(row['id'] as string, row);
    return true;
  }

  #delete(entity: string, present: Row, purge: boolean): boolean {
    if (entity === 'root' || purge) return this.#remove(entity, present['id'] as string);
    return present['deleted'] !== true && this.#change(entity, { ...present, deleted: true });
  }

  /** Depth first as SQL reads it: what is gone at the end decides noaction; restrict refuses at once. */
  #remove(entity: string, id: string): boolean {
    const doomed: [string, string][] = [[entity, id]];
    const gone: [string, string][] = [];
    for (let next = doomed.pop(); next !== undefined; next = doomed.pop()) {
      const [table, key] = next;
      if (!this.tables[table]!.has(key)) continue;
      const referring = (field: string): Row[] =>
        [...this.tables['node']!.values()].filter(
          (row) => row[field] === key && !(table === 'node' && row['id'] === key),
        );
      for (const [field, to, action] of REFERENCES)
        if (to === table && action === 'restrict' && referring(field).length > 0) return false;
      this.tables[table]!.delete(key);
      for (const name of this.old.keys()) if (table === 'node' && name.startsWith(`${key} `)) this.old.delete(name);
      gone.push(next);
      for (const [field, to, action] of REFERENCES) {
        if (to !== table) continue;
        for (const row of referring(field)) {
          if (action === 'cascade') doomed.push(['node', row['id'] as string]);
          if (action === 'setnull' && !this.#change('node', { ...row, [field]: null })) return false;
        }
      }
    }
    return gone.every(([table, key]) =>
      [...this.tables['node']!.values()].every((row) => table !== 'node' || row['noaction_id'] !== key),
    );
  }
}

const KEYS = ['k1', 'k2', 'k3', 'k4', 'k5'];
const key = fc.constantFrom(...KEYS);
const small = fc.option(fc.integer({ min: 0, max: 4 }), { freq: 3 });
const target = fc.option(key, { freq: 1 });
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(model: T) => fc.record(model, { requiredKeys: ['id'] });
const rootRow = some({ id: key, a: small, b: small });
const nodeRow = some({
  id: key,
  u: small,
  cascade_id: target,
  setnull_id: target,
  restrict_id: target,
  noaction_id: target,
});
const step = fc
  .tuple(fc.constantFrom('create', 'create', 'update', 'upsert', 'delete', 'purge', 'purge', 'restore'), fc.boolean())
  .chain(([verb, onNode]) =>
    (onNode ? nodeRow : rootRow).map((row): { action: string; entity: string; row: Row } => {
      const entity = onNode ? 'node' : 'root';
      if (verb === 'purge') return { action: 'delete', entity, row: { id: row.id, purge: true } };
      if (verb === 'delete' || verb === 'restore') return { action: verb, entity, row: { id: row.id } };
      return { action: verb, entity, row };
    }),
  );
/** Roots, and nodes that refer to them and to one another: what single steps would hardly come to. */
const roots = KEYS.map((id) => ({ action: 'create', entity: 'root', row: { id } }));
const nodes = fc.tuple(
  ...KEYS.map((id, i) => {
    const earlier = fc.constantFrom(null, ...KEYS.slice(0, i));
    const seldom = fc.constantFrom(null, null, null, null, ...KEYS.slice(0, i));
    const root = fc.constantFrom(null, ...KEYS);
    const refs = { cascade_id: earlier, setnull_id: root, restrict_id: root, noaction_id: seldom };
    return fc
      .record({ id: fc.constant(id), ...refs }, { requiredKeys: ['id'] })
      .map((row): { action: string; entity: string; row: Row } => ({ action: 'create', entity: 'node', row }));
  }),
);
const start = fc.oneof(
  fc.constant([]),
  nodes.map((some) => [...roots, ...some].map((one) => [one])),
);
const batches = fc.array(
  fc.oneof({ weight: 4, arbitrary: step.map((one) => [one]) }, fc.array(step, { minLength: 2, maxLength: 6 })),
  { minLength: 1, maxLength: 40 },
);
const scenario = fc.tuple(start, batches).map(([before, then]) => [...before, ...then]);

/** One step through the entry points that single requests use. */
async function single(engine: Engine, action: string, entity: string, row: Row): Promise<Written | Failure> {
  const model = engine.models.get(entity)!;
  const session = engine.session();
  const request = asRequest(entity);
  if (action === 'create') return createRow(session, model, row, request);
  if (action === 'update') return updateRow(session, model, row['id'], row, request);
  if (action === 'restore') return restoreRow(session, model, row['id'], request);
  return await deleteRow(session, model, row['id'], row['purge'] === true, request);
}

function rowsOf(engine: Engine, entity: string): Map<string, Row> {
  const model = engine.models.get(entity)!;
  const { from, to } = tableRange(model.table);
  const out = new Map<string, Row>();
  for (const { value } of engine.turn.range(from, to)) {
    const { slots } = model.decode(value);
    const { deleted_at, deleted_by: _, version: __, ...row } = model.shape(slots);
    out.set(row['id'] as string, { ...row, version: slots[0], deleted: (deleted_at ?? null) !== null });
  }
  return out;
}

function bytesOf(engine: Engine, table: number): number {
  const { from, to } = tableRange(table);
  let bytes = 0;
  for (const { key, value } of engine.turn.range(from, to)) bytes += key.length + value.length;
  return bytes;
}

function expectSame(engine: Engine, model: Model): void {
  for (const entity of ['root', 'node']) {
    const rows = rowsOf(engine, entity);
    const byId = (a: [string, Row], b: [string, Row]): number => (a[0] < b[0] ? -1 : 1);
    expect([...rows].toSorted(byId)).toEqual([...model.tables[entity]!].toSorted(byId));
    const deleted = [...rows.values()].filter((row) => row['deleted'] === true).length;
    const { table } = engine.models.get(entity)!;
    const bytes = bytesOf(engine, table);
    expect(rowCount(engine.turn, table)).toEqual({ live: rows.size - deleted, deleted, bytes });
  }
  const node = engine.models.get('node')!;
  for (const [id, row] of model.tables['node']!)
    for (let version = 1; version < (row['version'] as number); version++) {
      const slots = stateOf(engine.turn, node, node.decode(engine.turn.get(keyOf(engine, id))!).slots, version);
      expect(slots === undefined ? undefined : node.shape(slots)['u'], `${id} version ${version}`).toEqual(
        model.old.get(`${id} ${version}`)?.['u'],
      );
    }
}

function keyOf(engine: Engine, id: string): string {
  const model = engine.models.get('node')!;
  return tableRange(model.table).from + model.idOf(id)!;
}

describe(`writes (seed ${seed})`, () => {
  test('agree with a plain model, one by one and in envelopes', { timeout: 120_000 }, async () => {
    const seen = { done: 0, refused: 0, envelopes: 0, rolledBack: 0, purges: 0, cascades: 0 };
    const property = fc.asyncProperty(scenario, async (batches) => {
      const engine = new Engine(product);
      const model = new Model();
      for (const batch of batches) {
        const was = model.tables['node']!.size;
        const expected = model.attempt(() => batch.every(({ action, entity, row }) => model.run(action, entity, row)));
        let succeeded: boolean;
        const [first] = batch;
        if (batch.length === 1 && first!.action !== 'upsert')
          succeeded = !isFailure(await single(engine, first!.action, first!.entity, first!.row));
        else {
          const operations = batch.map(({ action, entity, row }) => ({ action, entity, rows: [row] }) as Operation);
          const session = engine.session();
          const ran = await takeSteps(session, runOperations(session, operations, 'POST'));
          succeeded = !('kind' in ran);
          seen.envelopes++;
          if (!succeeded) seen.rolledBack++;
        }
        engine.end(succeeded);
        expect(succeeded, JSON.stringify(batch)).toBe(expected);
        seen[succeeded ? 'done' : 'refused']++;
        const gone = was - model.tables['node']!.size;
        if (gone > 0) seen.purges++;
        if (batch.length === 1 && gone > 1) seen.cascades++;
        engine.clock.advance(1);
      }
      expectSame(engine, model);
    });
    await fc.assert(property, { numRuns: rounds({ suite: 400, ci: 1000 }), seed });
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(40);
  });
});
