/** Persons, tickets and comments, of which a caller sees a part, and filters of comments by values that they lead to. */
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { insertSql } from '#actors/engine/rows/sql.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { EntityDefinition, FieldDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { fc } from '#test/kit/property.ts';
import { testSeed } from '#test/kit/seed.ts';

export const seed = testSeed();

const ID = { type: 'string', required: true } as const;
const ref = (entity: string): FieldDefinition => ({ type: 'ref', nullable: true, ref: { entity } });
const PERSON: Record<string, FieldDefinition> = {
  id: ID,
  grade: { type: 'string' },
  age: { type: 'integer' },
  boss_id: ref('person'),
  about: { type: 'json' },
};
const TICKET: Record<string, FieldDefinition> = {
  id: ID,
  requester_id: ref('person'),
  status: { type: 'string' },
  rank: { type: 'integer' },
  price: { type: 'decimal' },
  due: { type: 'date' },
  open: { type: 'boolean' },
  meta: { type: 'json' },
};
const COMMENT: Record<string, FieldDefinition> = {
  id: ID,
  ticket_id: ref('ticket'),
  text: { type: 'string' },
  meta: { type: 'json' },
};
const TABLES = `
  CREATE TABLE person (id text PRIMARY KEY, grade text, age bigint, boss_id text, about jsonb);
  CREATE TABLE ticket (id text PRIMARY KEY, requester_id text, status text, rank bigint, price numeric, due date, open boolean, meta jsonb,
    deleted_at text, deleted_by text);
  CREATE TABLE comment (id text PRIMARY KEY, ticket_id text, text text, meta jsonb, deleted_at text, deleted_by text)`;

type Indexes = Readonly<Record<'person' | 'ticket' | 'comment', string[][]>>;
const NONE: Indexes = { person: [], ticket: [], comment: [] };
const ALL: Indexes = {
  person: [['grade'], ['age']],
  ticket: [['status'], ['rank'], ['price', 'due'], ['due']],
  comment: [['text']],
};

/** Of persons of a grade `x`, and of tickets that are not open, the caller sees none. */
const productWith = (index: Indexes, views: readonly EntityDefinition[]) => ({
  ...productOf([
    entityOf('person', PERSON, { index: index.person, rowRule: 'row.grade != "x"' }),
    entityOf('ticket', TICKET, { index: index.ticket, rowRule: 'row.open != false', traits: ['soft_delete'] }),
    entityOf('comment', COMMENT, { index: index.comment, traits: ['soft_delete'] }),
  ]),
  views,
});

const scalars = fc.constantFrom<unknown>('red', 'blue', '', "it's", 5, 5.5, -1, 0, true, false, null, {}, []);
const json = fc.option(
  fc.oneof(
    fc.record({ color: scalars, size: fc.record({ w: scalars, 'a/b': scalars }) }, { requiredKeys: [] }),
    fc.record({ color: scalars, tags: fc.array(scalars, { maxLength: 3 }) }),
    fc.array(scalars, { maxLength: 2 }),
  ),
  { freq: 6 },
);
const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { freq: 6 });
export const persons = Array.from({ length: 14 }, (_, no) => `u${no}`);
const tickets = Array.from({ length: 110 }, (_, no) => `t${no}`);
export const VALUES = {
  grade: ['a', 'b', 'x', ''],
  age: [-5, 0, 30, 40, '9007199254740993'],
  status: ['new', 'new', 'new', 'new', 'done', "it's", 'A%'],
  rank: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  price: ['0', '1.50', '1.5', '-2', '12345678901234567890.5'],
  due: ['2026-01-01', '2026-05-05', '1999-12-31'],
  open: [true, false],
  text: ['p', 'q', 'r'],
};
const person = fc.record({
  grade: maybe(...VALUES.grade),
  age: maybe(...VALUES.age),
  boss_id: maybe(...persons),
  about: json,
});
const ticket = fc.record({
  requester_id: maybe(...persons),
  status: maybe(...VALUES.status),
  rank: maybe(...VALUES.rank),
  price: maybe(...VALUES.price),
  due: maybe(...VALUES.due),
  open: maybe(...VALUES.open),
  meta: json,
});
const comment = fc.record({ ticket_id: maybe(...tickets), text: maybe(...VALUES.text), meta: json });

type Rows = readonly Readonly<Record<string, unknown>>[];
interface World {
  readonly person: Rows;
  readonly ticket: Rows;
  readonly comment: Rows;
}
const sampled = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, name: (no: number) => string) =>
  fc.sample(arbitrary, { numRuns, seed }).map((row, no) => ({ id: name(no), ...row }));
const world: World = {
  person: sampled(person, persons.length, (no) => persons[no]!),
  ticket: sampled(ticket, tickets.length, (no) => tickets[no]!),
  comment: sampled(comment, 160, (no) => `c${String(no).padStart(3, '0')}`),
};

/** Engines of the same rows, with these views: without indexes, and with those that narrow. */
export function engines(views: readonly EntityDefinition[] = []): Engine[] {
  const both = [NONE, ALL].map((index) => new Engine(productWith(index, views)));
  for (const engine of both) fill(engine);
  return both;
}

