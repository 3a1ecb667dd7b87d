/** Rules over references, attacked over HTTP by every principal: docs/contract/data-definitions.md §2.1. */
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

interface Body {
  readonly data: Record<string, unknown>[];
  readonly count: number;
  readonly total?: number;
  readonly stats?: object;
}

const ask = (name: Name, method: string, path: string, body?: unknown): Promise<Answer> =>
  on.it.call(method, `/data/${path}`, as[name], body);
const bodyOf = ({ json }: Answer): Body => json;

async function make(entity: string, values: object, name: Name = 'agent'): Promise<void> {
  const made = await ask(name, 'POST', `rest/${entity}`, values);
  expect([made.status, made.text]).toEqual([201, made.text]);
}

async function idsOf(name: Name, path: string): Promise<unknown[]> {
  const answer = await ask(name, 'GET', path);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return bodyOf(answer)
    .data.map((row) => String(row['id']))
    .toSorted();
}

beforeAll(async () => {
  for (const name of PEOPLE) await logIn(name);
  await make('organisation', { id: 'acme', name: 'Acme', lead: id.lead });
  await make('organisation', { id: 'other', name: 'Other', lead: id.bob });
  await make('ticket', { id: 't1', title: 'of ann', requester: id.ann, organisation_id: 'acme' });
  await make('ticket', { id: 't2', title: 'of bob', requester: id.bob, organisation_id: 'other' });
  await make('ticket', { id: 't3', title: 'of no one', requester: null, organisation_id: null });
  await make('comment', { id: 'c1', ticket_id: 't1', text: 'first of t1', author: id.ann, phone: '0123456789' }, 'ann');
  await make('comment', { id: 'c2', ticket_id: 't1', text: 'second of t1', author: id.agent, phone: '0223456789' });
  await make('comment', { id: 'c3', ticket_id: 't2', text: 'of t2', author: id.bob, phone: '0323456789' }, 'bob');
  await make('comment', { id: 'c4', ticket_id: 't3', text: 'of t3', author: id.agent });
  await make('comment', { id: 'c5', ticket_id: null, text: 'of no ticket', author: id.agent });
  await make('attachment', { id: 'a1', comment_id: 'c1', name: 'log.txt' }, 'ann');
  await make('attachment', { id: 'a3', comment_id: 'c3', name: 'pic.png' }, 'bob');
  for (const [no, ticket] of ['t1', 't1', 't2', 't3'].entries())
    await make('note', { id: `n${no}`, ticket_id: ticket, amount: 10 ** no });
});

/** The comments that each may see. */
const SEEN: Readonly<Record<Name, readonly string[]>> = {
  agent: ['c1', 'c2', 'c3', 'c4', 'c5'],
  ann: ['c1', 'c2'],
  bob: ['c3'],
  lead: ['c1', 'c2'],
  stranger: [],
};

