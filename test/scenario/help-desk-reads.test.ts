/** The rules of the template help-desk: what each principal sees, on every way to read a row. */
import { describe, expect, test } from 'vitest';
import { ask, codeOf, eves, graphql, mallorys, me, rowsOf, useHelpDesk } from '#test/kit/help-desk.ts';
import type { Name, Row } from '#test/kit/help-desk.ts';
import type { Answer } from '#test/kit/test-node.ts';

useHelpDesk();

const BOTH = ['No picture', 'No sound'];
const snapshotOf = ({ json }: Answer, field: string): string[] =>
  (json as { rows: readonly Row[] }).rows.map((row) => String(row[field])).sort();

describe('each way to read tickets shows a caller the same', () => {
  const subjects = (answer: Answer): unknown =>
    answer.status === 200
      ? rowsOf(answer)
          .map(({ subject }) => String(subject))
          .sort()
      : answer.status;

  /** By way: what a caller sees of the tickets; a status where it is refused. */
  const ways: readonly (readonly [string, (name: Name) => Promise<unknown>])[] = [
    ['a list', async (name) => subjects(await ask(name, 'GET', 'rest/ticket'))],
    [
      'a list in another order',
      async (name) => subjects(await ask(name, 'GET', 'rest/ticket?orderby=-subject&limit=9')),
    ],
    ['a search', async (name) => subjects(await ask(name, 'POST', 'rest/ticket/search', { filter: {} }))],
    [
      'a search for either requester',
      async (name) =>
        subjects(
          await ask(name, 'POST', 'rest/ticket/search', { filter: { requester: { in: [me('eve'), me('mallory')] } } }),
        ),
    ],
    [
      'alternatives',
      async (name) =>
        subjects(
          await ask(
            name,
            'GET',
            `rest/ticket?${new URLSearchParams({ '[or]': JSON.stringify([{ requester: me('eve') }, { requester: me('mallory') }]) }).toString()}`,
          ),
        ),
    ],
    [
      'the snapshot before changes',
      async (name) => {
        const answer = await ask(name, 'GET', 'changes?entity=ticket&snapshot=true');
        return answer.status === 200 ? snapshotOf(answer, 'subject') : answer.status;
      },
    ],
    [
      'an export',
      async (name) => {
        const answer = await ask(name, 'PATCH', 'bulk?entity=ticket&format=json');
        return answer.status === 200
          ? (answer.json as Row[]).map(({ subject }) => String(subject)).sort()
          : answer.status;
      },
    ],
    [
      'by their ids',
      async (name) => {
        const read = await Promise.all(
          [eves.ticket, mallorys.ticket].map((id) => ask(name, 'GET', `rest/ticket/id/${id}`)),
        );
        const refused = read.find(({ status }) => status !== 200 && status !== 404);
        if (refused !== undefined) return refused.status;
        return read.flatMap((answer) => (answer.status === 404 ? [] : [String(rowsOf(answer)[0]!['subject'])])).sort();
      },
    ],
  ];
  const refused: readonly (readonly [Name, number])[] = [
    ['nina', 403],
    ['service', 403],
    ['stranger', 401],
    ['foreign', 401],
  ];

  describe.each(ways)('%s', (_way, look) => {
    test.each([
      ['eve', ['No sound']],
      ['mallory', ['No picture']],
      ['gus', BOTH],
      ['ann', BOTH],
    ] as const)('%s', async (name, seen) => expect(await look(name)).toEqual(seen));

    test.each(refused)('%s is refused', async (name, status) => expect(await look(name)).toBe(status));
  });

  test('GraphQL', async () => {
    const query = '{ ticket { total nodes { subject } } }';
    for (const [name, seen] of [
      ['eve', ['No sound']],
      ['mallory', ['No picture']],
      ['gus', BOTH],
      ['ann', BOTH],
    ] as const) {
      const { data } = await graphql(name, query);
      const { total, nodes } = (data as { ticket: { total: number; nodes: Row[] } }).ticket;
      expect([total, nodes.map(({ subject }) => String(subject)).sort()]).toEqual([seen.length, seen]);
    }
    const byId = await graphql('mallory', `{ ticket_by_id(id: "${eves.ticket}") { subject } }`);
    expect(byId.data).toEqual({ ticket_by_id: null });
    for (const name of ['nina', 'service'] as const)
      expect((await graphql(name, query)).errors?.[0]?.message, name).toBeDefined();
  });

  test('counts, groups and totals count what the caller sees', async () => {
    const totalOf = async (name: Name): Promise<unknown> =>
      ((await ask(name, 'GET', 'rest/ticket?status=open&stats=true')).json as { stats: { total_count: number } }).stats
        .total_count;
    expect([await totalOf('eve'), await totalOf('mallory'), await totalOf('gus')]).toEqual([1, 1, 2]);
    const groups = async (name: Name): Promise<unknown> =>
      rowsOf(await ask(name, 'GET', 'rest/ticket?groupby=priority'));
    expect(await groups('mallory')).toEqual([{ priority: 'normal', count: 1 }]);
    expect(await groups('gus')).toEqual([{ priority: 'normal', count: 2 }]);
  });

  test('the anonymous mirror shows nothing', async () => {
    for (const entity of ['ticket', 'comment', 'attachment', 'organisation']) {
      expect((await ask('stranger', 'GET', `anon/rest/${entity}`)).status).toBe(403);
      expect((await ask('stranger', 'POST', `anon/rest/${entity}/search`, {})).status).toBe(403);
    }
    expect((await ask('stranger', 'GET', `anon/rest/ticket/id/${eves.ticket}`)).status).toBe(403);
    expect((await ask('stranger', 'POST', 'anon/rest/ticket', { subject: 'anyone', requester: 'x' })).status).toBe(403);
  });

  test('the report is for agents and administrators', async () => {
    for (const name of ['gus', 'ann'] as const)
      expect(rowsOf(await ask(name, 'GET', 'actions/report'))).toEqual([
        { organisation: 'Acme', status: 'open', tickets: 1 },
        { organisation: null, status: 'open', tickets: 1 },
      ]);
    for (const name of ['eve', 'mallory', 'nina', 'service'] as const)
      expect((await ask(name, 'GET', 'actions/report')).status).toBe(403);
    expect((await ask('stranger', 'GET', 'actions/report')).status).toBe(401);
  });
});

