/** Statements of declared actions, without a server: a row by its key beside the engine's own read of it, and a grouped join. */
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { findRow } from '#actors/engine/rows/read.ts';
import { compileSql } from '#actors/engine/sql/compile.ts';
import type { CompiledSql } from '#actors/engine/sql/compiled.ts';
import { executeSql } from '#actors/engine/sql/execute.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { servedTables } from '#actors/engine/sql/schema.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';

const POINT = 'select id, name, qty, price from item where id = :id';
const JOIN = `select c.name, count(*) as n, sum(p.price * p.qty) as total from item c join item_sale p on p.item_id = c.id
  group by c.name order by total desc`;

const SOURCE = { file: 'bench', line: 1, column: 1 };

/** 50 items with 100 sales, in memory. */
async function filled(): Promise<Engine> {
  await loadSqlParser();
  const fields = { name: { type: 'string' }, qty: { type: 'integer' }, price: { type: 'decimal' } } as const;
  const sale = { ...fields, item_id: { type: 'ref', ref: { entity: 'item' } } } as const;
  const engine = new Engine(productOf([entityOf('item', fields), entityOf('item_sale', sale)]));
  const ids = Array.from({ length: 50 }, (_, i) =>
    created(engine, 'item', { name: `item ${i}`, qty: i, price: '1.50' }),
  );
  for (let i = 0; i < 100; i++) created(engine, 'item_sale', { qty: i, price: '2.25', item_id: ids[i % 50] });
  engine.end(true);
  return engine;
}

function created(engine: Engine, entity: string, row: Record<string, unknown>): string {
  const written = createRow(engine.session(), engine.models.get(entity)!, row, asRequest(entity));
  if (isFailure(written)) throw new Error(written.message);
  return String(written.after![written.model.key.at]);
}

function compiled(engine: Engine, sql: string): CompiledSql {
  return compileSql(sql, servedTables(engine.models), SOURCE);
}

function checked(engine: Engine, statement: CompiledSql, values: Record<string, unknown>, total: number): void {
  const outcome = executeSql(statement, values, engine.session());
  if (!('total' in outcome) || outcome.total !== total)
    throw new Error(`the statement should find its rows: ${JSON.stringify(outcome).slice(0, 300)}`);
}

export const sqlPoint: BenchCase = {
  name: 'sql-point',
  measures: "a statement that reads one row by its key, compiled once, and the engine's read of the same row as JSON",
  target: 'the statement within 1.5 × of the read, over HTTP',
  http: false,
  seconds: (options) => (3 * functionMs(options)) / 1000,
  async run({ options }) {
    const engine = await filled();
    const model = engine.models.get('item')!;
    const id = created(engine, 'item', { name: 'one', qty: 1, price: '1' });
    const statement = compiled(engine, POINT);
    checked(engine, statement, { id }, 1);
    const ms = functionMs(options);
    const read = (): string => {
      const row = findRow(engine.session(), model, asRequest('item'), model.idOf(id));
      if (row === undefined || isFailure(row)) throw new Error('the row should be there');
      return model.json(row.slots);
    };
    return [
      await timeFunction('sql compile', () => compiled(engine, POINT), ms),
      await timeFunction('sql point', () => JSON.stringify(executeSql(statement, { id }, engine.session())), ms),
      await timeFunction('engine point', read, ms),
    ];
  },
};

export const sqlJoin: BenchCase = {
  name: 'sql-join',
  measures: 'a join of 50 and 100 rows, grouped, summed and sorted',
  target: 'under 20 ms',
  http: false,
  seconds: (options) => functionMs(options) / 1000,
  async run({ options }) {
    const engine = await filled();
    const statement = compiled(engine, JOIN);
    checked(engine, statement, {}, 50);
    return [await timeFunction('sql join', () => executeSql(statement, {}, engine.session()), functionMs(options))];
  },
};
