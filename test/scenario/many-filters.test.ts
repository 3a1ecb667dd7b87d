/** Filters by rows on the other side of references, orders and groups by them, attacked over HTTP by several principals: docs/contract/data.md §5.4.3, §5.4.4. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const on = useDataNode({ product: 'desk' });
const PEOPLE = ['agent', 'ann', 'bob', 'lead', 'stranger'] as const;
type Name = (typeof PEOPLE)[number];
const as = {} as Record<Name, Headers>;
const id = {} as Record<Name, string>;
const PASSWORD = 'correct horse battery';

async function logIn(name: Name): Promise<void> {
  const email = `${name}@example.org`;
  const roles = name === 'agent' ? ['agent'] : ['tenant_user'];
  await on.it.node.ask(TENANT, 'identity', 'person.ensure', { email, password: PASSWORD, roles, replace: true });
  const answer = await on.it.call('POST', '/auth/login', on.it.position(), { login: email, password: PASSWORD });
  const { access_token: token } = answer.json as { access_token: string };
  as[name] = { ...on.it.position(), Authorization: `Bearer ${token}` };
  id[name] = ((await on.it.call('GET', '/auth/me', as[name])).json as { id: string }).id;
}

const ask = (name: Name, method: string, path: string, body?: unknown): Promise<Answer> =>
  on.it.call(method, `/data/${path}`, as[name], body);

async function make(entity: string, values: object, name: Name = 'agent'): Promise<void> {
  const made = await ask(name, 'POST', `rest/${entity}`, values);
  expect([made.status, made.text]).toEqual([201, made.text]);
}

beforeAll(async () => {
  for (const name of PEOPLE) await logIn(name);
  await make('organisation', { id: 'acme', name: 'Acme', lead: id.lead });
  await make('organisation', { id: 'other', name: 'Other', lead: id.bob });
  await make('ticket', { id: 't1', title: 'of ann', requester: id.ann, organisation_id: 'acme' });
  await make('ticket', { id: 't2', title: 'of bob', requester: id.bob, organisation_id: 'other' });
  await make('ticket', { id: 't3', title: 'quiet, of ann', requester: id.ann, organisation_id: 'acme' });
  await make('comment', { id: 'c1', ticket_id: 't1', text: 'printer', author: id.ann, phone: '0123456789' }, 'ann');
  await make('comment', { id: 'c2', ticket_id: 't2', text: 'printer', author: id.bob, phone: '0323456789' }, 'bob');
  await make('attachment', { id: 'a1', comment_id: 'c1', name: 'log.txt' }, 'ann');
  await make('note', { id: 'n1', ticket_id: 't1', amount: 10 });
  await make('note', { id: 'n2', ticket_id: 't2', amount: 10 });
});

/** Of each form of a filter, the tickets that each principal finds: of those that it sees, by what it sees of the other side. Notes are shown to the requester alone. */
const FOUND: readonly (readonly [filter: Record<string, unknown>, Readonly<Record<Name, readonly string[]>>])[] = [
  [
    { '[comment_by_ticket.text]': 'printer' },
    { agent: ['t1', 't2'], ann: ['t1'], bob: ['t2'], lead: ['t1'], stranger: [] },
  ],
  [{ '[note_by_ticket.amount]': 10 }, { agent: ['t1', 't2'], ann: ['t1'], bob: ['t2'], lead: [], stranger: [] }],
  [{ '[note_by_ticket][none]': {} }, { agent: ['t3'], ann: ['t3'], bob: [], lead: ['t1', 't3'], stranger: [] }],
  [
    { '[note_by_ticket]': { every: { amount: { lt: 5 } } } },
    { agent: ['t3'], ann: ['t3'], bob: [], lead: ['t1', 't3'], stranger: [] },
  ],
  [
    { '[comment_by_ticket.attachment_by_comment.name]': 'log.txt' },
    { agent: ['t1'], ann: ['t1'], bob: [], lead: ['t1'], stranger: [] },
  ],
  [
    { '[not]': { '[comment_by_ticket][some]': { '[ticket.note_by_ticket.amount]': 10 } } },
    { agent: ['t3'], ann: ['t3'], bob: [], lead: ['t1', 't3'], stranger: [] },
  ],
];

