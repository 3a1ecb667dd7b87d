/** docs/contract/common.md §8.3: no turn holds a host. Long answers come in slices, all of them of one view. */
import { executeSync, getIntrospectionQuery, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { limits } from '#config/limits.ts';
import { visibleTo } from '#actors/data/documents/visible.ts';
import { answer, type GraphQLAnswer, type Transaction } from '#actors/data/graphql/answer.ts';
import { NOT_BY_GET } from '#actors/data/graphql/not-by-get.ts';
import { Slices } from '#actors/data/graphql/slices.ts';
import { schemaSteps } from '#actors/data/graphql/schema.ts';
import { atOnce } from '#actors/kit/pace/steps.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const CHILDREN = 400;

function family(): Engine {
  const engine = new Engine(
    productOf([
      entityOf('parent', { id: { type: 'integer' }, name: { type: 'string' } }),
      entityOf('child', { n: { type: 'integer' }, parent_id: { type: 'ref', ref: { entity: 'parent' } } }),
    ]),
  );
  for (let id = 0; id < 20; id++) add(engine, 'parent', { id, name: 'old' });
  for (let n = 0; n < CHILDREN; n++) add(engine, 'child', { n, parent_id: n % 20 });
  engine.end(true);
  return engine;
}

function add(engine: Engine, entity: string, row: object): void {
  createRow(engine.session(), engine.models.get(entity)!, { ...row }, asRequest(entity));
}

async function run(engine: Engine, query: string, session: Session): Promise<GraphQLAnswer> {
  const seen = { models: engine.models, session, visible: visibleTo(session, engine.models) };
  const transaction: Transaction = {
    enact: (write) => write(session),
    commit: () => engine.end(true),
    abort: () => engine.end(false),
  };
  const request = { query, operationName: null, variables: {}, mutates: true };
  const answered = await answer(seen, transaction, request, limits.graphql.costMax);
  if (answered === NOT_BY_GET) throw new Error(answered);
  return answered;
}

/** What the host does between two slices. */
function meanwhile(engine: Engine, work: () => void): Session {
  const session = engine.session();
  const yieldTurn = async (): Promise<void> => {
    await session.yieldTurn();
    work();
  };
  return { ...session, yieldTurn };
}

const LONG = `{ child(first: ${CHILDREN}, order: [n_asc]) { total nodes { n parent { name child_by_parent(first: 1) { total nodes { n } } } } } }`;
const SHORT = '{ child(first: 10) { total nodes { n } } }';

test('a long answer lets others run, and shows one view whatever they write', async () => {
  const engine = family();
  await run(engine, SHORT, engine.session()); // builds the schema
  let written = 0;
  const session = meanwhile(engine, () => {
    add(engine, 'child', { n: 1000 + written, parent_id: written++ % 20 });
    engine.end(true);
  });
  for (let sight = 0; sight < 3; sight++) {
    const before = { yields: engine.yields, written };
    const { data, errors } = await run(engine, LONG, session);
    expect(errors).toBeUndefined();
    const { child } = data as {
      child: { total: number; nodes: { n: number; parent: { child_by_parent: { total: number } } }[] };
    };
    expect(engine.yields - before.yields).toBeGreaterThanOrEqual(3);
    expect(child.total).toBe(CHILDREN + before.written);
    expect(child.nodes.map(({ n }) => n)).toEqual(Array.from({ length: CHILDREN }, (_, n) => n));
    const totals = child.nodes.slice(0, 20).map(({ parent }) => parent.child_by_parent.total);
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(CHILDREN + before.written);
  }
});

test('a short one is read in its turn', async () => {
  const engine = family();
  await run(engine, SHORT, engine.session());
  const before = engine.yields;
  expect(await run(engine, SHORT, engine.session())).toMatchObject({ data: { child: { total: CHILDREN } } });
  expect(engine.yields).toBe(before);
});

test('an answer that outlives its snapshot is given up', async () => {
  const engine = family();
  await run(engine, SHORT, engine.session());
  const session = meanwhile(engine, () => engine.clock.advance(limits.storage.snapshotMsMax + 1));
  const { errors } = await run(engine, LONG, session);
  expect(errors![0]).toMatchObject({ extensions: { code: 'v2.query_failed', status: 500 } });
});

test('a schema is built, and described, in slices: what it says is what the library says at once', async () => {
  const entities = Array.from({ length: 40 }, (_, i) =>
    entityOf(`e${i}`, {
      a: { type: 'integer' },
      b: { type: 'enum', enum: ['x', 'y'] },
      up: { type: 'ref', ref: { entity: `e${(i * 7) % 40}` } },
    }),
  );
  const engine = new Engine(productOf(entities));
  const introspection = getIntrospectionQuery();
  const { data } = await run(engine, introspection, engine.session());
  const built = engine.yields;
  expect(built).toBeGreaterThan(40 / limits.graphql.sliceEntities);
  await run(engine, introspection, engine.session());
  expect(engine.yields - built).toBeGreaterThan(3);
  const schema = atOnce(schemaSteps(visibleTo(engine.session(), engine.models)));
  expect(data).toEqual(executeSync({ schema, document: parse(introspection) }).data);
});

test('what waits keeps its order, and a fault of one is not the next one’s', async () => {
  const engine = family();
  const slices = new Slices(engine.session(), 2);
  const done: number[] = [];
  const work = (n: number) => (): number => {
    done.push(n);
    if (n === 3) throw new Error('three');
    return n;
  };
  expect([slices.run(1, work(0)), slices.run(1, work(1))]).toEqual([0, 1]);
  const later = await Promise.allSettled([2, 3, 4, 5, 6].map(async (n) => slices.run(1, work(n))));
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(later.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true]);
  expect(engine.yields).toBe(3);
});

test('a slice ends when its time is over, however little its work cost', async () => {
  const engine = family();
  const slices = new Slices(engine.session(), 1000);
  const slow = (n: number) => (): number => {
    engine.clock.advance(limits.data.sliceMsMax);
    return n;
  };
  expect(slices.run(1, slow(0))).toBe(0);
  expect(await Promise.all([1, 2, 3].map(async (n) => slices.run(1, slow(n))))).toEqual([1, 2, 3]);
  expect(engine.yields).toBe(3);
});

test('an answer that fits in one slice is not cut by its time', () => {
  const engine = family();
  const slices = new Slices(engine.session(), Infinity);
  expect(slices.run(1, () => engine.clock.advance(10 * limits.data.sliceMsMax))).toBeUndefined();
  expect(slices.run(1, () => 1)).toBe(1);
});
