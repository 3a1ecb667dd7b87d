/** Tickets of the change feed in a tenant in memory, under the simulated clock, and the attacks on them. docs/contract/changes.md §9 */
import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { dataService } from '#actors/data/service.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { positionOf } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const note = entityOf(
  'note',
  {
    id: { type: 'string' },
    ticket: { type: 'string', nullable: true },
    wage: { type: 'integer', nullable: true, roles: { read: ['chief'], write: ['chief'] } },
  },
  { changes: true },
);
const SSE = 'accept:text/event-stream\n';
const { perCallerMax, perTenantMax, ticketSeconds, ticketQueryCharsMax } = limits.changes;

let tenant: DataTenant;
let ended: Set<string>;

beforeEach(async () => {
  ended = new Set();
  tenant = await DataTenant.open(productOf([note]), { service: serviceOf() });
  Object.assign(tenant.activation.context, { random: randomBytes });
});

const serviceOf = (subscribersMax?: number) =>
  dataService({
    bearers: () => ({
      check: (authorization) => {
        const subject = authorization.replace('Bearer ', '');
        return subject === '' || ended.has(subject) ? null : by(subject);
      },
    }),
    every: () => () => undefined,
    ...(subscribersMax !== undefined && { subscribersMax }),
  });

const by = (subject: string): Principal => ({ ...USER, subject });
const bearer = (subject: string) => ({ authorization: `Bearer ${subject}` });
/** Without a principal the request goes through authenticate(). */
const ask = (query: string, subject = 'ann', of = tenant) =>
  of.send('POST', `/data/changes/ticket?${query}`, undefined, bearer(subject));
const ticketFor = async (query = 'entity=note', subject = 'ann'): Promise<string> => {
  const { status, body, headers } = await ask(query, subject);
  expect([status, body, headers]).toEqual([
    200,
    { ticket: expect.stringMatching(/^[\w-]{43}$/), expires_in: 30 },
    expect.objectContaining({ 'Cache-Control': 'no-store' }),
  ]);
  return body.ticket;
};
/** The status of a stream that is asked for with a query alone. */
async function statusOf(query: string, { extra = SSE, of = tenant } = {}): Promise<number> {
  const { outcome } = await of.begin('GET', `/data/changes?${query}`, undefined, { extra });
  if (!isRefusal(outcome)) outcome.stream?.left?.();
  return outcome.status;
}

test('a ticket opens one stream, of its caller and its query', async () => {
  await tenant.send('POST', '/data/rest/note', { id: 'a', ticket: 't' });
  await tenant.send('POST', '/data/rest/note', { id: 'b' });
  const ticket = await ticketFor('entity=note&ticket=t&snapshot=true');
  const { outcome, call } = await tenant.begin('GET', `/data/changes?ticket=${ticket}`, undefined, { extra: SSE });
  if (isRefusal(outcome) || outcome.stream === undefined) throw new Error('no stream');
  expect(call.principal?.subject).toBe('ann');
  const pieces = outcome.stream.pieces[Symbol.asyncIterator]();
  let text = '';
  while (!text.includes('event: snapshot')) text += Buffer.from((await pieces.next()).value as Uint8Array).toString();
  expect([...text.matchAll(/"id":"(\w)"/g)].map(([, id]) => id)).toEqual(['a']);
  expect(await statusOf(`ticket=${ticket}`)).toBe(401);
  outcome.stream.left?.();
});

test('two at once: one of them has the stream', async () => {
  const ticket = await ticketFor();
  const both = await Promise.all([statusOf(`ticket=${ticket}`), statusOf(`ticket=${ticket}`)]);
  expect(both.toSorted((a, b) => a - b)).toEqual([200, 401]);
});

test('it lives for 30 seconds', async () => {
  const [early, late] = [await ticketFor(), await ticketFor()];
  tenant.clock.advance(ticketSeconds * 1000 - 1);
  expect(await statusOf(`ticket=${early}`)).toBe(200);
  tenant.clock.advance(1);
  expect(await statusOf(`ticket=${late}`)).toBe(401);
});

