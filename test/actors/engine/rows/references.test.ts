/** References between rows: set only to what is there, and what deleting a target does. */
import { describe, expect, test } from 'vitest';
import type { ReferenceAction } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { rowCount } from '#actors/engine/rows/count/store.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const ref = (entity: string, on_delete?: ReferenceAction) =>
  ({ type: 'ref', ref: { entity, ...(on_delete !== undefined && { on_delete }) } }) as const;

function engineOf(action: ReferenceAction | undefined, required = false): Engine {
  return new Engine(
    productOf([
      entityOf('a', { next_id: ref('a', 'cascade') }),
      entityOf('b', { a_id: { ...ref('a', action), required } }, { traits: ['timestamps', 'versioned'] }),
      entityOf('c', { b_id: ref('b', 'cascade'), a_id: ref('a') }),
    ]),
  );
}

function make(engine: Engine, name: string, input: Record<string, unknown> = {}): string {
  const model = engine.models.get(name)!;
  const written = createRow(engine.session(), model, input, asRequest(name)) as Written;
  expect(written.kind).toBe('written');
  return written.after![model.key.at] as string;
}

const remove = (engine: Engine, name: string, id: string) =>
  deleteRow(engine.session(), engine.models.get(name)!, id, false, asRequest(name));
const live = (engine: Engine, name: string) => rowCount(engine.turn, engine.models.get(name)!.table).live;

describe('on_delete', () => {
  test.each(['restrict', 'noaction', undefined] as const)('%s refuses, 422', (action) => {
    const engine = engineOf(action);
    const a = make(engine, 'a');
    make(engine, 'b', { a_id: a });
    engine.end(true);
    expect(remove(engine, 'a', a)).toMatchObject({ status: 422, details: { entity: 'b', field: 'a_id' } });
    engine.end(false);
    expect([live(engine, 'a'), live(engine, 'b')]).toEqual([1, 1]);
  });

  test('cascade goes on through dependents of dependents', () => {
    const engine = engineOf('cascade');
    const a = make(engine, 'a');
    const b = make(engine, 'b', { a_id: a });
    make(engine, 'c', { b_id: b });
    make(engine, 'c');
    expect(remove(engine, 'a', a)).toMatchObject({ kind: 'written' });
    expect(['a', 'b', 'c'].map((name) => live(engine, name))).toEqual([0, 0, 1]);
  });

  test('noaction is judged at the end: a row that the same delete takes away does not count', () => {
    const engine = engineOf('cascade');
    const a = make(engine, 'a');
    const b = make(engine, 'b', { a_id: a });
    make(engine, 'c', { b_id: b, a_id: a });
    expect(remove(engine, 'a', a)).toMatchObject({ kind: 'written' });
    expect(live(engine, 'c')).toBe(0);
  });

  test('setnull clears and raises the version; a required field refuses', () => {
    const engine = engineOf('setnull');
    const a = make(engine, 'a');
    make(engine, 'b', { a_id: a });
    expect(remove(engine, 'a', a)).toMatchObject({ kind: 'written' });
    expect(live(engine, 'b')).toBe(1);
    const strict = engineOf('setnull', true);
    const held = make(strict, 'a');
    make(strict, 'b', { a_id: held });
    expect(remove(strict, 'a', held)).toMatchObject({ status: 422 });
  });

  test('a chain of references to itself and a row that refers to itself: long, so it holds the tenant and yields', async () => {
    const engine = engineOf('restrict');
    let id = make(engine, 'a');
    const head = id;
    for (let i = 0; i < 500; i++) id = make(engine, 'a', { next_id: id });
    const self = '01J0000000000000000000000A';
    make(engine, 'a', { id: self, next_id: self });
    expect(remove(engine, 'a', self)).toMatchObject({ kind: 'written' });
    expect([engine.holds, engine.yields]).toEqual([0, 0]);
    const long = remove(engine, 'a', head);
    expect(long).toBeInstanceOf(Promise);
    expect(engine.holds).toBe(1);
    expect(await long).toMatchObject({ kind: 'written' });
    expect(engine.yields).toBeGreaterThan(1);
    expect(live(engine, 'a')).toBe(0);
  });

  test('more than one page of dependents, with rows of other keys of the same cut among them', async () => {
    const id = (end: string): string => `${'x'.repeat(limits.data.idBytesMax - 1)}${end}`;
    const engine = new Engine(
      productOf([
        entityOf('a', { id: { type: 'string' } }),
        entityOf('b', { a_id: ref('a', 'setnull'), n: { type: 'integer' } }, { index: [['a_id', 'n']] }),
      ]),
    );
    for (const end of ['1', '2']) make(engine, 'a', { id: id(end) });
    const rows = 3 * limits.data.referencePageRows;
    for (let n = 0; n < rows; n++) make(engine, 'b', { a_id: id(n % 3 === 0 ? '2' : '1'), n });
    expect(await remove(engine, 'a', id('1'))).toMatchObject({ kind: 'written' });
    const model = engine.models.get('b')!;
    const left = [...engine.turn.range(tableRange(model.table).from, tableRange(model.table).to)];
    const targets = left.map(({ value }) => model.shape(model.decode(value).slots)['a_id']);
    expect(targets.filter((target) => target === null)).toHaveLength((2 * rows) / 3);
    expect(targets.filter((target) => target === id('2'))).toHaveLength(rows / 3);
  });

  test('more dependents than a delete may take are refused', async () => {
    const engine = engineOf('cascade');
    const a = make(engine, 'a');
    for (let i = 0; i <= limits.data.cascadeRowsMax; i++) make(engine, 'b', { a_id: a });
    engine.end(true);
    expect(await remove(engine, 'a', a)).toMatchObject({ status: 422 });
  });
});

describe('targets', () => {
  test('must be there when the reference is written', () => {
    const engine = engineOf('cascade');
    const model = engine.models.get('b')!;
    const create = (a_id: unknown) => createRow(engine.session(), model, { a_id }, asRequest('b'));
    expect(create('01J0000000000000000000000A')).toMatchObject({
      status: 422,
      details: { fields: { a_id: ['refers to no row of a'] } },
    });
    expect(create(null)).toMatchObject({ kind: 'written' });
    expect(create(make(engine, 'a').toLowerCase())).toMatchObject({ kind: 'written' });
  });

  test('every reference field has an index', () => {
    const engine = engineOf('cascade');
    expect(engine.models.get('c')!.indexes.map((index) => index.names)).toEqual([['b_id'], ['a_id']]);
  });
});
