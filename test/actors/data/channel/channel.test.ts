/** Channels of a tenant in memory: who joins and sends, what members are told, what makes them leave, and every bound. docs/contract/channels.md */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { ChannelDefinitions } from '#config/definitions/channels-section.ts';
import { dataService } from '#actors/data/service.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';

const note = entityOf(
  'note',
  { id: { type: 'string' }, owner: { type: 'string' }, size: { type: 'integer', nullable: true } },
  { rowRule: "row.owner == principal.subject || 'chief' in principal.roles" },
);
const CHANNELS: ChannelDefinitions = {
  lobby: { join: { users: true }, send: { roles: ['clerk'], services: true }, presence: true },
  note: { entity: 'note', join: { users: true }, send: { users: true }, presence: true },
  news: { keyed: true, join: { users: true }, send: { services: true }, bytes: 20 },
};
const ANN: Principal = { ...USER, subject: 'ann', roles: ['clerk'] };
const BEN: Principal = { ...USER, subject: 'ben', roles: [] };
const BOT: Principal = { ...USER, type: 'service', subject: 'apikey:one', roles: [] };
const CHIEF: Principal = { ...USER, subject: 'chief', roles: ['chief'] };
const READER: Principal = { ...ANN, subject: 'reader', readonly: true };
const ROOT: Principal = { ...SUPERADMIN, subject: 'root' };
const PEOPLE = [ANN, BEN, BOT, CHIEF, READER, ROOT];
const SSE = 'accept:text/event-stream\n';

let tenant: DataTenant;
let loggedOut: Set<string>;
let tick: () => void;

beforeEach(async () => {
  loggedOut = new Set();
  const ticks: (() => void)[] = [];
  tick = () => ticks.forEach((run) => run());
  const check = (authorization: string) =>
    PEOPLE.find(({ subject }) => authorization === `Bearer ${subject}` && !loggedOut.has(subject)) ?? null;
  const every = (_ms: number, run: () => void) => {
    ticks.push(run);
    return () => void ticks.splice(ticks.indexOf(run), 1);
  };
  tenant = await DataTenant.open(productOf([note], { channels: CHANNELS }), {
    service: dataService({ bearers: () => ({ check }), every, subscribersMax: 260 }),
  });
});

const by = (who: Principal, extra = '') => ({ authorization: `Bearer ${who.subject}`, extra });
const send = (who: Principal, channel: string, payload: unknown, more: object = {}) =>
  tenant.send('POST', `/data/channels/${channel}`, { payload, ...more }, by(who));
const setState = (who: Principal, channel: string, member: string, state: unknown) =>
  tenant.send('PUT', `/data/channels/${channel}`, { member, state }, by(who));
const told = ({ status, body }: { status: number; body: { code?: string } }) =>
  status === 204 ? status : [status, body.code];

// oxlint-disable-next-line typescript/no-explicit-any
type Told = { readonly event: string; readonly data: any };

/** A member whose caller reads when the test says so. */
class Reader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly leave: () => void;
  id = '';

  constructor(pieces: AsyncIterable<Uint8Array>, left: () => void) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.leave = left;
  }

  /** The events of the next piece. */
  async next(): Promise<Told[]> {
    const { value, done } = await this.#pieces.next();
    if (done === true) return [{ event: 'over', data: null }];
    const blocks = Buffer.from(value).toString().split('\n\n');
    return blocks.flatMap((block) => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? [];
      return event === undefined ? [] : [{ event, data: JSON.parse(data!) }];
    });
  }
}

async function tried(who: Principal, channel: string, query = '', extra = SSE) {
  const target = `/data/channels/${channel}${query}`;
  const { outcome } = await tenant.begin('GET', target, undefined, by(who, extra));
  return outcome;
}

async function joined(who: Principal, channel: string, query = ''): Promise<{ reader: Reader; first: Told }> {
  const outcome = await tried(who, channel, query);
  if (isRefusal(outcome)) throw new Error(JSON.stringify(outcome));
  const { pieces, left } = outcome.stream!;
  const reader = new Reader(pieces, () => left?.());
  await reader.next(); // `retry`
  const [first] = await reader.next();
  reader.id = first!.data.member;
  return { reader, first: first! };
}
const refused = async (who: Principal, channel: string, query = '', extra = SSE) => {
  const outcome = await tried(who, channel, query, extra);
  return isRefusal(outcome) ? [outcome.status, outcome.code] : outcome.status;
};

