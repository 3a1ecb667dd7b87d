/** `skep explain`, and the administrators' route, against a running node: what it says is what the user meets, an ask is in the tenant's audit log, no value of a row is shown. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openControl } from '#runtime/control.ts';
import { as, ask, codeOf, eves, it, mallorys, me, rowsOf, useHelpDesk, type Name } from '#test/kit/help-desk.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

useHelpDesk();

let close = async (): Promise<void> => undefined;
beforeAll(async () => void (close = await openControl(it.platform.storage.dir, it.node)));
afterAll(() => close());

interface Told {
  readonly user: { readonly id: string; readonly roles: readonly string[] };
  readonly rules: readonly {
    readonly name: string;
    readonly verdict: string;
    readonly rule: string;
    readonly where: string;
  }[];
  readonly answer: { readonly status: number | null; readonly why: string };
  readonly plan: Readonly<Record<string, unknown>> | null;
  readonly row: { readonly visible: boolean } | null;
}

const run = (as: string, line: string) =>
  skep(`explain ${line} --as ${as} --reason ticket-4711 -f ${join(it.dir, 'platform.yaml')} --tenant ${TENANT}`);

async function told(as: Name, line: string): Promise<Told> {
  const { code, out, err } = await run(`${as}@example.org`, `${line} -o json`);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Told;
}

test('a list: the rules with their places, the index that the row rule makes useful for a requester', async () => {
  const eve = await told('eve', 'GET /data/rest/ticket');
  expect(eve.user).toMatchObject({ id: me('eve'), roles: ['requester'] });
  expect(eve.rules.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['access.read', 'allows'],
    ['row_rule', 'by_row'],
  ]);
  expect(eve.rules[1]!.rule).toContain('row.requester == principal.subject');
  expect(eve.rules[1]!.where).toMatch(/entities\/ticket\.yaml:\d+:\d+/);
  expect(eve.answer.status).toBe(200);
  const byStatus = await told('gus', 'GET /data/rest/ticket?status=open');
  const real = (await ask('gus', 'GET', 'rest/ticket?status=open&stats=true')).json as { stats: { plan: object } };
  expect(byStatus.plan).toEqual({ ...real.stats.plan, narrowed_by: [] });
  expect(byStatus.plan).toMatchObject({ access: 'index', index: ['status'] });
});

test.each<[Name, string, () => string]>([
  ['eve', 'ticket', () => eves.ticket],
  ['mallory', 'ticket', () => eves.ticket],
  ['mallory', 'ticket', () => mallorys.ticket],
  ['gus', 'ticket', () => eves.ticket],
  ['nina', 'ticket', () => eves.ticket],
  ['eve', 'comment', () => eves.internal],
  ['eve', 'comment', () => eves.open],
  ['mallory', 'attachment', () => eves.file],
  ['gus', 'comment', () => eves.hidden],
])('whether %s sees a %s is what a read answers', async (name, entity, id) => {
  const path = `rest/${entity}/id/${id()}`;
  const { answer, row } = await told(name, `GET /data/${path}`);
  const { status } = await ask(name, 'GET', path);
  expect([answer.status, row!.visible]).toEqual([status, status === 200]);
});

test('a write: with its body, which the rule reads', async () => {
  const path = `/data/rest/ticket/id/${eves.ticket}`;
  expect((await told('eve', `PATCH ${path}`)).answer).toMatchObject({
    status: null,
    why: expect.stringContaining('--data') as string,
  });
  expect((await told('eve', `PATCH ${path} --data {"priority":"high"}`)).answer.status).toBe(403);
  expect((await told('eve', `PATCH ${path} --data {"status":"closed"}`)).answer.status).toBe(200);
  expect((await told('mallory', `PATCH ${path} --data {"status":"closed"}`)).answer.status).toBe(404);
  expect((await told('gus', `DELETE ${path}`)).answer.status).toBe(403);
  expect(rowsOf(await ask('ann', 'GET', `rest/ticket/id/${eves.ticket}`))[0]).toMatchObject({
    status: 'open',
    priority: 'normal',
  });
});

test('for people: lines and a table, in which no value of the row stands', async () => {
  const { out } = await run(me('eve'), `GET /data/rest/ticket/id/${eves.ticket}`);
  expect(out).toMatch(/^user {7}eve@example\.org \(requester\)\noperation {2}read ticket\nstatus {5}200\n/);
  expect(out).toMatch(
    /\nrow {8}visible: access\.read and row_rule admit it\n\nNAME +VERDICT +WHY +WHERE +RULE\naccess\.read {2}allows/,
  );
  const hidden = await run('mallory@example.org', `GET /data/rest/ticket/id/${eves.ticket} -o json`);
  for (const text of [out, hidden.out]) expect(text).not.toMatch(/No sound|at all|off and on/);
});

test('each ask is in the audit log of the tenant: who asked, why, of whom and which row', async () => {
  await told('mallory', `GET /data/rest/comment/id/${eves.internal}`);
  const log = `/audit/logs/${encodeURIComponent(`tenant/${TENANT.replaceAll(':', '/')}`)}/records?action=data.explain`;
  let records: readonly { readonly target: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
  const isMine = ({ target, data }: (typeof records)[number]): boolean =>
    target === me('mallory') && data['id'] === eves.internal;
  while (!records.some(isMine)) {
    const { json } = await it.call('GET', log, as('ann'));
    records = (json as { records?: typeof records }).records ?? [];
  }
  expect(records.find(isMine)!.data).toMatchObject({ reason: 'ticket-4711', method: 'GET', entity: 'comment' });
  expect(records.find(isMine)!.data['asked_by']).toMatch(/./);
});

test.each([
  ['a user that there is not', 'unknown@example.org', 'GET /data/rest/ticket', 1, 'no user unknown@example.org'],
  ['an entity that there is not', 'eve@example.org', 'GET /data/rest/tickets', 1, 'has no entity "tickets"'],
  [
    'another route',
    'eve@example.org',
    'GET /data/actions/report',
    1,
    'is no route of rows; explain knows GET /data/rest/{entity}',
  ],
  ['a method of none', 'eve@example.org', 'HEAD /data/rest/ticket', 2, 'use one of GET, POST, PUT, PATCH, DELETE'],
  [
    'a body that is none',
    'eve@example.org',
    'PATCH /data/rest/ticket/id/1 --data [1]',
    2,
    '--data takes a JSON object',
  ],
  ['another tenant', 'eve@example.org', 'GET /data/rest/ticket --tenant acme:shop:dev:none', 1, 'acme:shop:dev:none'],
])('%s is refused', async (_name, as, line, code, why) => {
  const said = line.includes('--tenant')
    ? await skep(`explain ${line} --as ${as} --reason x -f ${join(it.dir, 'platform.yaml')}`)
    : await run(as, line);
  expect([said.code, said.out]).toEqual([code, '']);
  expect(said.err).toContain(why);
});

test('without a reason nothing is asked', async () => {
  const line = `explain GET /data/rest/ticket --as eve@example.org -f ${join(it.dir, 'platform.yaml')} --tenant ${TENANT}`;
  expect(await skep(line)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--reason') as string });
});

describe('over HTTP', () => {
  interface Part {
    readonly text: string;
    readonly gives: string;
  }
  interface Over extends Told {
    readonly rules: readonly (Told['rules'][number] & {
      readonly admits: boolean | null;
      readonly parts: Part[] | null;
    })[];
  }
  const explain = (asker: Name, user: string, method: string, target: string, more: object = {}) =>
    ask(asker, 'POST', 'admin/data/explain', { user, method, target, ...more });
  const givesOf = ({ rules }: Over, name: string) =>
    rules.find((rule) => rule.name === name)!.parts?.map(({ text, gives }) => [text, gives]);

  test.each(['eve', 'mallory', 'gus', 'nina'] as const)(
    'an administrator is told what the command tells of %s, with what each condition of the row rule gives',
    async (name) => {
      const path = `rest/ticket/id/${eves.ticket}`;
      const answer = await explain('ann', me(name), 'GET', `/data/${path}`);
      expect(answer.status, answer.text).toBe(200);
      const over = answer.json as Over;
      const { status } = await ask(name, 'GET', path);
      expect([over.answer.status, over.row!.visible]).toEqual([status, status === 200]);
      const { user, rules, ...byCommand } = await told(name, `GET /data/${path}`);
      expect(over).toMatchObject(byCommand);
      const within = rules.map((rule) => ({ ...rule, where: rule.where.replace(/^.*(?=entities\/)/, '') }));
      expect(over.rules).toEqual(within);
      expect(answer.text).not.toContain(it.dir);
      expect(over.user).toEqual({ id: me(name), roles: user.roles, disabled: false });
      const isHers = name === 'eve';
      const isAgent = name === 'gus';
      expect(givesOf(over, 'row_rule')).toEqual([
        ['row.requester == principal.subject', String(isHers)],
        ["'agent' in principal.roles", String(isAgent)],
        ["'tenant_admin' in principal.roles", 'false'],
      ]);
      expect(over.rules.find((rule) => rule.name === 'row_rule')!.admits).toBe(isHers || isAgent);
      expect(answer.text).not.toMatch(/No sound|at all|off and on/);
    },
  );

  test('conditions wait for the body of a write that they read, and for a row that is not named', async () => {
    const path = `/data/rest/ticket/id/${eves.ticket}`;
    const blank = (await explain('ann', me('eve'), 'PATCH', path)).json as Over;
    expect(blank.rules[0]!.parts!.map(({ gives }) => gives)).toContain('by_body');
    expect(blank.rules[0]!.admits).toBeNull();
    const filled = (await explain('ann', me('eve'), 'PATCH', path, { data: { priority: 'high' } })).json as Over;
    expect(filled.answer.status).toBe(403);
    expect(filled.rules[0]!.parts!.map(({ gives }) => gives)).not.toContain('by_body');
    const list = (await explain('ann', me('eve'), 'GET', '/data/rest/ticket')).json as Over;
    expect(givesOf(list, 'row_rule')![0]).toEqual(['row.requester == principal.subject', 'by_row']);
  });

  test('a person who administers nothing is refused, and so is a user that is not there and what is no route of rows', async () => {
    const ticket = `/data/rest/ticket/id/${eves.ticket}`;
    for (const name of ['eve', 'gus', 'nina', 'stranger', 'foreign', 'service'] as const)
      expect([401, 403], name).toContain((await explain(name, me('eve'), 'GET', ticket)).status);
    expect(codeOf(await explain('gus', me('eve'), 'GET', ticket))).toEqual([403, 'v2.requires_admin']);
    expect(codeOf(await explain('ann', 'unknown', 'GET', ticket))).toEqual([404, 'v2.unknown_user']);
    expect(codeOf(await explain('ann', me('eve'), 'GET', '/data/rest/tickets'))).toEqual([422, 'v2.not_explained']);
    expect(codeOf(await explain('ann', me('eve'), 'GET', '/data/actions/report'))).toEqual([422, 'v2.not_explained']);
    expect(codeOf(await explain('ann', me('eve'), 'HEAD', ticket))).toEqual([400, 'v2.invalid_body']);
    expect(codeOf(await explain('ann', me('eve'), 'GET', ticket, { more: 1 }))).toEqual([400, 'v2.invalid_body']);
  });

  test('the record names the administrator, and nothing is changed', async () => {
    const target = `/data/rest/ticket/id/${eves.ticket}`;
    const before = (await ask('ann', 'GET', `rest/ticket/id/${eves.ticket}`)).text;
    await explain('ann', me('nina'), 'DELETE', target, { reason: 'asked by phone' });
    expect((await ask('ann', 'GET', `rest/ticket/id/${eves.ticket}`)).text).toBe(before);
    const log = `/audit/logs/${encodeURIComponent(`tenant/${TENANT.replaceAll(':', '/')}`)}/records?action=data.explain&target=${me('nina')}`;
    let found: { actor: string; data: object } | undefined;
    while (found === undefined) {
      const { records } = (await it.call('GET', log, as('ann'))).json as {
        records?: { actor: string; data: object }[];
      };
      found = records?.find(({ data }) => 'reason' in data && data.reason === 'asked by phone');
    }
    expect(found).toMatchObject({ actor: me('ann'), data: { asked_by: me('ann'), id: eves.ticket, method: 'DELETE' } });
  });
});