describe('comments, attachments and organisations', () => {
  const texts = async (name: Name, path: string): Promise<unknown> => {
    const answer = await ask(name, 'GET', path);
    return answer.status === 200
      ? rowsOf(answer)
          .map(({ text }) => String(text))
          .sort()
      : answer.status;
  };

  test('a requester sees what was said to them, and neither notes among agents nor what was hidden', async () => {
    const path = `rest/comment?ticket_id=${eves.ticket}`;
    expect(await texts('eve', path)).toEqual(['off and on again']);
    expect(await texts('mallory', path)).toEqual([]);
    for (const name of ['gus', 'ann'] as const)
      expect(await texts(name, path)).toEqual(['off and on again', 'said in haste', 'the old model']);
    for (const name of ['nina', 'service'] as const) expect(await texts(name, path)).toBe(403);
  });

  test('the snapshot before changes has the same', async () => {
    const seen = async (name: Name) =>
      snapshotOf(await ask(name, 'GET', `changes?entity=comment&snapshot=true&ticket_id=${eves.ticket}`), 'text');
    expect(await seen('eve')).toEqual(['off and on again']);
    expect(await seen('mallory')).toEqual([]);
    expect(await seen('gus')).toEqual(['off and on again', 'said in haste', 'the old model']);
  });

  test('through the ticket, too: includes, GraphQL, groups, filters', async () => {
    const included = rowsOf(await ask('eve', 'GET', `rest/ticket/id/${eves.ticket}?include=comment_by_ticket`));
    expect((included[0]!['comment_by_ticket'] as Row[]).map(({ text }) => text)).toEqual(['off and on again']);
    const { data } = await graphql('eve', '{ ticket { nodes { comment_by_ticket { nodes { text } } } } }');
    expect(data).toEqual({ ticket: { nodes: [{ comment_by_ticket: { nodes: [{ text: 'off and on again' }] } }] } });
    expect(rowsOf(await ask('eve', 'GET', 'rest/comment?groupby=internal'))).toEqual([{ internal: false, count: 1 }]);
    for (const filter of ['internal=true', 'state=hidden', `id=${eves.internal}`])
      expect(rowsOf(await ask('eve', 'GET', `rest/comment?${filter}`))).toEqual([]);
    for (const id of [eves.internal, eves.hidden])
      expect((await ask('eve', 'GET', `rest/comment/id/${id}`)).status).toBe(404);
    expect((await ask('mallory', 'GET', `rest/comment/id/${eves.open}?include=ticket`)).status).toBe(404);
  });

  test('a file comes to its requester and the agents alone', async () => {
    const get = (name: Name): Promise<Answer> =>
      ask(name, 'GET', `rest/attachment/id/${eves.file}?download=true&field=file`);
    for (const name of ['eve', 'gus', 'ann'] as const)
      expect(await get(name)).toMatchObject({ status: 200, text: 'a log of it' });
    expect((await get('mallory')).status).toBe(404);
    for (const name of ['nina', 'service'] as const) expect((await get(name)).status).toBe(403);
    const sign = await ask('mallory', 'POST', `rest/attachment/id/${eves.file}/sign`, { field: 'file' });
    expect(sign.status).toBe(404);
  });

  test('organisations are the agents’, also where a ticket of one’s own names one', async () => {
    expect((await ask('eve', 'GET', 'rest/organisation')).status).toBe(403);
    for (const path of [`rest/ticket/id/${eves.ticket}?include=organisation`, 'rest/ticket?include=organisation']) {
      const answer = await ask('eve', 'GET', path);
      expect([answer.status, answer.text.includes('Acme')]).toEqual([403, false]);
      expect((await ask('gus', 'GET', path)).text).toContain('Acme');
    }
    expect(JSON.stringify(await graphql('eve', '{ ticket { nodes { organisation { name } } } }'))).not.toContain(
      'Acme',
    );
    expect(codeOf(await ask('eve', 'POST', 'rest/organisation', { name: 'Mine' }))).toEqual([403, 'v2.create_failed']);
    expect((await ask('gus', 'DELETE', `rest/organisation/id/${me('gus')}`)).status).toBe(403);
  });
});