describe.each(PEOPLE)('%s sees what the ticket admits', (name) => {
  const seen = SEEN[name];

  test('in lists, searches, counts and single reads', async () => {
    expect(await idsOf(name, 'rest/comment')).toEqual(seen);
    expect(await idsOf(name, 'rest/comment?orderby=-text&limit=10&offset=0')).toEqual(seen);
    const listed = await ask(name, 'GET', 'rest/comment?stats=true&limit=1');
    expect(bodyOf(listed).total).toBe(seen.length);
    const search = await ask(name, 'POST', 'rest/comment/search', { filter: { text: { like: '%of%' } } });
    expect(
      bodyOf(search)
        .data.map((row) => String(row['id']))
        .toSorted(),
    ).toEqual(seen);
    for (const one of SEEN.agent) {
      const { status, text } = await ask(name, 'GET', `rest/comment/id/${one}`);
      expect([one, status]).toEqual([one, seen.includes(one) ? 200 : 404]);
      if (status === 404) expect(text).not.toMatch(/first|second|of t|012|022|032/);
    }
  });

  test('a filter by the reference gives nothing of other tickets', async () => {
    for (const ticket of ['t1', 't2', 't3']) {
      const mine = await idsOf(name, `rest/comment?ticket_id=${ticket}`);
      expect(mine.every((one) => seen.includes(one as string))).toBe(true);
    }
  });

  test('in groups and aggregates', async () => {
    const answer = await ask(name, 'GET', 'rest/comment?groupby=ticket_id');
    const counts = bodyOf(answer).data.map((row) => Number(row['count']));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(seen.length);
  });

  test('in GraphQL: lists, totals, rows by key, references and their way back', async () => {
    const query = `{ comment { total nodes { id ticket { id title } } }
      ${SEEN.agent.map((one) => `${one}: comment_by_id(id: "${one}") { id }`).join(' ')}
      ticket { nodes { id comment_by_ticket { nodes { id } } } } }`;
    const { data } = (await ask(name, 'POST', 'graphql', { query })).json as {
      data: Record<string, { id: string } | null> & {
        comment: { total: number; nodes: { id: string }[] };
        ticket: { nodes: { comment_by_ticket: { nodes: { id: string }[] } }[] };
      };
    };
    expect(data.comment.total).toBe(seen.length);
    expect(data.comment.nodes.map((row) => row.id).toSorted()).toEqual(seen);
    for (const one of SEEN.agent) expect([one, data[one]?.id ?? null]).toEqual([one, seen.includes(one) ? one : null]);
    const under = data.ticket.nodes.flatMap((ticket) => ticket.comment_by_ticket.nodes.map((row) => row.id));
    expect(under.toSorted()).toEqual(seen.filter((one) => one !== 'c5'));
  });

  test('in includes, both ways', async () => {
    const tickets = bodyOf(await ask(name, 'GET', 'rest/ticket?include=comment_by_ticket')).data;
    const under = tickets.flatMap((ticket) => ticket['comment_by_ticket'] as { id: string }[]).map((row) => row.id);
    expect(under.toSorted()).toEqual(seen.filter((one) => one !== 'c5'));
    const attachments = bodyOf(await ask(name, 'GET', 'rest/attachment?include=comment')).data;
    for (const { comment } of attachments as { comment: { id: string } }[]) expect(seen).toContain(comment.id);
    expect(attachments.map((row) => row['id'])).toEqual(
      ['c1', 'c3'].filter((one) => seen.includes(one)).map((one) => one.replace('c', 'a')),
    );
  });

  test('in exports', async () => {
    const response = await fetch(`${on.it.gateway}/data/bulk?entity=comment&format=jsonl`, {
      method: 'PATCH',
      headers: as[name],
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    const rows = text.split('\n').filter((line) => line !== '');
    expect(rows.map((line) => (JSON.parse(line) as { id: string }).id).toSorted()).toEqual(seen);
  });

  test('what is hidden cannot be changed or deleted', async () => {
    for (const one of SEEN.agent.filter((other) => !seen.includes(other))) {
      const statuses = [
        (await ask(name, 'PATCH', `rest/comment/id/${one}`, { text: 'mine' })).status,
        (await ask(name, 'PATCH', `rest/comment/id/${one}`, { ticket_id: 't1' })).status,
        (await ask(name, 'DELETE', `rest/comment/id/${one}`)).status,
        (await ask(name, 'DELETE', `rest/comment/id/${one}?purge=true`)).status,
      ];
      expect([one, statuses]).toEqual([one, [404, 404, 404, 403]]);
    }
    expect(await idsOf('agent', 'rest/comment')).toEqual(SEEN.agent);
  });
});

/** Who may write a comment on which ticket. */
const WRITES: readonly (readonly [Name, string, number])[] = [
  ['ann', 't2', 403],
  ['ann', 't3', 403],
  ['ann', 'gone', 403],
  ['bob', 't1', 403],
  ['lead', 't2', 403],
  ['stranger', 't1', 403],
  ['stranger', 'gone', 403],
];

describe('writes', () => {
  test.each(WRITES)('%s cannot put a comment under %s, and learns nothing of it', async (name, ticket, status) => {
    const made = await ask(name, 'POST', 'rest/comment', { id: 'x1', ticket_id: ticket, text: 't' });
    const moved =
      SEEN[name][0] === undefined
        ? null
        : await ask(name, 'PATCH', `rest/comment/id/${SEEN[name][0]}`, { ticket_id: ticket });
    const all = await ask(name, 'POST', 'rest', {
      operations: [{ data: { comment: { id: 'x2', ticket_id: ticket } } }],
    });
    const { errors } = (
      await ask(name, 'POST', 'graphql', {
        query: `mutation { create_comment(data: {id: "x3", ticket_id: "${ticket}"}) { id } }`,
      })
    ).json as { errors: { extensions: { status: number } }[] };
    const statuses = [made.status, moved?.status ?? status, errors[0]?.extensions.status, all.status];
    expect(statuses).toEqual([status, status, status, 422]);
    expect(all.text).toContain('create on comment is not allowed');
    // A ticket that is hidden and one that does not exist are refused in the same words.
    expect((made.json as { error: string }).error).not.toMatch(/ticket|t1|t2|t3|gone/);
    expect(await idsOf('agent', 'rest/comment')).toEqual(SEEN.agent);
  });

  test('a bulk import writes what the rule admits', async () => {
    const response = await fetch(`${on.it.gateway}/data/bulk?entity=comment&format=jsonl&skiperrors=true`, {
      method: 'POST',
      headers: { ...as.ann, 'Content-Type': 'application/x-ndjson' },
      body: '{"id":"i1","ticket_id":"t1"}\n{"id":"i2","ticket_id":"t2"}\n{"id":"i3"}\n',
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    const made = (await idsOf('agent', 'rest/comment')).filter((one) => (one as string).startsWith('i'));
    expect(made).toEqual(['i1']);
    // What the file leaves out comes from the caller and the time.
    const [row] = bodyOf(await ask('agent', 'GET', 'rest/comment/id/i1')).data;
    expect(row).toMatchObject({ author: id.ann, said_at: expect.stringMatching(/^20\d\d-/) });
    expect((await ask('agent', 'DELETE', 'rest/comment/id/i1')).status).toBe(200);
  });

  test('a rule of an operation follows references of the row that is written, and of the row as it was', async () => {
    const make = (name: Name, comment: string) =>
      ask(name, 'POST', 'rest/attachment', { id: 'a9', comment_id: comment });
    expect([(await make('ann', 'c2')).status, (await make('bob', 'c1')).status]).toEqual([403, 403]);
    expect((await ask('lead', 'PATCH', 'rest/attachment/id/a1', { name: 'x' })).status).toBe(403);
    expect((await ask('ann', 'PATCH', 'rest/attachment/id/a1', { name: 'log.txt' })).status).toBe(200);
  });

  test('in one envelope a later operation sees what an earlier one wrote', async () => {
    const operations = [
      { data: { ticket: { id: 't7', title: 'new', requester: id.agent } } },
      { data: { comment: { id: 'c7', ticket_id: 't7' } } },
    ];
    expect((await ask('agent', 'POST', 'rest', { operations })).status).toBe(200);
    expect((await ask('agent', 'DELETE', 'rest/comment/id/c7')).status).toBe(200);
  });
});

test('a masked field is shown to those whom the referenced row admits', async () => {
  const phones = async (name: Name) =>
    bodyOf(await ask(name, 'GET', 'rest/comment?unmask=true')).data.map((row) => row['phone']);
  expect(await phones('ann')).toEqual(['0123456789', '0223456789']);
  expect(await phones('lead')).toEqual(['***6789', '***6789']);
  const filtered = await ask('ann', 'GET', 'rest/comment?phone=0123456789');
  expect(filtered.status).toBe(403);
});

test('changes by a filter, sums and rows by a unique key keep to what the ticket admits', async () => {
  const patch = (count: number) =>
    on.it.call(
      'PATCH',
      '/data/rest/comment?text[like]=%25of%20t%25',
      { ...as.ann, 'If-Count': String(count) },
      { phone: null },
    );
  expect([(await patch(3)).status, (await patch(2)).status]).toEqual([412, 200]);
  const untouched = await ask('agent', 'GET', 'rest/comment/id/c3');
  expect(bodyOf(untouched).data[0]).toMatchObject({ phone: expect.stringMatching(/6789$/) });
  const sums = bodyOf(await ask('ann', 'GET', 'rest/note?[aggregate]=count,sum(amount)'));
  expect(sums.data).toEqual([{ count: 2, 'sum(amount)': 11 }]);
  const hidden = await ask('ann', 'POST', 'rest/comment?[on]=id', [{ id: 'c3', ticket_id: 't1', text: 'mine' }]);
  expect(hidden.status).toBeGreaterThanOrEqual(400);
  expect(bodyOf(await ask('agent', 'GET', 'rest/comment/id/c3')).data[0]).toMatchObject({ text: 'of t2' });
  const own = await ask('ann', 'POST', 'rest/comment?[on]=id', [{ id: 'c1', text: 'first of t1, again' }]);
  expect([own.status, bodyOf(own).data[0]]).toMatchObject([
    200,
    { id: 'c1', text: 'first of t1, again', ticket_id: 't1' },
  ]);
});

test('where the rule is one equality, the index of tickets finds the notes', async () => {
  const plan = bodyOf(await ask('ann', 'GET', 'rest/note?stats=true'));
  expect(plan).toMatchObject({ count: 2, total: 2, stats: { plan: { access: 'index', index: ['ticket_id'] } } });
  expect(await idsOf('stranger', 'rest/note')).toEqual([]);
  const sum = await ask('bob', 'GET', 'rest/note?groupby=ticket_id&select=sum(amount)');
  expect(sum.text).toContain('100');
  expect(sum.text).not.toContain('1111');
});

test('a change of the ticket changes at once what comments are visible', async () => {
  expect((await ask('agent', 'PATCH', 'rest/ticket/id/t1', { requester: id.stranger })).status).toBe(200);
  expect([await idsOf('ann', 'rest/comment'), await idsOf('stranger', 'rest/comment')]).toEqual([[], ['c1', 'c2']]);
  expect([await idsOf('ann', 'rest/note'), await idsOf('stranger', 'rest/note')]).toEqual([[], ['n0', 'n1']]);
  expect((await ask('ann', 'GET', 'rest/comment/id/c1')).status).toBe(404);
  // The organisation two references away counts as well.
  expect((await ask('agent', 'PATCH', 'rest/organisation/id/acme', { lead: id.ann })).status).toBe(200);
  expect([await idsOf('lead', 'rest/comment'), await idsOf('ann', 'rest/comment')]).toEqual([[], ['c1', 'c2']]);
  await ask('agent', 'PATCH', 'rest/organisation/id/acme', { lead: id.lead });
  expect((await ask('agent', 'PATCH', 'rest/ticket/id/t1', { requester: id.ann })).status).toBe(200);
});

test('a ticket that is soft-deleted takes its comments out of sight, and gives them back', async () => {
  expect((await ask('agent', 'DELETE', 'rest/ticket/id/t2')).status).toBe(200);
  expect([
    await idsOf('bob', 'rest/comment'),
    await idsOf('bob', 'rest/note'),
    await idsOf('agent', 'rest/comment'),
  ]).toEqual([[], [], SEEN.agent]);
  expect((await ask('agent', 'POST', 'rest/ticket/id/t2/restore')).status).toBe(200);
  expect(await idsOf('bob', 'rest/comment')).toEqual(['c3']);
});