test('another query or kind of answer is refused, and spends it', async () => {
  const attacks: (readonly [string, object?])[] = [
    ['ticket=TICKET&entity=note'],
    ['ticket=TICKET&wage=7'],
    ['ticket=TICKET&after=1'],
    ['ticket=TICKET&ticket=TICKET'],
    ['ticket=TICKET&ticket=another'],
    ['ticket=TICKET', { extra: 'accept:application/json\n' }],
    ['ticket=TICKET', { extra: '' }],
  ];
  for (const [query, options] of attacks) {
    const ticket = await ticketFor();
    expect([query, await statusOf(query.replaceAll('TICKET', ticket), options)]).toEqual([query, 401]);
    expect([query, await statusOf(`ticket=${ticket}`)]).toEqual([query, 401]);
  }
  const beside = await ticketFor();
  expect(await statusOf(`position=acme:atlas:dev:main&ticket=${beside}`)).toBe(200);
});

test('what its credential no longer may, it does not', async () => {
  const ticket = await ticketFor();
  ended.add('ann');
  expect(await statusOf(`ticket=${ticket}`)).toBe(401);
  ended.clear();
  expect(await statusOf(`ticket=${ticket}`)).toBe(401);
  for (const text of ['', 'x', 'A'.repeat(43)]) expect(await statusOf(`ticket=${text}`)).toBe(401);
});

test('a ticket of one tenant is none of another on the same thread', async () => {
  const service = serviceOf();
  const tenants = await Promise.all([1, 2].map(() => DataTenant.open(productOf([note]), { service })));
  const [one, two] = tenants as [DataTenant, DataTenant];
  Object.assign(two.activation, { position: positionOf('acme', 'atlas', 'dev', 'other')! });
  for (const each of tenants) Object.assign(each.activation.context, { random: randomBytes });
  const { ticket } = (await ask('entity=note', 'ann', one)).body;
  expect(await statusOf(`ticket=${ticket}`, { of: two })).toBe(401);
  const own = (await ask('entity=note', 'ann', two)).body.ticket;
  expect(await statusOf(`ticket=${own}`, { of: two })).toBe(200);
});

test('with a credential `ticket` is the condition that it was', async () => {
  const ticket = await ticketFor();
  const asked = (query: string) =>
    tenant.send('GET', `/data/changes?${query}`, undefined, { ...bearer('bob'), extra: '' });
  expect((await asked(`ticket=${ticket}`)).body.code).toBe('v2.missing_entity');
  expect((await asked(`entity=note&ticket=${ticket}`)).status).toBe(200);
  expect(await statusOf(`ticket=${ticket}`)).toBe(200);
});

test('what the feed would refuse, the ticket is refused, and nothing is kept', async () => {
  for (const [query, status] of [
    ['', 400],
    ['entity=none', 404],
    ['entity=note&wage=7', 422],
    ['entity=note&fields=wage', 422],
    ['entity=note&orderby=id', 422],
    [`entity=note&id=${'x'.repeat(ticketQueryCharsMax)}`, 422],
  ] as const)
    expect([query.slice(0, 30), (await ask(query)).status]).toEqual([query.slice(0, 30), status]);
  expect((await tenant.send('POST', '/data/changes/ticket?entity=note', undefined, {})).status).toBe(401);
  for (let no = 0; no < perCallerMax; no++) await ticketFor();
});

test('a caller, a tenant and a thread have no more than their bounds, and places come back', async () => {
  const kept: string[] = [];
  for (let no = 0; no < perCallerMax; no++) kept.push(await ticketFor());
  const full = await ask('entity=note');
  expect([full.status, full.body.code, full.headers['Retry-After']]).toEqual([429, 'v2.changes_full', '1']);
  await ticketFor('entity=note', 'bob');
  expect(await statusOf(`ticket=${kept[0]}`)).toBe(200);
  await ticketFor();
  expect((await ask('entity=note')).status).toBe(429);
  tenant.clock.advance(ticketSeconds * 1000);
  for (let no = 0; no < perTenantMax; no++) await ticketFor('entity=note', `user ${no}`);
  const more = await ask('entity=note', 'one more');
  expect([more.status, more.body.error ?? more.body.message]).toEqual([429, expect.stringContaining('1000 tickets')]);
  tenant = await DataTenant.open(productOf([note]), { service: serviceOf(2) });
  Object.assign(tenant.activation.context, { random: randomBytes });
  for (const subject of ['a', 'b']) await ticketFor('entity=note', subject);
  expect((await ask('entity=note', 'c')).status).toBe(503);
});

test('neither it nor its hash is in a log line', async () => {
  const ticket = await ticketFor();
  await statusOf(`ticket=${ticket}`);
  await statusOf(`ticket=${ticket}`);
  expect(JSON.stringify(tenant.told)).not.toContain(ticket.slice(0, 12));
});
