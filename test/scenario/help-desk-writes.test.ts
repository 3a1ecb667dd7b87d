/** The rules of the template help-desk, attacked by every principal on every way to write a row; and what each may do. */
import { describe, expect, test } from 'vitest';
import {
  as,
  ask,
  eves,
  graphql,
  it,
  made,
  mallorys,
  me,
  PASSWORD,
  rowsOf,
  upload,
  useHelpDesk,
} from '#test/kit/help-desk.ts';
import type { Name, Row } from '#test/kit/help-desk.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, type Answer } from '#test/kit/test-node.ts';

useHelpDesk();

/** Eve's ticket and what belongs to it, as the administrator sees them: unchanged by an attack. */
async function state(): Promise<string> {
  const lists = await Promise.all(
    ['ticket', 'comment', 'attachment', 'organisation'].map((entity) =>
      ask('ann', 'GET', `rest/${entity}?orderby=id&limit=500`),
    ),
  );
  return JSON.stringify(lists.map(rowsOf));
}

describe('attacks of another requester on a ticket leave everything as it was', () => {
  const stolen = { status: 'closed' };
  const envelope = (action: string, entity: string, row: Row): Promise<Answer> =>
    ask('mallory', 'POST', 'rest', { operations: [{ action, data: { [entity]: row } }] });
  const create = (entity: string, row: Row): Promise<Answer> => ask('mallory', 'POST', `rest/${entity}`, row);
  const own = (row: Row): Promise<Answer> => ask('mallory', 'PATCH', `rest/ticket/id/${mallorys.ticket}`, row);
  const comment = (more: Row): Row => ({ ticket_id: eves.ticket, text: 'mine', ...more });

  const attacks: readonly (readonly [string, () => Promise<Answer>, readonly number[]])[] = [
    ['closes it', () => ask('mallory', 'PATCH', `rest/ticket/id/${eves.ticket}`, stolen), [404]],
    [
      'closes it by the key in the body',
      () => ask('mallory', 'PUT', 'rest/ticket', { id: eves.ticket, ...stolen }),
      [404],
    ],
    ['closes it in an envelope', () => envelope('update', 'ticket', { id: eves.ticket, ...stolen }), [422]],
    ['upserts it', () => envelope('upsert', 'ticket', { id: eves.ticket, ...stolen }), [422]],
    ['deletes it', () => ask('mallory', 'DELETE', `rest/ticket/id/${eves.ticket}`), [403]],
    ['purges it', () => ask('mallory', 'DELETE', `rest/ticket/id/${eves.ticket}?purge=true`), [403]],
    ['deletes an own one', () => ask('mallory', 'DELETE', `rest/ticket/id/${mallorys.ticket}`), [403]],
    ['asks in the name of Eve', () => create('ticket', { subject: 'as Eve', requester: me('eve') }), [403]],
    ['asks in no name', () => create('ticket', { subject: 'as none', requester: null }), [403, 422]],
    [
      'asks with a high priority',
      () => create('ticket', { subject: 'now', requester: me('mallory'), priority: 'high' }),
      [403],
    ],
    [
      'asks for a solved one',
      () => create('ticket', { subject: 'done', requester: me('mallory'), status: 'solved' }),
      [403],
    ],
    ['names an agent', () => create('ticket', { subject: 'you', requester: me('mallory'), agent: me('gus') }), [403]],
    [
      'has a mail sent to somebody else',
      () => create('ticket', { subject: 'you', requester: me('mallory'), email: 'eve@example.org' }),
      [403],
    ],
    [
      'writes the answer into a new one',
      () => create('ticket', { subject: 'you', requester: me('mallory'), answer: 'yes' }),
      [403],
    ],
    [
      'claims that one came by the form',
      () => create('ticket', { subject: 'you', requester: me('mallory'), submission: 'S1', email: 'eve@example.org' }),
      [403],
    ],
    ['answers an own one', () => own({ answer: 'yes' }), [403]],
    ['gives an own one an address', () => own({ email: 'eve@example.org' }), [403]],
    ['closes what agents solved', () => ask('mallory', 'PATCH', 'actions/close_solved', {}), [403]],
    ['reads what people submitted', () => ask('mallory', 'GET', 'admin/data/submissions'), [403]],
    ['exports what people submitted', () => ask('mallory', 'GET', 'admin/data/submissions/export'), [403]],
    ['gives an own one away', () => own({ requester: me('eve') }), [403]],
    ['makes an own one urgent', () => own({ priority: 'high' }), [403]],
    ['makes it urgent beside a change of status', () => own({ status: 'closed', priority: 'high' }), [403]],
    ['starts an own one', () => own({ status: 'in_progress' }), [422]],
    ['solves an own one', () => own({ status: 'solved' }), [422]],
    ['comments on it', () => create('comment', comment({})), [403]],
    ['comments on it as Eve', () => create('comment', comment({ author: me('eve') })), [403]],
    ['comments on it as none', () => create('comment', comment({ author: null })), [403]],
    ['comments in a state that it would have later', () => create('comment', comment({ state: 'hidden' })), [403]],
    ['comments on it in an envelope', () => envelope('create', 'comment', comment({})), [422]],
    ['upserts a comment on it', () => envelope('upsert', 'comment', comment({})), [422]],
    [
      'imports a comment on it',
      async () => {
        const answer = await ask('mallory', 'POST', 'bulk?entity=comment', [comment({})]);
        return (answer.json as { imported?: number }).imported === 0 ? { ...answer, status: 422 } : answer;
      },
      [422],
    ],
    [
      'notes something among agents',
      () => create('comment', comment({ ticket_id: mallorys.ticket, internal: true })),
      [403],
    ],
    [
      'moves an own comment to it',
      () => ask('mallory', 'PATCH', `rest/comment/id/${mallorys.comment}`, { ticket_id: eves.ticket }),
      [403],
    ],
    [
      'changes what was said',
      () => ask('mallory', 'PATCH', `rest/comment/id/${mallorys.comment}`, { text: 'else' }),
      [403],
    ],
    [
      'shows a hidden comment',
      () => ask('mallory', 'PATCH', `rest/comment/id/${eves.hidden}`, { state: 'posted' }),
      [403],
    ],
    ['attaches a file to it', () => upload('mallory', { ticket_id: eves.ticket }), [403]],
    ['attaches a file to it as Eve', () => upload('mallory', { ticket_id: eves.ticket, author: me('eve') }), [403]],
    ['founds an organisation', () => create('organisation', { name: 'Evil' }), [403]],
    ['comments as a user without a role', () => ask('nina', 'POST', 'rest/comment', comment({})), [403]],
    ['comments as a service', () => ask('service', 'POST', 'rest/comment', comment({})), [403]],
    [
      'asks as a user without a role',
      () => ask('nina', 'POST', 'rest/ticket', { subject: 'let me', requester: me('nina') }),
      [403],
    ],
    [
      'agents change whose ticket it is',
      () => ask('gus', 'PATCH', `rest/ticket/id/${eves.ticket}`, { requester: me('mallory') }),
      [403],
    ],
    [
      'agents rewrite what was said',
      () => ask('gus', 'PATCH', `rest/comment/id/${eves.open}`, { text: 'else' }),
      [403],
    ],
    [
      'agents move a comment to another ticket',
      () => ask('gus', 'PATCH', `rest/comment/id/${eves.open}`, { ticket_id: mallorys.ticket }),
      [403],
    ],
    ['agents delete a ticket', () => ask('gus', 'DELETE', `rest/ticket/id/${eves.ticket}`), [403]],
    [
      'the administrator skips a state',
      () => ask('ann', 'PATCH', `rest/ticket/id/${eves.ticket}`, { status: 'solved' }),
      [422],
    ],
  ];

  test.each(attacks)('%s', async (_name, attack, statuses) => {
    const before = await state();
    const answer = await attack();
    expect(statuses, answer.text).toContain(answer.status);
    expect(await state()).toBe(before);
  });

  test('by GraphQL', async () => {
    const before = await state();
    const mutations = [
      `update_ticket(id: "${eves.ticket}", data: {status: closed}) { id }`,
      `update_ticket(id: "${mallorys.ticket}", data: {priority: high}) { id }`,
      `create_ticket(data: {subject: "as Eve", requester: "${me('eve')}"}) { id }`,
      `create_comment(data: {ticket_id: "${eves.ticket}", text: "mine"}) { id }`,
      `update_comment(id: "${mallorys.comment}", data: {ticket_id: "${eves.ticket}"}) { id }`,
    ];
    for (const mutation of mutations) {
      const { errors } = await graphql('mallory', `mutation { ${mutation} }`);
      expect(errors?.length, mutation).toBe(1);
    }
    expect(await state()).toBe(before);
  });

  test('no caller takes a role: neither at a sign-up nor on oneself nor by an invitation', async () => {
    const here = positionHeaders(TENANT);
    const body = { email: 'new@example.org', roles: ['agent'] };
    expect((await it.call('POST', '/auth/sign-up', here, body)).status).toBe(202);
    const operations = it.node.listeners['operations']!;
    let token: string | undefined;
    while (token === undefined) {
      const { text } = await it.call('GET', '/mails', { Accept: 'application/json' }, undefined, operations);
      token = /welcome\?token=([\w.-]+)/.exec(text)?.[1];
    }
    const confirm = (more: object): Promise<Answer> =>
      it.call('POST', '/auth/sign-up/confirm', here, { token, password: PASSWORD, ...more });
    expect((await confirm({ roles: ['agent'] })).status).toBe(400);
    const { access_token } = (await confirm({})).json as { access_token: string };
    const bearer = { ...here, Authorization: `Bearer ${access_token}` };
    expect((await it.call('GET', '/auth/me', bearer)).json).toMatchObject({ roles: ['requester'] });
    expect((await it.call('PATCH', '/auth/me', as('eve'), { roles: ['agent'] })).status).toBe(400);
    for (const name of ['eve', 'gus'] as const)
      expect((await it.call('POST', '/auth/admin/invitations', as(name), body)).status).toBe(403);
  });
});

