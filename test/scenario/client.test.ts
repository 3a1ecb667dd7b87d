/** `@skep/client` against a real node that serves the help desk: logins, typed rows, includes, pages, writes that are sent twice, refusals. */
import { expect, test } from 'vitest';
import { createClient, isSkepError, stateflow, versionOf, type ClientOptions } from '#client/index.ts';
import type { Schema } from '#test/client/types/desk.ts';
import { eves, it, me, PASSWORD, useHelpDesk } from '#test/kit/help-desk.ts';
import { TENANT } from '#test/kit/platform-file.ts';

useHelpDesk();

const of = (more: Partial<ClientOptions> = {}) =>
  createClient<Schema>({ url: it.gateway, position: TENANT as 'acme:shop:dev:main', ...more } as ClientOptions);

async function loggedIn(name: string, more: Partial<ClientOptions> = {}) {
  const skep = of(more);
  await skep.auth.login({ login: `${name}@example.org`, password: PASSWORD });
  return skep;
}

test('an agent logs in, and reads rows with conditions, orders, fields and included rows', async () => {
  const skep = await loggedIn('gus');
  const tickets = skep.from('ticket');
  const [first] = await tickets.list({
    where: { subject: { like: 'No s%' } },
    include: ['organisation', 'comment_by_ticket'],
  });
  expect(first?.organisation?.name).toBe('Acme');
  expect(first?.comment_by_ticket.map(({ text }) => text)).toContain('off and on again');
  const few = await tickets.list({ fields: ['id', 'subject'], orderBy: '-subject', limit: 2 });
  expect(few.map((row) => [Object.keys(row).sort(), row.subject])).toEqual([
    [['id', 'subject'], 'No sound'],
    [['id', 'subject'], 'No picture'],
  ]);
  const far = await tickets.list({
    where: { 'organisation.name': 'Acme', OR: [{ agent: null }, { agent: me('gus') }] },
  });
  expect(far.map(({ id }) => id)).toEqual([eves.ticket]);
  expect(await tickets.list({ where: { NOT: { 'organisation.name': 'Acme' } } })).toEqual([]);
  expect(await tickets.list({ where: { comment_by_ticket: { some: { internal: true } } } })).toHaveLength(1);
  const included = { comment_by_ticket: { where: { internal: true }, orderBy: '-id', limit: 1 } } as const;
  const shown = await tickets.get(eves.ticket, { include: ['comment_by_ticket'], included });
  expect(shown.comment_by_ticket.map(({ id }) => id)).toEqual([eves.internal]);
  const [said] = await skep.from('comment').list({ where: { id: eves.open }, include: ['ticket.organisation'] });
  expect(said?.ticket?.organisation?.name).toBe('Acme');
  const many = { id: { in: [eves.ticket, ...Array.from({ length: 200 }, () => '01J00000000000000000000000')] } };
  expect(await tickets.list({ where: many })).toHaveLength(1);
});

test('rows are read page by page, each once', async () => {
  const skep = await loggedIn('gus');
  const organisations = skep.from('organisation');
  const names = Array.from({ length: 25 }, (_, n) => `Pages ${String(n).padStart(2, '0')}`);
  expect(await organisations.create(names.map((name) => ({ name })))).toHaveLength(25);
  const where = { name: { like: 'Pages %' } };
  const found: string[] = [];
  for await (const { name } of organisations.each({ where, orderBy: '-name', fields: ['name'], limit: 10 }))
    found.push(name);
  expect(found).toEqual(names.toReversed());
  const page = await organisations.page({ where, orderBy: 'name', limit: 20 });
  const rest = await organisations.page({ where, orderBy: 'name', limit: 20, after: page.next });
  expect([page.rows.length, page.next === null, rest.rows.length, rest.next]).toEqual([20, false, 5, null]);
});

