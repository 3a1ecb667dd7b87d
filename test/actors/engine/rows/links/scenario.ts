/** Tickets with tags and related tickets, of which a caller sees a part, and filters by them as bodies write them. */
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { insertSql } from '#actors/engine/rows/sql.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { withPairs } from '#config/definitions/link.ts';
import type { FieldDefinition, LinkDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { fc } from '#test/kit/property.ts';
import { testSeed } from '#test/kit/seed.ts';
import { leafOf, type Filter, type Leaf } from '../path/far-scenario.ts';

export const seed = testSeed();

const ID = { type: 'string', required: true } as const;
const TAG: Record<string, FieldDefinition> = {
  id: ID,
  name: { type: 'string' },
  rank: { type: 'integer' },
  secret: { type: 'boolean' },
};
const TICKET: Record<string, FieldDefinition> = {
  id: ID,
  title: { type: 'string' },
  rank: { type: 'integer' },
  hidden: { type: 'boolean' },
};
const COMMENT: Record<string, FieldDefinition> = {
  id: ID,
  ticket_id: { type: 'ref', nullable: true, ref: { entity: 'ticket' } },
  text: { type: 'string' },
};
const TABLES = `
  CREATE TABLE tag (id text PRIMARY KEY, name text, rank bigint, secret boolean, deleted_at text, deleted_by text);
  CREATE TABLE ticket (id text PRIMARY KEY, title text, rank bigint, hidden boolean, deleted_at text, deleted_by text);
  CREATE TABLE comment (id text PRIMARY KEY, ticket_id text, text text);
  CREATE TABLE "ticket.tags" (id text PRIMARY KEY, source text, target text);
  CREATE TABLE "ticket.related" (id text PRIMARY KEY, source text, target text)`;
const NAMES = ['tag', 'ticket', 'comment', 'ticket.tags', 'ticket.related'] as const;

export const link = (entity: string, roles?: LinkDefinition['roles']): LinkDefinition => {
  return { entity, where: 'entities/ticket.yaml:1:1', ...(roles !== undefined && { roles }) };
};

/** Of secret tags and of hidden tickets the caller sees none. */
export function linkedProduct(isIndexed: boolean) {
  const index = (...names: string[]): string[][] => (isIndexed ? names.map((name) => [name]) : []);
  return productOf(
    withPairs([
      entityOf('tag', TAG, { index: index('name', 'rank'), rowRule: 'row.secret != true', traits: ['soft_delete'] }),
      entityOf('ticket', TICKET, {
        index: index('rank', 'title'),
        rowRule: 'row.hidden != true',
        traits: ['soft_delete'],
        links: { tags: link('tag'), related: link('ticket') },
      }),
      entityOf('comment', COMMENT, { index: index('text') }),
    ]),
  );
}

export const tags = Array.from({ length: 24 }, (_, no) => `g${String(no).padStart(2, '0')}`);
export const tickets = Array.from({ length: 60 }, (_, no) => `t${String(no).padStart(2, '0')}`);
const VALUES = {
  name: ['red', 'blue', "it's", ''],
  rank: [1, 2, 3, 4, 5, 6, 7, 8],
  title: ['new', 'A%', 'done'],
  text: ['p', 'q'],
};
const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { freq: 6 });
const rarely = fc.constantFrom(true, false, null, null);
const tag = fc.record({ name: maybe(...VALUES.name), rank: maybe(...VALUES.rank), secret: rarely });
const ticket = fc.record({ title: maybe(...VALUES.title), rank: maybe(...VALUES.rank), hidden: rarely });
const comment = fc.record({ ticket_id: maybe(...tickets), text: maybe(...VALUES.text) });
const linked = fc.record({
  tags: fc.subarray(tags, { maxLength: 5 }),
  related: fc.subarray(tickets, { maxLength: 3 }),
});
const sampled = <T>(arbitrary: fc.Arbitrary<T>, ids: readonly string[]) =>
  fc.sample(arbitrary, { numRuns: ids.length, seed }).map((row, no) => ({ id: ids[no]!, ...row }));

/** Engines of the same rows: without indexes of fields, and with those that narrow. Some rows on each side are in the bin. */
export function engines(): Engine[] {
  const comments = Array.from({ length: 80 }, (_, no) => `c${String(no).padStart(2, '0')}`);
  const rows = { tag: sampled(tag, tags), ticket: sampled(ticket, tickets), comment: sampled(comment, comments) };
  const links = sampled(linked, tickets);
  return [false, true].map((isIndexed) => {
    const engine = new Engine(linkedProduct(isIndexed));
    const session = engine.session(INTERNAL);
    const accepted = (outcome: object): void => {
      if (isFailure(outcome)) throw new Error(outcome.message);
    };
    for (const entity of ['tag', 'ticket', 'comment'] as const)
      for (const row of rows[entity]) accepted(createRow(session, engine.models.get(entity)!, row, asRequest(entity)));
    for (const { id, ...both } of links)
      accepted(updateRow(session, engine.models.get('ticket')!, id, both, asRequest('ticket')));
    for (const [entity, every] of [
      ['tag', 6],
      ['ticket', 8],
    ] as const)
      for (const [no, { id }] of rows[entity].entries())
        if (no % every === 0) void deleteRow(session, engine.models.get(entity)!, id, false, asRequest(entity));
    engine.end(true);
    return engine;
  });
}