test('members are told of each other and of messages, with the sender that the server knows', async () => {
  const { reader: ann, first } = await joined(ANN, 'lobby', `?state=${encodeURIComponent('{"at":"desk"}')}`);
  const self = { id: ann.id, type: 'user', subject: 'ann', state: { at: 'desk' } };
  expect(first).toEqual({ event: 'joined', data: { member: ann.id, members: [self] } });
  const { reader: ben, first: other } = await joined(BEN, 'lobby');
  const benSelf = { id: ben.id, type: 'user', subject: 'ben', state: null };
  expect(other.data.members).toEqual([self, benSelf]);
  expect(await ann.next()).toEqual([{ event: 'presence', data: { change: 'join', member: benSelf } }]);
  expect(told(await setState(BEN, 'lobby', ben.id, 'typing'))).toBe(204);
  const typing = { ...benSelf, state: 'typing' };
  const change = [{ event: 'presence', data: { change: 'state', member: typing } }];
  expect([await ann.next(), await ben.next()]).toEqual([change, change]);
  expect(told(await send(ANN, 'lobby', { hi: [1] }, { member: ann.id }))).toBe(204);
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  const message = { from: { type: 'user', subject: 'ann', member: ann.id }, at, payload: { hi: [1] } };
  expect(await ben.next()).toEqual([{ event: 'message', data: message }]);
  expect(told(await send(BOT, 'lobby', null))).toBe(204);
  expect((await ben.next())[0]!.data).toEqual({ from: { type: 'service', subject: 'apikey:one' }, at, payload: null });
  ben.leave();
  expect((await ann.next()).map(({ event }) => event)).toEqual(['message', 'message', 'presence']);
});

test('no caller joins, sends or speaks for a member without leave', async () => {
  const { reader: ann } = await joined(ANN, 'lobby');
  expect(await refused(BOT, 'lobby')).toEqual([403, 'v2.channel_denied']);
  expect(await refused(ROOT, 'lobby')).toBe(200);
  expect(told(await send(BEN, 'lobby', 1))).toEqual([403, 'v2.channel_denied']);
  expect(told(await send(READER, 'lobby', 1))).toEqual([403, 'v2.forbidden']);
  expect(await refused(READER, 'lobby')).toBe(200);
  expect(told(await setState(BEN, 'lobby', ann.id, 'forged'))).toEqual([404, 'v2.channel_member_not_found']);
  expect(told(await send(BOT, 'lobby', 1, { member: ann.id }))).toEqual([404, 'v2.channel_member_not_found']);
  expect(told(await send(ANN, 'lobby', 1, { from: 'ben' }))).toEqual([400, 'v2.invalid_body']);
  expect(told(await tenant.send('POST', '/data/channels/lobby', {}, by(ANN)))).toEqual([400, 'v2.invalid_body']);
  for (const name of ['nowhere', 'toString', '__proto__'])
    expect(await refused(ANN, name)).toEqual([404, 'v2.channel_not_found']);
  for (const query of ['?key=x', '?other=1', '?state=1&state=2', '?state={'])
    expect([query, await refused(ANN, 'lobby', query)]).toEqual([query, [422, 'v2.query_failed']]);
  expect(await refused(ANN, 'lobby', '', '')).toEqual([422, 'v2.query_failed']);
  for (const query of ['', `?key=${'k'.repeat(limits.channels.keyCharsMax + 1)}`, '?key=a&state=1'])
    expect([query, await refused(ANN, 'news', query)]).toEqual([query, [422, 'v2.query_failed']]);
});

test('a payload and a state have the bytes that are declared', async () => {
  expect(told(await send(BOT, 'news?key=a', 'x'.repeat(18)))).toBe(204);
  expect(told(await send(BOT, 'news?key=a', 'x'.repeat(19)))).toEqual([413, 'v2.channel_too_large']);
  const most = limits.channels.messageBytes - 2;
  expect(told(await send(BOT, 'lobby', 'ü'.repeat(most / 2)))).toBe(204);
  expect(told(await send(BOT, 'lobby', 'ü'.repeat(most / 2 + 1)))).toEqual([413, 'v2.channel_too_large']);
  const state = (chars: number) => `?state="${'x'.repeat(chars)}"`;
  expect(await refused(ANN, 'lobby', state(limits.channels.stateBytesMax - 1))).toEqual([413, 'v2.channel_too_large']);
  expect(await refused(ANN, 'lobby', state(limits.channels.stateBytesMax - 2))).toBe(200);
});