test('a write whose answer is lost is carried out once', async () => {
  let lost = 0;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET' || response.status === 401 || lost >= 3 || (input as string).includes('/auth/'))
      return response;
    await response.text();
    lost++;
    throw new TypeError('the connection broke off');
  };
  const skep = await loggedIn('gus', { fetch: losing, retry: { firstMs: 1 } });
  const organisations = skep.from('organisation');
  const made = await organisations.create({ name: 'Lost and found' });
  expect(lost).toBe(3);
  expect((await organisations.list({ where: { name: 'Lost and found' } })).map(({ id }) => id)).toEqual([made.id]);
  lost = 2;
  const changed = await organisations.update(made.id, { phone: '1' }, { version: versionOf(made) });
  expect([changed.phone, versionOf(changed)]).toEqual(['1', versionOf(made)! + 1]);
});

test('a change of another version is refused, and says which version the row has', async () => {
  const skep = await loggedIn('gus');
  const tickets = skep.from('ticket');
  const made = await tickets.create({ subject: 'Versions' });
  await tickets.update(made.id, { priority: 'high' });
  expect([versionOf(made), versionOf(await tickets.get(made.id)), versionOf((await tickets.list())[0]!)]).toEqual([
    1,
    2,
    undefined,
  ]);
  const error: unknown = await tickets
    .update(made.id, { priority: 'low' }, { version: versionOf(made) })
    .catch((thrown: unknown) => thrown);
  if (!isSkepError(error, 'v2.precondition_failed')) throw error;
  expect([error.status, error.details.version]).toEqual([412, versionOf(made)! + 1]);
  const ann = await loggedIn('ann');
  await expect(ann.from('ticket').delete(made.id, { version: versionOf(made) })).rejects.toMatchObject({ status: 412 });
  expect((await ann.from('ticket').delete(made.id)).id).toBe(made.id);
  await expect(tickets.get(made.id)).rejects.toMatchObject({ status: 404, code: 'v2.row_not_found' });
});

test('refusals have the codes of the contract', async () => {
  await expect(
    loggedIn('gus', { retry: { attempts: 1 } }).then((skep) =>
      skep.auth.login({ login: 'gus@example.org', password: 'no' }),
    ),
  ).rejects.toMatchObject({ status: 401, code: 'invalid_credentials' });
  const eve = await loggedIn('eve');
  await expect(eve.from('organisation').list()).rejects.toMatchObject({ status: 403, code: 'v2.query_failed' });
  await expect(eve.from('ticket').create({ subject: 'x' })).rejects.toMatchObject({
    status: 422,
    code: 'v2.create_failed',
  });
  await expect(of().from('ticket').list()).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
});

test('a session that was ended is over; the refresh token of a logout does not count any more', async () => {
  const texts = new Map<string, string>();
  const storage = {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  };
  const skep = await loggedIn('mallory', { storage });
  const [held] = texts.values();
  const other = of({ storage });
  expect(await other.from('ticket').list()).toHaveLength(1);
  await skep.auth.logout();
  expect(other.auth.isLoggedIn).toBe(false);
  const stale = { ...(JSON.parse(held!) as object), endsAt: 0 };
  texts.set([`skep ${it.gateway}`, ...TENANT.split(':')].join(' '), JSON.stringify(stale));
  expect(other.auth.isLoggedIn).toBe(true);
  await expect(other.from('ticket').list()).rejects.toMatchObject({ status: 401 });
  expect(other.auth.isLoggedIn).toBe(false);
});

test("a service's token counts as it is", async () => {
  const { Authorization: bearer } = await it.service();
  const skep = of({ token: bearer!.replace('Bearer ', '') });
  await expect(skep.from('ticket').list()).rejects.toMatchObject({ status: 403 });
});