/** The rows of an entity as they are stored. */
export function storedRows(engine: Engine, entity: string): Record<string, unknown>[] {
  const model = engine.models.get(entity)!;
  const { from, to } = tableRange(model.table);
  return [...engine.turn.range(from, to)].map(({ value }) => model.shape(model.pad(decodeSlots(value))));
}

/** Statements that make the tables, with the rows that the caller may see, and with all pairs: those of hidden rows too. */
export function allStatements(engine: Engine): string[] {
  const inserts = NAMES.flatMap((entity) => {
    const model = engine.models.get(entity)!;
    const { from, to } = tableRange(model.table);
    const rows = [...engine.turn.range(from, to)].map(({ value }) => model.pad(decodeSlots(value)));
    const isHidden = (row: Record<string, unknown>) => row['secret'] === true || row['hidden'] === true;
    return rows.filter((slots) => !isHidden(model.shape(slots))).map((slots) => insertSql(model, slots));
  });
  return [TABLES, ...inserts];
}

export type Name = 'tag' | 'ticket' | 'comment';

interface Relation {
  readonly path: string;
  readonly to: Name;
  readonly hops: number;
}

const FIELDS: Readonly<Record<Name, readonly (keyof typeof VALUES)[]>> = {
  tag: ['name', 'rank'],
  ticket: ['title', 'rank'],
  comment: ['text'],
};
const MANY: Readonly<Record<Name, readonly Relation[]>> = {
  tag: [
    { path: 'ticket_by_tags', to: 'ticket', hops: 1 },
    { path: 'ticket_by_tags.comment_by_ticket', to: 'comment', hops: 2 },
  ],
  ticket: [
    { path: 'tags', to: 'tag', hops: 1 },
    { path: 'related', to: 'ticket', hops: 1 },
    { path: 'ticket_by_related', to: 'ticket', hops: 1 },
    { path: 'comment_by_ticket', to: 'comment', hops: 1 },
    { path: 'related.tags', to: 'tag', hops: 2 },
    { path: 'tags.ticket_by_tags', to: 'ticket', hops: 2 },
  ],
  comment: [
    { path: 'ticket.tags', to: 'tag', hops: 2 },
    { path: 'ticket.ticket_by_related', to: 'ticket', hops: 2 },
    { path: 'ticket.related.tags', to: 'tag', hops: 3 },
  ],
};
const IDS: Readonly<Record<Name, readonly string[]>> = { tag: tags, ticket: tickets, comment: ['c01', 'c02', 'c03'] };
const IS_TEXT = new Set<string>(['name', 'title', 'text']);

const fieldOf = (entity: Name, before: string): fc.Arbitrary<Leaf> =>
  fc
    .constantFrom('id' as const, ...FIELDS[entity])
    .chain((name) =>
      leafOf(before + name, name === 'id' ? IDS[entity] : VALUES[name], name === 'id' || IS_TEXT.has(name)),
    );
const own = (entity: Name): fc.Arbitrary<Filter> =>
  fieldOf(entity, '').map(({ path, op, value }) => ({ [path]: { [op]: value } }));
const inBrackets = ({ path, op, value }: Leaf): Filter => ({ [`[${path}]`]: { [op]: value } });

/** A filter of one entity that follows at most so many relations. */
export function filterOf(entity: Name, hops: number, depth = 3): fc.Arbitrary<Filter> {
  const many = MANY[entity].filter((one) => one.hops <= hops);
  const kinds: { weight: number; arbitrary: fc.Arbitrary<Filter> }[] = [{ weight: 2, arbitrary: own(entity) }];
  if (many.length > 0) {
    const relation = fc.constantFrom(...many);
    kinds.push({ weight: 4, arbitrary: relation.chain((to) => fieldOf(to.to, `${to.path}.`).map(inBrackets)) });
    if (depth > 0) kinds.push({ weight: 6, arbitrary: relation.chain((to) => quantified(to, hops, depth)) });
  }
  if (depth > 0) {
    const part = filterOf(entity, hops, depth - 1);
    const parts = fc.array(part, { minLength: 1, maxLength: 2 });
    kinds.push({ weight: 1, arbitrary: parts.map((of) => ({ '[or]': of })) });
    kinds.push({ weight: 1, arbitrary: part.map((of) => ({ '[not]': of })) });
  }
  return fc.oneof(...kinds);
}

function quantified({ path, to, hops: taken }: Relation, hops: number, depth: number): fc.Arbitrary<Filter> {
  const none = fc.constant<Filter>({});
  const of = fc.oneof({ weight: 2, arbitrary: none }, { weight: 8, arbitrary: filterOf(to, hops - taken, depth - 1) });
  return fc
    .tuple(fc.constantFrom('some', 'none', 'every'), of, fc.boolean())
    .map(([how, filter, isFlat]) =>
      isFlat ? { [`[${path}][${how}]`]: filter } : { [`[${path}]`]: { [how]: filter } },
    );
}