describe('what each may do', () => {
  const move = (name: Name, id: string, status: string): Promise<Answer> =>
    ask(name, 'PATCH', `rest/ticket/id/${id}`, { status });

  test('a ticket goes its way: agents move it, its requester opens it again and closes it', async () => {
    const id = await made('eve', 'ticket', { subject: 'No light', requester: me('eve') });
    const steps: readonly (readonly [Name, string, number])[] = [
      ['eve', 'in_progress', 422],
      ['gus', 'in_progress', 200],
      ['eve', 'closed', 422],
      ['eve', 'solved', 422],
      ['gus', 'solved', 200],
      ['mallory', 'open', 404],
      ['eve', 'open', 200],
      ['gus', 'in_progress', 200],
      ['ann', 'solved', 200],
      ['eve', 'closed', 200],
      ['gus', 'open', 422],
      ['ann', 'open', 422],
    ];
    for (const [name, status, answer] of steps)
      expect([name, status, (await move(name, id, status)).status]).toEqual([name, status, answer]);
    expect((await ask('ann', 'DELETE', `rest/ticket/id/${id}`)).status).toBe(200);
  });

  test('a comment has its author, whatever the caller says; agents hide it and show it again', async () => {
    const said = { ticket_id: eves.ticket, text: 'thanks' };
    const own = rowsOf(await ask('eve', 'POST', 'rest/comment', said))[0]!;
    expect(own).toMatchObject({ author: me('eve') });
    expect((await ask('eve', 'POST', 'rest/comment', { ...said, author: me('gus') })).status).toBe(403);
    expect((await ask('gus', 'POST', 'rest/comment', { ...said, author: me('eve') })).status).toBe(403);
    const path = `rest/comment/id/${own['id'] as string}`;
    const statuses: number[] = [];
    for (const state of ['hidden', 'posted']) {
      expect((await ask('gus', 'PATCH', path, { state })).status).toBe(200);
      statuses.push((await ask('eve', 'GET', path)).status);
    }
    expect(statuses).toEqual([404, 200]);
  });

  test('an agent asks for a requester, who sees the ticket and its comments', async () => {
    const id = await made('gus', 'ticket', { subject: 'By telephone', requester: me('eve') });
    await made('gus', 'comment', { ticket_id: id, text: 'she called' });
    const seen = async (name: Name) => rowsOf(await ask(name, 'GET', `rest/comment?ticket_id=${id}`)).length;
    expect([await seen('eve'), await seen('mallory'), await seen('gus')]).toEqual([1, 0, 1]);
    expect((await ask('ann', 'DELETE', `rest/ticket/id/${id}`)).status).toBe(200);
    expect(await seen('ann')).toBe(0);
  });

  test('articles: agents write them, anyone reads what is published', async () => {
    const write = (name: Name, title: string, status?: string): Promise<Answer> =>
      it.call('POST', '/content/help/article', as(name), { title, ...(status !== undefined && { status }) });
    expect((await write('gus', 'Off and on', 'published')).status).toBe(201);
    expect((await write('gus', 'A draft')).status).toBe(201);
    for (const name of ['eve', 'nina', 'service'] as const) expect((await write(name, 'Mine')).status).toBe(403);
    expect((await write('stranger', 'Mine')).status).toBe(401);
    for (const name of ['stranger', 'eve', 'nina'] as const) {
      const { json } = await it.call('GET', '/content/help/article', as(name));
      expect((json as { data: Row[] }).data.map(({ title }) => title)).toEqual(['Off and on']);
    }
  });
});