test('a key with an entity is a row that the caller reads, and a member leaves when that is over', async () => {
  const create = { id: 'n1', owner: 'ann' };
  expect((await tenant.send('POST', '/data/rest/note', create, by(ANN))).status).toBe(201);
  const { reader: ann } = await joined(ANN, 'note', '?key=n1');
  expect(await refused(BEN, 'note', '?key=n1')).toEqual([404, 'v2.channel_not_found']);
  expect(await refused(ANN, 'note', '?key=n2')).toEqual([404, 'v2.channel_not_found']);
  expect(told(await send(BEN, 'note?key=n1', 1))).toEqual([404, 'v2.channel_not_found']);
  const { reader: chief } = await joined(CHIEF, 'note', '?key=n1');
  expect((await ann.next())[0]!.data.change).toBe('join');
  const given = await tenant.send('PUT', '/data/rest/note/id/n1', { owner: 'ben' }, by(CHIEF));
  expect(given.status).toBe(200);
  // What is sent now is not told to a member that may not read the row any more.
  expect(told(await send(CHIEF, 'note?key=n1', 'secret'))).toBe(204);
  expect(await ann.next()).toEqual([{ event: 'end', data: { reason: 'access' } }]);
  expect(await ann.next()).toEqual([{ event: 'over', data: null }]);
  expect((await chief.next()).map(({ event, data }) => [event, data.change])).toEqual([
    ['message', undefined],
    ['presence', 'leave'],
  ]);
});

test('a member whose session has ended leaves, also one that reads nothing', async () => {
  const { reader: ann } = await joined(ANN, 'lobby');
  const { reader: ben } = await joined(BEN, 'lobby');
  expect((await ann.next())[0]!.data.change).toBe('join');
  loggedOut.add('ben');
  tenant.clock.advance(limits.changes.heartbeatMs);
  const leaving = ann.next();
  tick();
  expect((await leaving)[0]!.data).toMatchObject({ change: 'leave', member: { id: ben.id } });
  expect(told(await send(BOT, 'lobby', 'secret'))).toBe(204);
  expect(await ben.next()).toEqual([{ event: 'end', data: { reason: 'session' } }]);
});

test('a slow reader is told how many events it lost, and the members of now', async () => {
  const { reader: slow } = await joined(BEN, 'lobby');
  const payload = 'x'.repeat(3000);
  const fits = Math.floor(limits.channels.queueBytes / (payload.length + 120));
  const sent = fits + 30;
  for (let no = 0; no < sent; no++) {
    expect(told(await send(BOT, 'lobby', no + payload))).toBe(204);
    tenant.clock.advance(1000);
  }
  const [lost, ...rest] = await slow.next();
  expect(lost).toMatchObject({ event: 'lost', data: { members: [{ id: slow.id }] } });
  expect(lost!.data.count + rest.length).toBe(sent);
  expect(lost!.data.count).toBeGreaterThanOrEqual(20);
  expect(parseInt(rest.at(-1)!.data.payload, 10)).toBe(sent - 1);
});

test('rates of a caller and of a channel are bounded; without a listener nothing is counted', async () => {
  const { burst } = limits.channels.callerRate;
  for (let no = 0; no < 3 * burst; no++) expect(told(await send(BOT, 'lobby', no))).toBe(204);
  await joined(BEN, 'lobby');
  for (let no = 0; no < burst; no++) expect(told(await send(BOT, 'lobby', no))).toBe(204);
  const over = await send(BOT, 'lobby', 'x');
  expect([told(over), over.headers['Retry-After']]).toEqual([[429, 'v2.channel_rate'], '1']);
  expect(told(await send(ANN, 'lobby', 'x'))).toBe(204);
  tenant.clock.advance(1000);
  expect(told(await send(BOT, 'lobby', 'x'))).toBe(204);
});

test('a caller has a bounded number of members, and a thread of places', async () => {
  const readers: Reader[] = [];
  for (let no = 0; no < limits.channels.perCallerMax; no++)
    readers.push((await joined(ANN, 'news', `?key=${no}`)).reader);
  expect(await refused(ANN, 'news', '?key=more')).toEqual([429, 'v2.channels_full']);
  expect(await refused(BEN, 'news', '?key=more')).toBe(200);
  readers[0]!.leave();
  expect(await refused(ANN, 'news', '?key=more')).toBe(200);
});

test('all leave when the node stops, and none joins', async () => {
  const { reader } = await joined(ANN, 'lobby');
  tenant.service.retire!();
  expect(await reader.next()).toEqual([{ event: 'end', data: { reason: 'leaving' } }]);
  expect(await refused(ANN, 'lobby')).toEqual([503, 'v2.engine_unavailable']);
});
