/** Views over persons, tickets and comments, in the words of both engines. */
import type { EntityDefinition } from '#config/definitions/product.ts';
import { viewOf } from '#test/kit/view-definition.ts';

interface ViewCase {
  readonly definition: EntityDefinition;
  /** What its row rule leaves, as PostgreSQL says it. */
  readonly where?: string;
}

const of = (...parts: Parameters<typeof viewOf>): ViewCase => ({ definition: viewOf(...parts) });

const TICKET = {
  id: 'string',
  status: 'string',
  rank: 'integer',
  price: 'decimal',
  due: 'date',
  open: 'boolean',
} as const;

export const VIEWS: readonly ViewCase[] = [
  of(
    'plain',
    { ...TICKET, requester_id: 'string' },
    'select id, status, rank, price, due, open, requester_id from ticket',
  ),
  of(
    'joined',
    { id: 'string', text: 'string', status: 'string', rank: 'integer', grade: 'string' },
    `select c.id, c.text, t.status, t.rank, p.grade from comment c
       left join ticket t on t.id = c.ticket_id left join person p on p.id = t.requester_id`,
  ),
  of(
    'inner_joined',
    { id: 'string', status: 'string', price: 'decimal', grade: 'string', age: 'integer' },
    `select t.id, t.status, t.price, p.grade, p.age from ticket t, person p
      where p.id = t.requester_id and (t.rank is null or t.rank > 2)`,
  ),
  of(
    'by_requester',
    { id: 'string', n: 'integer', ranks: 'decimal', due: 'date' },
    `select requester_id as id, count(*) as n, sum(rank) as ranks, max(due) as due from ticket
      where requester_id is not null group by requester_id`,
  ),
  of(
    'with_comments',
    { id: 'string', status: 'string', comments: 'integer', text: 'boolean' },
    `select t.id, t.status, count(c.id) as comments, bool_or(c.text = 'p') as text
       from ticket t left join comment c on c.ticket_id = t.id group by t.id`,
  ),
  of(
    'having',
    { id: 'string', n: 'integer' },
    'select status as id, count(*) as n from ticket where status is not null group by status having count(*) > 3',
  ),
  of(
    'full_joined',
    { id: 'string', text: 'string', status: 'string', rank: 'integer' },
    'select coalesce(c.id, t.id) as id, c.text, t.status, t.rank from comment c full join ticket t on t.id = c.ticket_id',
  ),
  of(
    'right_joined',
    { id: 'string', text: 'string', status: 'string' },
    "select t.id || coalesce(c.id, '') as id, c.text, t.status from comment c right join ticket t on t.id = c.ticket_id",
  ),
  of(
    'both',
    { id: 'string', text: 'string' },
    'select id, status as text from ticket union all select id, text from comment',
  ),
  of(
    'placed',
    { ...TICKET, place: 'integer' },
    `select id, status, rank, price, due, open,
            rank() over (partition by status order by rank nulls first, id) as place from ticket`,
  ),
  of(
    'first',
    { id: 'string', status: 'string', rank: 'integer' },
    'select id, status, rank from ticket order by rank desc nulls last, id limit 25 offset 3',
  ),
  of(
    'one_each',
    { id: 'string', status: 'string', rank: 'integer' },
    'select distinct on (status) id, status, rank from ticket where status is not null order by status, rank nulls first, id',
  ),
  of('kinds', { id: 'string' }, 'select distinct status as id from ticket where status is not null'),
  of(
    'of_graded',
    { id: 'string', grade: 'string', status: 'string' },
    `with graded as (select id, grade from person where grade is not null)
     select t.id, g.grade, t.status from ticket t join graded g on g.id = t.requester_id`,
  ),
  of(
    'persons',
    { id: 'string', grade: 'string', tickets: 'integer', age: 'integer' },
    'select p.id, p.grade, (select count(*) from ticket t where t.requester_id = p.id) as tickets, p.age from person p',
  ),
  {
    definition: viewOf(
      'ruled',
      { id: 'string', text: 'string', status: 'string' },
      `select c.id, c.text, t.status
       from comment c left join ticket t on t.id = c.ticket_id`,
      { rowRule: 'row.text != "q"' },
    ),
    where: "text is distinct from 'q'",
  },
];
