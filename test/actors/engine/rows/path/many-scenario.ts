/** Filters of persons, tickets and comments by rows on both sides of their references, as bodies write them. */
import { fc } from '#test/kit/property.ts';
import { leafOf, VALUES, type Filter, type Leaf } from './far-scenario.ts';

export type Name = 'person' | 'ticket' | 'comment';

interface Relation {
  readonly path: string;
  readonly to: Name;
  readonly hops: number;
}

const FIELDS: Readonly<Record<Name, readonly (keyof typeof VALUES)[]>> = {
  person: ['grade', 'age'],
  ticket: ['status', 'rank', 'open', 'due'],
  comment: ['text'],
};
const ONE: Readonly<Record<Name, readonly Relation[]>> = {
  person: [{ path: 'boss', to: 'person', hops: 1 }],
  ticket: [{ path: 'requester', to: 'person', hops: 1 }],
  comment: [
    { path: 'ticket', to: 'ticket', hops: 1 },
    { path: 'ticket.requester', to: 'person', hops: 2 },
  ],
};
const MANY: Readonly<Record<Name, readonly Relation[]>> = {
  person: [
    { path: 'ticket_by_requester', to: 'ticket', hops: 1 },
    { path: 'person_by_boss', to: 'person', hops: 1 },
    { path: 'boss.ticket_by_requester', to: 'ticket', hops: 2 },
    { path: 'ticket_by_requester.comment_by_ticket', to: 'comment', hops: 2 },
  ],
  ticket: [
    { path: 'comment_by_ticket', to: 'comment', hops: 1 },
    { path: 'requester.ticket_by_requester', to: 'ticket', hops: 2 },
  ],
  comment: [
    { path: 'ticket.comment_by_ticket', to: 'comment', hops: 2 },
    { path: 'ticket.requester.person_by_boss', to: 'person', hops: 3 },
  ],
};
const IS_TEXT = new Set<string>(['grade', 'status', 'text']);

const fieldOf = (entity: Name, before: string): fc.Arbitrary<Leaf> =>
  fc.constantFrom(...FIELDS[entity]).chain((name) => leafOf(before + name, VALUES[name], IS_TEXT.has(name)));
const own = (entity: Name): fc.Arbitrary<Filter> =>
  fieldOf(entity, '').map(({ path, op, value }) => ({ [path]: { [op]: value } }));
const inBrackets = ({ path, op, value }: Leaf): Filter => ({ [`[${path}]`]: { [op]: value } });

const within = (all: readonly Relation[], hops: number) => all.filter((one) => one.hops <= hops);

/** A filter of one entity that follows at most so many relations. */
export function filterOf(entity: Name, hops: number, depth = 3): fc.Arbitrary<Filter> {
  const one = within(ONE[entity], hops);
  const many = within(MANY[entity], hops);
  const kinds: { weight: number; arbitrary: fc.Arbitrary<Filter> }[] = [{ weight: 2, arbitrary: own(entity) }];
  if (one.length > 0)
    kinds.push({
      weight: 1,
      arbitrary: fc.constantFrom(...one).chain((to) => fieldOf(to.to, `${to.path}.`).map(inBrackets)),
    });
  if (many.length > 0) {
    const relation = fc.constantFrom(...many);
    kinds.push({ weight: 3, arbitrary: relation.chain((to) => fieldOf(to.to, `${to.path}.`).map(inBrackets)) });
    if (depth > 0) kinds.push({ weight: 6, arbitrary: relation.chain((to) => quantified(to, hops, depth)) });
  }
  if (depth > 0) {
    const part = filterOf(entity, hops, depth - 1);
    const parts = fc.array(part, { minLength: 1, maxLength: 2 });
    kinds.push({ weight: 1, arbitrary: parts.map((of) => ({ '[or]': of })) });
    kinds.push({ weight: 1, arbitrary: parts.map((of) => ({ '[and]': of })) });
    kinds.push({ weight: 1, arbitrary: part.map((of) => ({ '[not]': of })) });
  }
  return fc.oneof(...kinds);
}

function quantified({ path, to, hops: taken }: Relation, hops: number, depth: number): fc.Arbitrary<Filter> {
  const none = fc.constant<Filter>({});
  const of = fc.oneof({ weight: 1, arbitrary: none }, { weight: 9, arbitrary: filterOf(to, hops - taken, depth - 1) });
  const quantifier = fc.constantFrom('some', 'none', 'every');
  return fc
    .tuple(quantifier, of, fc.boolean())
    .map(([how, filter, flat]) => (flat ? { [`[${path}][${how}]`]: filter } : { [`[${path}]`]: { [how]: filter } }));
}
