/** Changes that tabs share, where no browser is needed: what a loop that is behind is told, and what happens without Web Locks. In real tabs: test/scenario. */
import { expect, test } from 'vitest';
import { createClient, shareChanges, type Change } from '#client/index.ts';
import { Inbox } from '#client/inbox.ts';
import { fc } from '#test/kit/property.ts';
import { fakeNode, HERE } from './fake-node.ts';

const change = (seq: number): Change<unknown> => ({
  type: 'change',
  seq,
  op: 'update',
  entity: 'note',
  id: 'n',
  version: 1,
  tx: seq,
  row: null,
});
const put = (inbox: Inbox, seq: number, chars = 1): void => inbox.put(seq, change(seq), chars);
const seqs = (inbox: Inbox): number[] => {
  const out: number[] = [];
  for (let told = inbox.take(); told !== undefined; told = inbox.take()) out.push(told.seq);
  return out;
};

test('nothing counts before the leading tab says from where on it tells, nor after another one leads', () => {
  const inbox = new Inbox('entity=note', 5);
  put(inbox, 6);
  inbox.join(5);
  put(inbox, 7);
  inbox.leave();
  put(inbox, 8);
  inbox.join(7);
  put(inbox, 9);
  expect([inbox.isBehind, seqs(inbox)]).toEqual([false, [7, 9]]);
});

test('a tab that leads from further on leaves a hole, which the loop fills by pages', () => {
  const inbox = new Inbox('entity=note', 5);
  inbox.join(5);
  put(inbox, 6);
  inbox.join(9);
  put(inbox, 10);
  expect([inbox.isBehind, inbox.last, seqs(inbox)]).toEqual([true, 10, [10]]);
});

test('a queue that is full, by count or by size, is dropped, and the loop begins anew', () => {
  for (const [count, chars] of [
    [1001, 1],
    [5, 1024 * 1024],
  ] as const) {
    const inbox = new Inbox('entity=note', 0);
    inbox.join(0);
    for (let seq = 1; seq < count; seq++) put(inbox, seq, chars);
    expect(inbox.isLost).toBe(false);
    put(inbox, count, chars);
    put(inbox, count + 1, chars);
    expect([inbox.isLost, seqs(inbox)]).toEqual([true, []]);
  }
});

test('a loop is told of each turn of the connection once: not live before the leading tab says so, nor once that one is gone', () => {
  const told: boolean[] = [];
  const inbox = new Inbox('entity=note', 5, (isLive) => void told.push(isLive));
  inbox.live(false);
  inbox.join(5);
  inbox.live(true);
  inbox.live(true);
  inbox.live(false);
  inbox.live(true);
  inbox.leave();
  inbox.leave();
  expect(told).toEqual([true, false, true, false]);
});

/** What can happen to an inbox whose leading tab tells each change in order: another tab leads, from a place before or behind its own. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('tell' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lead' as const), from: fc.integer({ min: 0, max: 12 }) }) },
);

test('whichever tab leads from wherever, a loop that fills its holes has each change once and in order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const inbox = new Inbox('entity=note', 0);
      const out: number[] = [];
      let position = 0;
      let written = 0;
      let told = 0;
      // As the loop of share.ts: pages where it is behind, then the queue behind its position.
      const take = (): void => {
        if (inbox.isBehind) {
          inbox.isBehind = false;
          for (; position < written;) out.push(++position);
        }
        for (const seq of seqs(inbox)) {
          if (seq <= position) continue;
          position = seq;
          out.push(seq);
        }
      };
      inbox.join(0);
      for (const one of steps) {
        if (one.kind === 'take') take();
        else if (one.kind === 'tell') {
          written++;
          while (told < written) put(inbox, ++told);
        } else {
          told = Math.min(one.from, written);
          inbox.leave();
          inbox.join(told);
          while (told < written) put(inbox, ++told);
        }
      }
      take();
      expect(out).toEqual(Array.from({ length: written }, (_, n) => n + 1));
    }),
    { numRuns: 500 },
  );
});

test('without Web Locks a loop keeps a stream of its own', async () => {
  const node = fakeNode(({ query }) =>
    query.has('after') ? [500, {}] : new Response('id: 7\nevent: snapshot\ndata: {"after":7}\n\n'),
  );
  const skep = createClient({ ...HERE, token: 't', fetch: node.fetch });
  const stop = shareChanges(skep);
  const loop = skep.from('note').changes({ snapshot: true });
  expect((await loop.next()).value).toEqual({ type: 'snapshot', after: 7 });
  await loop.return();
  stop();
  expect(node.sent.map(({ headers }) => headers.get('accept'))).toEqual(['text/event-stream']);
});
