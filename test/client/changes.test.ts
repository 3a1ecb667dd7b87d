/** Subscriptions of the client: where they go on, what they tell when something was missed, what ends them. Against a node that is killed: test/crash. */
import { afterEach, expect, test, vi } from 'vitest';
import { createClient, type Change } from '#client/index.ts';
import { eventsIn } from '#client/event-stream.ts';
import { fc } from '#test/kit/property.ts';
import { fakeNode, HERE, type FakeNode, type Told } from './fake-node.ts';

afterEach(() => void vi.useRealTimers());

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));

/** A stream of these pieces, which then ends, breaks off, or stays open. */
function stream(pieces: readonly string[], end: 'ends' | 'breaks' | 'stays' = 'ends'): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = pieces[at++];
      if (piece !== undefined) controller.enqueue(bytes(piece));
      else if (end === 'breaks') controller.error(new TypeError('terminated'));
      else if (end === 'ends') controller.close();
    },
  });
  return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

const change = (seq: number): string =>
  `id: ${seq}\nevent: change\ndata: {"seq":${seq},"op":"update","entity":"note","id":"n","version":1,"tx":${seq},"row":null}\n\n`;
const row = (id: string): string => `event: row\ndata: {"id":"${id}"}\n\n`;
const snapshot = (after: number): string => `id: ${after}\nevent: snapshot\ndata: {"after":${after}}\n\n`;
const reset = (after: number): string => `id: ${after}\nevent: reset\ndata: {"after":${after}}\n\n`;
const end = (reason: string): string => `event: end\ndata: {"reason":"${reason}"}\n\n`;
/** The node asks for waits that no test notices. */
const SOON = 'retry: 1\n\n';
/** The answer to a request for the position of now. */
const now = (after: number): Told => [200, { entity: 'note', changes: [], after, more: false }];

const inTurn = (...told: readonly Told[]): FakeNode =>
  fakeNode((_, all) => told[all.length - 1] ?? [403, { error: 'over', code: 'v2.query_failed' }]);
const said = (told: Change<unknown>): string => {
  if (told.type === 'change') return `change ${told.seq}`;
  return told.type === 'row' ? `row ${(told.row as { id: string }).id}` : `${told.type} ${told.after}`;
};

/** What a subscriber is told until the node refuses, and the code of the refusal. */
async function heard(node: FakeNode, query: object = {}, most = 100): Promise<string[]> {
  const skep = createClient({ ...HERE, token: 't', fetch: node.fetch, retry: { firstMs: 1, attempts: 1 } });
  const out: string[] = [];
  try {
    for await (const told of skep.from('note').changes(query)) {
      out.push(said(told));
      if (out.length === most) break;
    }
  } catch (error) {
    out.push((error as { code: string }).code);
  }
  return out;
}
const asked = ({ sent }: FakeNode) =>
  sent.map(({ query, headers }) => [query.get('snapshot'), headers.get('accept'), headers.get('last-event-id')]);
const EVENTS = 'text/event-stream';

test('without a position it asks for that of now first, and goes on behind each event', async () => {
  const node = inTurn(now(5), stream([SOON, change(7), change(9)], 'breaks'), stream([SOON, change(12)]), stream([]));
  expect(await heard(node)).toEqual(['change 7', 'change 9', 'change 12', 'v2.query_failed']);
  expect(asked(node)).toEqual([
    [null, null, null],
    [null, EVENTS, '5'],
    [null, EVENTS, '9'],
    [null, EVENTS, '12'],
    [null, EVENTS, '12'],
  ]);
});

test('a position of an earlier subscription is where it begins; comments move it', async () => {
  const node = inTurn(stream([SOON, ':\nid: 40\n\n:\n\n'], 'breaks'));
  expect(await heard(node, { after: 3 })).toEqual(['v2.query_failed']);
  expect(asked(node).map(([, , id]) => id)).toEqual(['3', '40']);
});

test('half an event counts for nothing', async () => {
  const half = change(9).slice(0, -1);
  const node = inTurn(stream([SOON, change(7) + half], 'breaks'), stream([change(9)]));
  expect(await heard(node, { after: 3 })).toEqual(['change 7', 'change 9', 'v2.query_failed']);
  expect(asked(node).map(([, , id]) => id)).toEqual(['3', '7', '9']);
});

test('a snapshot that breaks off is told again from its beginning, and the caller is told to forget', async () => {
  const node = inTurn(
    stream([SOON, row('a'), row('b')], 'breaks'),
    stream([SOON, row('b') + snapshot(6) + change(8)], 'breaks'),
  );
  const told = ['row a', 'row b', 'reset null', 'row b', 'snapshot 6', 'change 8', 'v2.query_failed'];
  expect(await heard(node, { snapshot: true })).toEqual(told);
  expect(asked(node)).toEqual([
    ['true', EVENTS, null],
    ['true', EVENTS, null],
    [null, EVENTS, '8'],
  ]);
});

test('a position that is too old is a reset: behind it come the rows again, or the changes after the position that it names', async () => {
  const plain = inTurn(stream([SOON, reset(70)]), stream([SOON, change(71)]));
  expect(await heard(plain, { after: 3 })).toEqual(['reset 70', 'change 71', 'v2.query_failed']);
  expect(asked(plain).map(([, , id]) => id)).toEqual(['3', '70', '71']);
  const whole = inTurn(stream([SOON, row('a') + snapshot(6), reset(70)]), stream([SOON, row('c') + snapshot(71)]));
  const told = ['row a', 'snapshot 6', 'reset null', 'row c', 'snapshot 71', 'v2.query_failed'];
  expect(await heard(whole, { snapshot: true })).toEqual(told);
  expect(asked(whole).map(([first, , id]) => [first, id])).toEqual([
    ['true', null],
    ['true', null],
    [null, '71'],
  ]);
});

