/** Random rules over references, and what they say of a row when all rows are looked at: no index, no memo, no CEL. */
import { fc } from '#test/kit/property.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';

export interface Person {
  readonly id: string;
  readonly grade: string | null;
  readonly boss_id: string | null;
}

export interface Ticket {
  readonly id: string;
  readonly requester_id: string | null;
  readonly status: string | null;
  readonly open: boolean | null;
  readonly rank: number | null;
  /** How it is: there, soft-deleted, or gone while comments still name it. */
  readonly state: 'there' | 'deleted' | 'gone';
}

export interface Comment {
  readonly id: string;
  readonly ticket_id: string | null;
  readonly author: string | null;
}

export interface World {
  readonly persons: ReadonlyMap<string, Person>;
  readonly tickets: ReadonlyMap<string, Ticket>;
}

/** No answer: what CEL calls an error. */
type Verdict = boolean | 'none';

export interface Asker {
  readonly subject: string;
  readonly agent: boolean;
}

/** What is counted of an evaluation. */
export interface Reached {
  nowhere: number;
  twoHops: number;
  threeHops: number;
}

export interface RuleTree {
  readonly text: string;
  judge(row: Comment, world: World, asker: Asker, reached: Reached): Verdict;
}

type Given<Of> = (found: Of, asker: Asker) => Verdict;

const ticketOf = (row: Comment, { tickets }: World): Ticket | undefined => {
  const ticket = row.ticket_id === null ? undefined : tickets.get(row.ticket_id);
  return ticket?.state === 'there' ? ticket : undefined;
};

const ofTicket = (text: string, given: Given<Ticket>): RuleTree => ({
  text,
  judge(row, world, asker, reached) {
    const ticket = ticketOf(row, world);
    if (ticket === undefined) reached.nowhere++;
    return ticket === undefined ? 'none' : given(ticket, asker);
  },
});

const requesterOf = (row: Comment, world: World): Person | undefined => {
  const id = ticketOf(row, world)?.requester_id ?? null;
  return id === null ? undefined : world.persons.get(id);
};

const ofRequester = (text: string, given: Given<Person>): RuleTree => ({
  text,
  judge(row, world, asker, reached) {
    const person = requesterOf(row, world);
    reached[person === undefined ? 'nowhere' : 'twoHops']++;
    return person === undefined ? 'none' : given(person, asker);
  },
});

const ofBoss = (text: string, given: Given<Person>): RuleTree => ({
  text,
  judge(row, world, asker, reached) {
    const boss = world.persons.get(requesterOf(row, world)?.boss_id ?? '');
    reached[boss === undefined ? 'nowhere' : 'threeHops']++;
    return boss === undefined ? 'none' : given(boss, asker);
  },
});

const ATOMS: readonly RuleTree[] = [
  ofTicket('row.ticket.requester_id == principal.subject', (ticket, { subject }) => ticket.requester_id === subject),
  ofTicket(
    'principal.subject == row["ticket"]["requester_id"]',
    (ticket, { subject }) => ticket.requester_id === subject,
  ),
  ofTicket('row.ticket.requester_id == null', (ticket) => ticket.requester_id === null),
  ofTicket('row.ticket.open', ({ open }) => open ?? 'none'),
  ofTicket('row.ticket.status in ["a", "b"]', ({ status }) => status === 'a' || status === 'b'),
  ofTicket('row.ticket.status != "a"', ({ status }) => status !== 'a'),
  ofTicket('row.ticket.rank >= 2', ({ rank }) => (rank === null ? 'none' : rank >= 2)),
  ofTicket('row.ticket.id in ["t1", "t2"]', ({ id }) => id === 't1' || id === 't2'),
  ofRequester('row.ticket.requester.grade == "g1"', ({ grade }) => grade === 'g1'),
  ofRequester('row.ticket.requester.boss_id == principal.subject', (person, { subject }) => person.boss_id === subject),
  ofBoss('row.ticket.requester.boss.grade == "g1"', ({ grade }) => grade === 'g1'),
  { text: 'row.author == principal.subject', judge: ({ author }, _world, { subject }) => author === subject },
  { text: 'row.ticket_id == null', judge: (row) => row.ticket_id === null },
  { text: '"agent" in principal.roles', judge: (_row, _world, { agent }) => agent },
];