function fill(engine: Engine): void {
  const session = engine.session(INTERNAL);
  const put = (entity: string, row: Readonly<Record<string, unknown>>): void => {
    const written = createRow(session, engine.models.get(entity)!, row, asRequest(entity));
    if (isFailure(written)) throw new Error(`${entity}: ${written.message}`);
  };
  for (const { boss_id: _, ...row } of world.person as readonly Record<string, unknown>[]) put('person', row);
  for (const { id, boss_id } of world.person)
    updateRow(session, engine.models.get('person')!, id, { boss_id }, asRequest('person'));
  for (const entity of ['ticket', 'comment'] as const) for (const row of world[entity]) put(entity, row);
  for (const [entity, every] of [
    ['comment', 9],
    ['ticket', 7],
  ] as const)
    for (const [no, { id }] of world[entity].entries())
      if (no % every === 0) void deleteRow(session, engine.models.get(entity)!, id, false, asRequest(entity));
  engine.end(true);
}

/** Statements that insert the rows which the caller may see. */
function statements(engine: Engine, entity: string): string[] {
  const model = engine.models.get(entity)!;
  const { from, to } = tableRange(model.table);
  const rows = [...engine.turn.range(from, to)].map(({ value }) => model.pad(decodeSlots(value)));
  const isHidden = (row: Record<string, unknown>) => row['grade'] === 'x' || row['open'] === false;
  return rows.filter((slots) => !isHidden(model.shape(slots))).map((slots) => insertSql(model, slots));
}

/** Statements that make the tables, with the rows that the caller may see. */
export function allStatements(engine: Engine): string[] {
  return [TABLES, ...['person', 'ticket', 'comment'].flatMap((entity) => statements(engine, entity))];
}

export interface Leaf {
  readonly path: string;
  readonly op: string;
  readonly value: unknown;
}

const compared = fc.constantFrom('eq', 'eq', 'ne', 'gt', 'gte', 'lt', 'lte');
const PATTERNS = ['%', 'n%', '%e%', '_', 'r_d', 'A\\%', "%'%", 'N%'];

export function leafOf(path: string, values: readonly unknown[], isText: boolean): fc.Arbitrary<Leaf> {
  const one = fc.constantFrom(...values);
  const at = (op: string) => (value: unknown) => ({ path, op, value });
  const kinds: fc.Arbitrary<Leaf>[] = [
    compared.chain((op) => one.map(at(op))),
    compared.chain((op) => one.map(at(op))),
    fc.constantFrom('in', 'nin').chain((op) => fc.array(one, { maxLength: 3 }).map(at(op))),
    fc.boolean().map(at('null')),
    fc
      .tuple(one, one)
      .filter(([a, b]) => typeof a === typeof b)
      .map(at('between')),
  ];
  if (isText) kinds.push(fc.constantFrom('like', 'ilike').chain((op) => fc.constantFrom(...PATTERNS).map(at(op))));
  return fc.oneof(...kinds);
}

const OPERANDS = ['red', 'blue', '', "it's", 5, 5.5, -1, 0, true, false, 'r', 77];
const PARTS = ['color', 'size', 'size/w', 'size/a~1b', 'tags/0', 'tags/2', '0', 'none', 'color/none', 'size/w/none'];
const jsonLeaf = (prefix: string) =>
  fc.constantFrom(...PARTS).chain((part) => leafOf(`${prefix}/${part}`, OPERANDS, true));
const typed = (prefix: string, names: readonly (keyof typeof VALUES)[]) =>
  fc
    .constantFrom(...names)
    .chain((name) => leafOf(`${prefix}.${name}`, VALUES[name], ['grade', 'status'].includes(name)));
export const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  { weight: 5, arbitrary: typed('ticket', ['status', 'rank', 'price', 'due', 'open']) },
  { weight: 3, arbitrary: typed('ticket.requester', ['grade', 'age']) },
  { weight: 2, arbitrary: typed('ticket.requester.boss', ['grade', 'age']) },
  { weight: 2, arbitrary: leafOf('ticket.id', tickets.slice(0, 20), true) },
  { weight: 2, arbitrary: leafOf('ticket.requester_id', persons, true) },
  { weight: 1, arbitrary: leafOf('ticket.requester.boss_id', persons, true) },
  { weight: 1, arbitrary: fc.boolean().map((value) => ({ path: 'ticket.meta', op: 'null', value })) },
  { weight: 3, arbitrary: jsonLeaf('meta') },
  { weight: 3, arbitrary: jsonLeaf('ticket.meta') },
  { weight: 1, arbitrary: jsonLeaf('ticket.requester.about') },
  { weight: 1, arbitrary: fc.constantFrom(...VALUES.text).map((value) => ({ path: 'text', op: 'eq', value })) },
);

export type Filter = Readonly<Record<string, unknown>>;
export const isOwn = ({ path }: Leaf): boolean => path === 'text';
export const inBody = (one: Leaf): Filter => ({ [isOwn(one) ? one.path : `[${one.path}]`]: { [one.op]: one.value } });
export const group: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'group' },
    { weight: 3, arbitrary: leaf.map(inBody) },
    { weight: 2, arbitrary: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((of) => ({ '[or]': of })) },
    { weight: 1, arbitrary: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }).map((of) => ({ '[and]': of })) },
    { weight: 2, arbitrary: tie('filter').map((of) => ({ '[not]': of })) },
  ),
})).filter;