test('actions, GraphQL, and rows by a unique key', async () => {
  const skep = await loggedIn('gus');
  const { rows, total } = await skep.action('report', 'read', { since: '2000-01-01T00:00:00Z' });
  expect([rows.length > 0, total]).toEqual([true, rows.length]);
  expect((await skep.action('report', 'read', { since: '2999-01-01T00:00:00Z' })).rows).toEqual([]);
  const eve = await loggedIn('eve');
  await expect(eve.action('report', 'read')).rejects.toMatchObject({ status: 403 });
  await expect(skep.graphql('{ nothing }')).rejects.toMatchObject({
    code: 'client.graphql',
    details: { errors: [{ extensions: { code: 'v2.graphql_invalid' } }] },
  });
  const organisations = skep.from('organisation');
  const first = await organisations.upsert([{ name: 'Upserted', phone: '1' }], ['name']);
  const again = await organisations.upsert([{ name: 'Upserted', phone: '2' }, { name: 'Inserted' }], ['name']);
  expect(again.map(({ name, phone }) => [name, phone])).toEqual([
    ['Upserted', '2'],
    ['Inserted', null],
  ]);
  expect(again[0]!.id).toBe(first[0]!.id);
  const query = 'query ($name: String!) { organisation(filter: { name: { eq: $name } }) { nodes { name phone } } }';
  const found = await skep.graphql(query, { name: 'Upserted' });
  expect(found).toEqual({ organisation: { nodes: [{ name: 'Upserted', phone: '2' }] } });
});

test('events of a stateflow are fired from the state in which they are open', async () => {
  const gus = await loggedIn('gus');
  const eve = await loggedIn('eve');
  const { id } = await eve.from('ticket').create({ subject: 'States' });
  const flow = stateflow(gus, 'ticket.status');
  expect(await flow.look(id)).toEqual({ current: 'open', events: ['start', 'withdraw'] });
  expect((await stateflow(eve, 'ticket.status').look(id)).events).toEqual(['withdraw']);
  const refused: unknown = await stateflow(eve, 'ticket.status')
    .fire(id, 'start')
    .catch((thrown: unknown) => thrown);
  if (!isSkepError(refused, 'client.event_closed')) throw refused;
  expect(refused.details).toEqual({ current: 'open', events: ['withdraw'] });
  const seen = versionOf(await gus.from('ticket').get(id));
  expect((await flow.fire(id, 'start', { version: seen })).status).toBe('in_progress');
  await expect(flow.fire(id, 'solve', { version: seen })).rejects.toMatchObject({ status: 412 });
  await expect(flow.fire(id, 'start')).rejects.toMatchObject({ code: 'client.event_closed' });
  await expect(flow.look('01J00000000000000000000000')).rejects.toMatchObject({ code: 'v2.row_not_found' });
  // Somebody changes another field between the look and the write: the event is fired all the same.
  let changes = 0;
  const between: typeof fetch = async (input, init) => {
    if (init?.method === 'PATCH' && changes++ === 0) await gus.from('ticket').update(id, { priority: 'high' });
    return fetch(input, init);
  };
  const other = await loggedIn('gus', { fetch: between });
  const solved = await stateflow(other, 'ticket.status').fire(id, 'solve');
  expect([solved.status, solved.priority, changes]).toEqual(['solved', 'high', 2]);
});

test('two clients that share tokens renew them at once where there are no Web Locks, and both live on', async () => {
  expect('locks' in navigator).toBe(false);
  const texts = new Map<string, string>();
  const storage = {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  };
  const one = await loggedIn('gus', { storage });
  const two = of({ storage });
  const [[name, text]] = [...texts] as [[string, string]];
  texts.set(name, JSON.stringify({ ...(JSON.parse(text) as object), endsAt: 0 }));
  const found = await Promise.all([one, two].map((skep) => skep.from('ticket').list({ limit: 1 })));
  expect(found.map(({ length }) => length)).toEqual([1, 1]);
  expect(texts.get(name)).not.toBe(text);
  expect([one.auth.isLoggedIn, two.auth.isLoggedIn]).toEqual([true, true]);
  expect(await two.from('ticket').list({ limit: 1 })).toHaveLength(1);
});
