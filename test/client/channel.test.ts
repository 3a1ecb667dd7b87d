/** Channels of the client: what a member is told, which members it knows, and when it joins again. On a real node: test/scenario/client-channels.test.ts. */
import { expect, test } from 'vitest';
import { channel, createClient, isSkepError, type Told } from '#client/index.ts';
import { fakeNode, FAST, HERE, type FakeNode, type Sent, type Told as Answer } from './fake-node.ts';

const encoded = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));

/** A stream of these events, which then ends, or stays open. */
function stream(events: readonly string[], stays = false): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(encoded(`retry: 1\n\n${events.join('')}`));
      if (!stays) controller.close();
    },
  });
  return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const someone = (id: string, state: unknown = null) => ({ id, type: 'user', subject: `u-${id}`, state });
const joined = (id: string, ...others: object[]): string =>
  event('joined', { member: id, members: [...others, someone(id)] });
const presence = (change: string, member: object): string => event('presence', { change, member });
const REFUSED: Answer = [403, { error: 'over', code: 'v2.channel_denied' }];

const roomOf = (node: FakeNode) =>
  channel<string, number>(createClient({ ...HERE, token: 't', fetch: node.fetch, retry: FAST }), 'ticket', {
    key: 'k/1',
  });
const joins = ({ sent }: FakeNode): Sent[] => sent.filter(({ method }) => method === 'GET');

test('members follow what the node tells, and are none once the loop is left', async () => {
  const node = fakeNode(() =>
    stream(
      [
        joined('a', someone('b')),
        presence('join', someone('c')),
        presence('state', someone('b', 'types')),
        presence('leave', someone('c')),
        event('message', { from: { type: 'user', subject: 'u-b' }, at: '2026-11-27T06:00:00.000Z', payload: 7 }),
        event('lost', { count: 3, members: [someone('a')] }),
      ],
      true,
    ),
  );
  const room = roomOf(node);
  const seen: [string, string[]][] = [];
  for await (const told of room.join({ state: 'reads' })) {
    seen.push([told.type, room.members.map(({ id, state }) => `${id} ${state}`)]);
    if (told.type === 'message') expect(told.payload).toBe(7);
    if (told.type === 'lost') break;
  }
  expect(seen).toEqual([
    ['joined', ['b null', 'a null']],
    ['presence', ['b null', 'a null', 'c null']],
    ['presence', ['b types', 'a null', 'c null']],
    ['presence', ['b types', 'a null']],
    ['message', ['b types', 'a null']],
    ['lost', ['a null']],
  ]);
  expect(room.members).toEqual([]);
  const [{ path, query, headers }] = node.sent as [Sent];
  expect([path, query.get('key'), query.get('state'), headers.get('accept')]).toEqual([
    '/data/channels/ticket',
    'k/1',
    '"reads"',
    'text/event-stream',
  ]);
});

test('where the connection breaks or the tenant moves it joins again, as another member and with its state of now', async () => {
  const told: Answer[] = [
    stream([joined('a')]),
    stream([joined('b'), event('end', { reason: 'leaving' })]),
    new TypeError('fetch failed'),
    [503, { error: 'busy', code: 'v2.engine_unavailable' }],
    stream([joined('c')]),
    REFUSED,
  ];
  let at = 0;
  const node = fakeNode(({ method }) => (method === 'GET' ? told[at++]! : [204]));
  const room = roomOf(node);
  const seen: (string | boolean)[] = [];
  const loop = async (): Promise<void> => {
    for await (const one of room.join({ onLive: (isLive) => seen.push(isLive) })) {
      if (one.type !== 'joined') continue;
      seen.push(one.member);
      await room.setState(`state of ${one.member}`);
      await room.send(1);
    }
  };
  await expect(loop()).rejects.toSatisfy((error) => isSkepError(error, 'v2.channel_denied'));
  expect(seen).toEqual([true, 'a', false, true, 'b', false, false, false, true, 'c', false]);
  expect(joins(node).map(({ query }) => query.get('state'))).toEqual([
    null,
    '"state of a"',
    '"state of b"',
    '"state of b"',
    '"state of b"',
    '"state of c"',
  ]);
  const said = node.sent.filter(({ method }) => method !== 'GET').map(({ method, body }) => [method, body]);
  expect(said.slice(0, 2)).toEqual([
    ['PUT', { member: 'a', state: 'state of a' }],
    ['POST', { payload: 1, member: 'a' }],
  ]);
});

test('an end for good is thrown, and so is the reason of a signal', async () => {
  const last = async (answer: () => Response, signal?: AbortSignal): Promise<unknown> => {
    const seen: Told<string, number>[] = [];
    try {
      for await (const told of roomOf(fakeNode(answer)).join(signal === undefined ? {} : { signal })) seen.push(told);
    } catch (error) {
      return isSkepError(error, 'client.stream_ended') ? error.details : error;
    }
    return seen;
  };
  expect(await last(() => stream([joined('a'), event('end', { reason: 'access' })]))).toEqual({ reason: 'access' });
  const leaving = new AbortController();
  leaving.abort(new Error('the page is left'));
  expect(await last(() => stream([joined('a')]), leaving.signal)).toEqual(new Error('the page is left'));
});

test('a message is sent once, by a caller that is no member too; a state of before joins with it', async () => {
  const node = fakeNode(({ method }) =>
    method === 'GET' ? stream([joined('a')], true) : [429, { error: 'v2.channel_rate' }, { 'retry-after': '1' }],
  );
  const room = roomOf(node);
  await room.setState('early');
  await expect(room.send(5)).rejects.toMatchObject({ status: 429 });
  expect(node.sent.map(({ method, body }) => [method, body])).toEqual([['POST', { payload: 5 }]]);
  for await (const _told of room.join()) break;
  expect(joins(node)[0]!.query.get('state')).toBe('"early"');
});