const not = (of: RuleTree): RuleTree => ({
  text: `!(${of.text})`,
  judge: (...given) => {
    const verdict = of.judge(...given);
    return verdict === 'none' ? 'none' : !verdict;
  },
});

/** `decides` is the verdict of one side that decides both, whatever the other gives. */
const pair = (left: RuleTree, right: RuleTree, sign: '&&' | '||'): RuleTree => ({
  text: `(${left.text}) ${sign} (${right.text})`,
  judge: (...given) => {
    const both = [left.judge(...given), right.judge(...given)];
    const decides = sign === '||';
    if (both.includes(decides)) return decides;
    return both.includes('none') ? 'none' : !decides;
  },
});

const atom = fc.constantFrom(...ATOMS);
const branch = fc.oneof(atom, atom.map(not));
const two = fc.tuple(branch, branch, fc.constantFrom('&&' as const, '||' as const));
export const rule: fc.Arbitrary<RuleTree> = fc.oneof(
  atom,
  two.map((given) => pair(...given)),
  fc.tuple(two, branch, fc.constantFrom('&&' as const, '||' as const)).map(([a, b, sign]) => pair(pair(...a), b, sign)),
);

const PERSONS = ['u1', 'u2', 'u3', 'u4'];
const TICKETS = ['t1', 't2', 't3', 't4', 't5', 't6'];
const maybe = <T>(...values: T[]) => fc.constantFrom(...values, null);

export const person = (id: string): fc.Arbitrary<Person> =>
  fc.record({ id: fc.constant(id), grade: maybe('g1', 'g2'), boss_id: maybe(...PERSONS) });
export const ticket = (id: string): fc.Arbitrary<Ticket> =>
  fc.record({
    id: fc.constant(id),
    requester_id: maybe(...PERSONS),
    status: maybe('a', 'b', 'c'),
    open: maybe(true, false),
    rank: maybe(1, 2, 3),
    state: fc.constantFrom('there', 'there', 'there', 'deleted', 'gone'),
  });
export const comment = fc.record({ ticket_id: maybe(...TICKETS), author: maybe('u1', 'u2') });

export const persons = fc.tuple(...PERSONS.map(person));
export const tickets = fc.tuple(...TICKETS.map(ticket));
export const comments = fc
  .array(comment, { minLength: 3, maxLength: 14 })
  .map((list): Comment[] => list.map((one, no) => ({ ...one, id: `c${String(no).padStart(2, '0')}` })));

export const worldOf = (people: readonly Person[], found: readonly Ticket[]): World => ({
  persons: new Map(people.map((one) => [one.id, one])),
  tickets: new Map(found.map((one) => [one.id, one])),
});

const ID = { type: 'string', required: true } as const;
const ref = (entity: string): FieldDefinition => ({ type: 'ref', nullable: true, ref: { entity } });

/** The three entities; `indexed`: the references and the fields that rules compare have indexes. */
export function ticketProduct(rowRule: string, indexed: boolean): ReturnType<typeof productOf> {
  const index = (...names: string[]) => ({ index: indexed ? names.map((name) => [name]) : [] });
  return productOf([
    entityOf('person', { id: ID, grade: { type: 'string' }, boss_id: ref('person') }, index('grade')),
    entityOf(
      'ticket',
      {
        id: ID,
        requester_id: ref('person'),
        status: { type: 'string' },
        open: { type: 'boolean' },
        rank: { type: 'integer' },
      },
      {
        traits: ['soft_delete'],
        ...index('status', 'open'),
        access: { create: 'true', read: 'false', update: 'true', delete: 'true' },
      },
    ),
    entityOf(
      'comment',
      { id: ID, ticket_id: ref('ticket'), author: { type: 'string' } },
      { rowRule, ...index('author') },
    ),
  ]);
}