describe.each(PEOPLE)('%s', (name) => {
  test('finds tickets by what it sees of their comments and notes, on every surface', async () => {
    for (const [filter, found] of FOUND) {
      const text = encodeURIComponent(JSON.stringify([filter]));
      const query = `[and]=${text}`;
      const rows = (answer: Answer) => {
        expect([filter, answer.status]).toEqual([filter, 200]);
        return (answer.json as { data: { id: string }[] }).data;
      };
      const ids = (answer: Answer) => rows(answer).map((row) => row.id);
      const expected = [filter, found[name]];
      expect([filter, ids(await ask(name, 'GET', `rest/ticket?${query}&orderby=id`))]).toEqual(expected);
      expect([filter, ids(await ask(name, 'POST', 'rest/ticket/search?orderby=id', { filter }))]).toEqual(expected);
      const counted = await ask(name, 'GET', `rest/ticket?${query}&[aggregate]=count`);
      expect([filter, rows(counted)]).toEqual([filter, [{ count: found[name].length }]]);
      const total = (await ask(name, 'GET', `rest/ticket?${query}&stats=true&limit=1`)).json as { total: number };
      expect([filter, total.total]).toEqual([filter, found[name].length]);
    }
  });

  test('and GraphQL finds the same', async () => {
    const query = `{
      some: ticket(filter: {comment_by_ticket: {some: {text: {eq: "printer"}}}}, order: [id_asc]) { total nodes { id } }
      none: ticket(filter: {note_by_ticket: {none: {}}}, order: [id_asc]) { total nodes { id } } }`;
    const { data } = (await ask(name, 'POST', 'graphql', { query })).json as {
      data: Record<'some' | 'none', { total: number; nodes: { id: string }[] }>;
    };
    for (const [alias, at] of [
      ['some', 0],
      ['none', 2],
    ] as const) {
      expect(data[alias].nodes.map((row) => row.id)).toEqual(FOUND[at]![1][name]);
      expect(data[alias].total).toBe(FOUND[at]![1][name].length);
    }
  });

  test('learns nothing by what it may not read: masked fields, entities without a right to read', async () => {
    const texts = new Set<string>();
    for (const path of ['comment_by_ticket.phone', 'comment_by_ticket.nothing']) {
      for (const end of ['=0123456789', '[like]=0%25', '[null]=true']) {
        const { status, json } = await ask(name, 'GET', `rest/ticket?[${path}]${end}`);
        expect([path, end, status]).toEqual([path, end, 422]);
        texts.add((json as { error: string }).error.replace(/phone|nothing/g, 'x'));
      }
      const of = JSON.stringify({ [path.split('.')[1]!]: { ne: '1' } });
      const { status } = await ask(name, 'GET', `rest/ticket?[comment_by_ticket][none]=${encodeURIComponent(of)}`);
      expect([path, status]).toEqual([path, 422]);
    }
    expect([...texts]).toEqual(['comment has no field x']);
    // The way there and back leads over organisations, which agents alone may read.
    const around = await ask(name, 'GET', 'rest/ticket?[organisation.ticket_by_organisation.title]=of ann&orderby=id');
    const refused = { status: 422, error: 'ticket has no field organisation.ticket_by_organisation.title' };
    const answer = around.json as { error?: string; data?: { id: string }[] };
    if (name === 'agent') expect(answer.data!.map((row) => row.id)).toEqual(['t1', 't3']);
    else expect({ status: around.status, error: answer.error }).toEqual(refused);
  });

  test('orders and groups by what it sees of other rows, and learns nothing by the rest', async () => {
    const seen = { agent: ['a1'], ann: ['a1'], bob: [], lead: ['a1'], stranger: [] }[name];
    const ordered = await ask(
      name,
      'GET',
      'rest/attachment?orderby=-[comment.ticket.title],[comment.text]&limit=5&after=',
    );
    const { data, page } = ordered.json as { data: { id: string }[]; page: { end_cursor: string | null } };
    expect([ordered.status, data.map((row) => row.id)]).toEqual([200, seen]);
    // A cursor of one principal shows another one no more than the other sees.
    if (page.end_cursor !== null) {
      const query = `rest/attachment?orderby=-[comment.ticket.title],[comment.text]&before=${page.end_cursor}`;
      const stolen = await ask('stranger', 'GET', query);
      expect([stolen.status, (stolen.json as { data: unknown[] }).data]).toEqual([200, []]);
    }
    const groups = await ask(name, 'GET', 'rest/attachment?groupby=[comment.ticket.title]');
    expect((groups.json as { data: object[] }).data).toEqual(
      seen.map(() => ({ 'comment.ticket.title': 'of ann', count: 1 })),
    );
    const texts = new Set<string>();
    for (const form of ['orderby=[comment.phone]', 'groupby=[comment.phone]', '[aggregate]=max([comment.phone])'])
      for (const query of [form, form.replace('phone', 'nothing')]) {
        const { status, json } = await ask(name, 'GET', `rest/attachment?${query}`);
        expect([query, status]).toEqual([query, 422]);
        texts.add((json as { error: string }).error.replace(/phone|nothing/, 'x'));
      }
    expect([...texts]).toEqual(['attachment has no field comment.x']);
    const far = await ask(name, 'GET', 'rest/ticket?groupby=[organisation.name]');
    expect([far.status, (far.json as { error?: string }).error]).toEqual(
      name === 'agent' ? [200, undefined] : [422, 'ticket has no field organisation.name'],
    );
  });
});