test('what passes by itself is waited for, however often; what does not is thrown', async () => {
  const busy: Told = [503, { error: 'busy', code: 'v2.busy' }, { 'retry-after': '0' }];
  const cut = new TypeError('fetch failed');
  const node = inTurn(cut, now(5), ...Array.from({ length: 6 }, () => busy), cut, stream([SOON, change(7)]));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const hearing = heard(node);
  for (let n = 0; n < 40; n++) await vi.advanceTimersByTimeAsync(15_000);
  expect(await hearing).toEqual(['change 7', 'v2.query_failed']);
  expect(node.sent).toHaveLength(11);
});

test('the node says when a stream ends for good', async () => {
  for (const reason of ['access', 'definitions', 'cost', 'something new'])
    expect(await heard(inTurn(stream([SOON, change(7), end(reason)])), { after: 3 })).toEqual([
      'change 7',
      'client.stream_ended',
    ]);
  for (const reason of ['leaving', 'fault', 'session'])
    expect(await heard(inTurn(stream([SOON, end(reason)]), stream([SOON, change(7)])), { after: 3 })).toEqual([
      'change 7',
      'v2.query_failed',
    ]);
});

test('a connection on which nothing comes any more is given up', async () => {
  const node = inTurn(stream([SOON, change(7)], 'stays'), stream([SOON, change(9)]));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const hearing = heard(node, { after: 3 });
  await vi.advanceTimersByTimeAsync(44_000);
  expect(node.sent).toHaveLength(1);
  for (let n = 0; n < 10; n++) await vi.advanceTimersByTimeAsync(1000);
  expect(await hearing).toEqual(['change 7', 'change 9', 'v2.query_failed']);
});

test('a subscriber that leaves closes its connection; a signal ends it with its reason', async () => {
  let closed = 0;
  const open = () =>
    new Response(new ReadableStream({ start: (to) => to.enqueue(bytes(change(7))), cancel: () => void closed++ }));
  expect(await heard(fakeNode(open), { after: 3 }, 1)).toEqual(['change 7']);
  expect(closed).toBe(1);
  const reason = new Error('the page is left');
  const leaving = new AbortController();
  const node = fakeNode(() => {
    leaving.abort(reason);
    return new TypeError('cut');
  });
  const skep = createClient({ ...HERE, token: 't', fetch: node.fetch });
  await expect(skep.from('note').changes({ after: 3, signal: leaving.signal }).next()).rejects.toBe(reason);
});

test('conditions and fields are those of a list', async () => {
  const node = inTurn(stream([]));
  await heard(node, { after: 3, where: { open: true }, fields: ['id', 'title'] });
  expect(Object.fromEntries(node.sent[0]!.query)).toEqual({
    entity: 'note',
    select: 'id,title',
    '[and]': '[{"open":true}]',
  });
});

test('events are the same however the stream is cut', async () => {
  const text = `${SOON}${row('ä')}${snapshot(6)}:\nid: 7\n\n${change(8)}event: odd\ndata: a\ndata: b\n\ndata:x\n\n`;
  const all = bytes(text);
  const eventsOf = async (cuts: readonly number[]) => {
    const places = [0, ...[...new Set(cuts)].sort((a, b) => a - b), all.length];
    const body = new ReadableStream<Uint8Array>({
      start(to) {
        for (let n = 1; n < places.length; n++) to.enqueue(all.slice(places[n - 1], places[n]));
        to.close();
      },
    });
    const out: unknown[] = [];
    for await (const event of eventsIn(body, 1000)) out.push(event);
    return out;
  };
  const whole = await eventsOf([]);
  expect(whole).toHaveLength(7);
  expect(whole.at(-2)).toEqual({ id: null, event: 'odd', data: 'a\nb', retryMs: null });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: all.length - 1 }), { maxLength: 30 }), async (cuts) => {
      expect(await eventsOf(cuts)).toEqual(whole);
    }),
    { numRuns: 200 },
  );
});

test('a loop says when it is live: once its stream is open, not while it waits for another, nor behind its end', async () => {
  const node = inTurn(now(5), stream([SOON, change(7)], 'breaks'), [503, {}], stream([SOON, change(9)]));
  const skep = createClient({ ...HERE, token: 't', fetch: node.fetch, retry: { firstMs: 1, attempts: 1 } });
  const out: unknown[] = [];
  const changes = skep.from('note').changes({ onLive: (isLive) => void out.push(isLive) });
  const following = (async () => {
    for await (const told of changes) out.push(said(told));
  })();
  await expect(following).rejects.toMatchObject({ code: 'v2.query_failed' });
  expect(out).toEqual([true, 'change 7', false, true, 'change 9', false]);
});

test('a loop that is left is not live any more', async () => {
  const node = inTurn(now(5), stream([SOON, change(7)], 'stays'));
  const skep = createClient({ ...HERE, token: 't', fetch: node.fetch });
  const out: boolean[] = [];
  for await (const told of skep.from('note').changes({ onLive: (isLive) => void out.push(isLive) })) {
    expect([said(told), out]).toEqual(['change 7', [true]]);
    break;
  }
  expect(out).toEqual([true, false]);
});
