/** Right lines, and wrong ones: each of these is a compile error, which types.test.ts counts. Nothing here is run. */
import { bff, bulk, createClient, isSkepError, stateflow, submitForm } from '#client/index.ts';
import type { Schema } from './schema.ts';

const skep = createClient<Schema>({ url: 'https://node.example.org', position: 'acme:desk:dev:main' });
const tickets = skep.from('ticket');
const comments = skep.from('comment');

export async function lines(thrown: unknown): Promise<unknown[]> {
  const [one] = await tickets.list({
    where: { status: 'open', rank: { gte: 3 } },
    orderBy: ['-rank', 'subject'],
    limit: 5,
  });
  const status: 'open' | 'solved' | 'closed' | undefined = one?.status;
  const [few] = await tickets.list({ fields: ['id', 'subject'] });
  const [full] = await tickets.list({ include: ['organisation', 'comment_by_ticket'] });
  const name: string | undefined = full?.organisation?.name;
  const texts: string[] | undefined = full?.comment_by_ticket.map(({ text }) => text);
  const [deep] = await comments.list({ include: ['ticket.organisation'] });
  const far: string | undefined = deep?.ticket?.organisation?.name;
  const groups = { where: { OR: [{ rank: null }, { NOT: { 'organisation.name': { like: 'A%' } } }] } } as const;
  await tickets.list({ ...groups, orderBy: '-organisation.name' });
  await tickets.list({ where: { comment_by_ticket: { some: { text: 'red' } }, 'meta/level': { gt: 2 } } });
  await tickets.list({
    include: ['comment_by_ticket'],
    included: { comment_by_ticket: { where: { text: { ilike: '%red%' } }, orderBy: '-id', limit: 3 } },
  });
  const made = await tickets.create({ subject: 'No sound' });
  const many: readonly { readonly id: string }[] = await tickets.create([
    { subject: 'a' },
    { subject: 'b', rank: null },
  ]);
  await tickets.update(made.id, { status: 'solved' }, { version: made.version });
  const days: number | null | undefined = (await skep.from('overdue').list({ where: { days: { gt: 3 } } }))[0]?.days;
  for await (const { subject } of tickets.each({ fields: ['subject'] })) texts?.push(subject);
  if (isSkepError(thrown, 'v2.count_differs', 'v2.precondition_failed') && thrown.code === 'v2.count_differs')
    return [thrown.details.found];
  for await (const told of tickets.changes({ where: { status: 'open' }, fields: ['subject'], snapshot: true })) {
    if (told.type === 'row') texts?.push(told.row.subject);
    else if (told.type === 'change' && told.row !== null) texts?.push(told.row.subject, told.id);
  }
  const { rows, total } = await skep.action('report', 'read');
  await skep.action('report', 'create', { text: 'x', tags: ['a'] }, { key: 'mine' });
  const echoed: unknown = await skep.endpoint('GET', 'tools/echo', { query: { a: '1' } });
  await tickets.upsert([{ subject: 'x' }], ['subject']);
  const flow = stateflow(skep, 'ticket.status');
  const solved: 'open' | 'solved' | 'closed' = (await flow.fire('1', 'solve')).status;
  const { current } = await flow.look('1');
  const city: unknown = (await bff(skep, 'GET', 'city/{id}', { params: { id: 'vienna' } })).data;
  await bff(skep, 'POST', 'start', { body: {} });
  await bulk(skep).importRows('ticket', [{ subject: 'x' }], { skipErrors: true });
  for await (const { id, subject } of bulk(skep).exportRows('ticket', { fields: ['id', 'subject'] }))
    texts?.push(id, subject);
  const { id: submission } = await submitForm(skep, 'contact', { email: 'a@example.org' });
  if (isSkepError(thrown, 'intake.validation')) return [thrown.details.fields['email']?.[0]];
  const untyped = createClient({ site: 'https://desk.example.org' });
  const anything: unknown = (await untyped.from('whatever').list({ where: { any: 1 }, orderBy: '-any' }))[0]?.['any'];

  // @ts-expect-error no such entity
  skep.from('tickets');
  // @ts-expect-error no such field in a condition
  await tickets.list({ where: { subjct: 'x', status: 'open' } });
  // @ts-expect-error no such value of an enum
  await tickets.list({ where: { status: 'opened' } });
  // @ts-expect-error a text is not compared with a number
  await tickets.list({ where: { subject: { gt: 5 } } });
  // @ts-expect-error no such operator
  await tickets.list({ where: { rank: { above: 5 } } });
  // @ts-expect-error no such field in a group
  await tickets.list({ where: { OR: [{ rank: 1, nope: 2 }] } });
  // @ts-expect-error no such field behind a relation
  await tickets.list({ where: { 'organisation.nope': 'x' } });
  // @ts-expect-error no such field in the rows of a relation
  await tickets.list({ where: { comment_by_ticket: { some: { txt: 'red' } } } });
  // @ts-expect-error no such field to order by
  await tickets.list({ orderBy: '-created' });
  // @ts-expect-error no such field to select
  await tickets.list({ fields: ['id', 'subjct'] });
  // @ts-expect-error no such relation
  await tickets.list({ include: ['organization'] });
  // @ts-expect-error no such relation behind a relation
  await comments.list({ include: ['ticket.organization'] });
  // @ts-expect-error options of a relation that does not exist
  await tickets.list({ include: ['organisation'], included: { organization: { limit: 1 } } });
  // @ts-expect-error a field that was not selected
  void few?.status;
  // @ts-expect-error a relation that was not included
  void one?.organisation;
  // @ts-expect-error a row that may be missing
  void full?.organisation.name;
  // @ts-expect-error a create without a required field
  await tickets.create({ rank: 1 });
  // @ts-expect-error a create with an unknown field
  await tickets.create({ subject: 'x', colour: 'red' });
  // @ts-expect-error a list with an unknown field
  await tickets.create([{ subject: 'x', colour: 'red' }]);
  // @ts-expect-error an update of a field that only a create takes
  await tickets.update('1', { organisation_id: null });
  // @ts-expect-error an update with a wrong type
  await tickets.update('1', { rank: 'high' });
  // @ts-expect-error a view is not written
  await skep.from('overdue').create({ days: 3 });
  // @ts-expect-error a single row has no conditions
  await tickets.get('1', { where: { rank: 1 } });
  // @ts-expect-error an entity whose changes are not told
  comments.changes();
  // @ts-expect-error no such field in the conditions of changes
  tickets.changes({ where: { subjct: 'x', status: 'open' } });
  // @ts-expect-error no such action
  await skep.action('reports', 'read');
  // @ts-expect-error no such section
  await skep.action('report', 'delete');
  // @ts-expect-error an action without a required parameter
  await skep.action('report', 'create');
  // @ts-expect-error no such parameter
  await skep.action('report', 'read', { sinse: 'x' });
  // @ts-expect-error an endpoint with another verb
  await skep.endpoint('GET', 'stamps');
  // @ts-expect-error no such endpoint
  await skep.endpoint('GET', 'stamp');
  // @ts-expect-error no such field of a unique key
  await tickets.upsert([{ subject: 'x' }], ['subjct']);
  // @ts-expect-error no such event
  await flow.fire('1', 'reopen');
  // @ts-expect-error no stateflow governs the field
  stateflow(skep, 'ticket.subject');
  // @ts-expect-error no such state
  void (current === 'opened');
  // @ts-expect-error no such endpoint of the BFF
  await bff(skep, 'GET', 'cities');
  // @ts-expect-error an endpoint of the BFF with another verb
  await bff(skep, 'DELETE', 'start');
  // @ts-expect-error a path without its parameter
  await bff(skep, 'GET', 'city/{id}');
  // @ts-expect-error a path with another parameter
  await bff(skep, 'GET', 'city/{id}', { params: { city: 'vienna' } });
  // @ts-expect-error an import of rows without a required field
  await bulk(skep).importRows('ticket', [{ rank: 1 }]);
  // @ts-expect-error a view is not imported
  await bulk(skep).importRows('overdue', [{ days: 1 }]);
  // @ts-expect-error no such field to export
  bulk(skep).exportRows('ticket', { fields: ['subjct'] });
  // @ts-expect-error no such code
  isSkepError(thrown, 'v2.count_difers');
  // @ts-expect-error neither a position nor a site
  createClient<Schema>({ url: 'https://node.example.org' });
  // @ts-expect-error both a position and a site
  createClient<Schema>({ url: 'https://node.example.org', position: 'a:b:c:d', site: 'https://desk.example.org' });
  // @ts-expect-error no tenant key
  createClient<Schema>({ url: 'https://node.example.org', position: 'main' });
  return [
    rows,
    total,
    echoed,
    solved,
    city,
    submission,
    await untyped.action('any', 'read', { a: 1 }),
    status,
    name,
    far,
    days,
    many,
    anything,
  ];
}
