import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Busy } from '#actors/protocol/busy.ts';
import { Channel, Outbox } from '#actors/protocol/channel.ts';
import { CONTROL, INLINE_BYTES_MAX, REPLIES, REQUESTS, REQUEST_STRIDE, STREAM } from '#actors/protocol/frame.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { BODY_CUT, REPLY_END, REPLY_PIECE, REPLY_SHARED, REPLY_TAKEN, shareBytes } from '#actors/protocol/stream.ts';
import { CHILD_THREADS } from '#actors/protocol/topic.ts';
import { TOPICS, topicsBetween, type Topic } from '#actors/protocol/topics.ts';

describe('two ends of a channel', () => {
  let near: Channel;
  let far: Channel;
  let ports: MessagePort[];

  beforeEach(() => {
    const { port1, port2 } = new MessageChannel();
    ports = [port1, port2];
    near = new Channel(port1, 'main', 'tenant-host');
    far = new Channel(port2, 'tenant-host', 'main');
  });
  afterEach(() => ports.forEach((port) => port.close()));

  test('an ask is answered by who declared the topic', async () => {
    far.answer('host.tenants', (tenants) => {
      expect(tenants).toEqual([]);
      return null;
    });
    await expect(near.ask('host.tenants', [])).resolves.toBeNull();
  });

  test('a throw on the far side comes back as a fault with its message', async () => {
    far.answer('thread.drain', () => {
      throw new Error('still busy');
    });
    await expect(near.ask('thread.drain', null)).rejects.toMatchObject({ why: 'failed', message: 'still busy' });
  });

  test('no room on the far side is no room here', async () => {
    far.answer('thread.drain', () => {
      throw new Busy('every place is taken');
    });
    const asked = near.ask('thread.drain', null);
    await expect(asked).rejects.toBeInstanceOf(Busy);
    await expect(asked).rejects.toThrow('every place is taken');
  });

  test('a topic without an answerer is a fault, not a silence', async () => {
    await expect(near.ask('host.trust', [])).rejects.toThrow('host.trust has no answerer on this thread');
  });

  test('closing settles what waits and refuses what comes', async () => {
    far.answer('thread.drain', () => new Promise<null>(() => undefined));
    const waiting = near.ask('thread.drain', null);
    near.close('the thread is gone');
    await expect(waiting).rejects.toMatchObject({ why: 'closed' });
    await expect(near.ask('thread.drain', null)).rejects.toMatchObject({ why: 'closed' });
  });

  test('another protocol version is refused', async () => {
    far.answer('thread.drain', () => null);
    const answered = new Promise((resolve) => ports[0]!.on('message', resolve));
    ports[0]!.postMessage({ kind: CONTROL, version: 99, topic: 'thread.drain', id: 1, part: 'ask', body: null });
    await expect(answered).resolves.toMatchObject({ part: 'fault', body: 'protocol 99, here 2' });
  });

  test('a topic goes between the threads of its row alone: it is neither sent nor answered elsewhere', async () => {
    expect(() => near.ask('vault.forget-key', { path: 'x' })).toThrow(
      /vault.forget-key does not go from main to tenant-host/,
    );
    expect(() => far.tell('courier.settled', { tenantNo: 1, id: 'A', outcome: 'sent' })).toThrow(/does not go from/);
    expect(() => near.answer('vault.key', () => Promise.reject(new Error('never')))).toThrow(/does not come here/);
    expect(() => far.answer('node.ask', () => null)).toThrow(/does not come here/);
    near.answer('node.ask', ({ verb }) => verb);
    await expect(far.ask('node.ask', { verb: 'tenants.awake', body: null })).resolves.toBe('tenants.awake');
  });

  test('every topic goes between two threads of which one is main', () => {
    for (const name of Object.keys(TOPICS) as Topic[]) {
      const down = CHILD_THREADS.filter((child) => topicsBetween('main', child).has(name));
      const up = CHILD_THREADS.filter((child) => topicsBetween(child, 'main').has(name));
      expect([down.length > 0, up.length > 0].filter(Boolean), name).toHaveLength(1);
    }
    expect(topicsBetween('courier', 'vault-keeper').size).toBe(0);
  });

  test('records of one event-loop turn travel as one message', async () => {
    const batches: Flat[] = [];
    far.onBatch = (batch) => batches.push(batch);
    const outbox = new Outbox(near, REQUESTS, setImmediate);
    outbox.batch.push(1, 'a');
    outbox.batch.push(2, 'b');
    await expect.poll(() => batches).toEqual([[REQUESTS, 1, 'a', 2, 'b']]);
    outbox.batch.push(3, 'c');
    await expect.poll(() => batches.length).toBe(2);
  });

  test('pieces of bodies keep their place among records: small ones travel together, a large one alone and without a copy', async () => {
    const batches: Flat[] = [];
    far.onBatch = (batch) => batches.push(batch);
    const outbox = new Outbox(near, REPLIES, setImmediate);
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const part = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
    const large = new Uint8Array(INLINE_BYTES_MAX + 1).fill(7);
    outbox.batch.push(1, 'head');
    outbox.stream(1, REPLY_PIECE, all);
    outbox.stream(2, REPLY_PIECE, part);
    outbox.stream(2, REPLY_TAKEN, 5);
    outbox.stream(1, REPLY_PIECE, large);
    outbox.stream(1, REPLY_END);
    outbox.batch.push(3, 'head');
    await expect.poll(() => batches.length).toBe(5);
    const text = String.fromCharCode(...all);
    expect(batches[0]).toEqual([REPLIES, 1, 'head']);
    expect(batches[1]).toEqual([STREAM, 1, REPLY_PIECE, text, 2, REPLY_PIECE, '\u0002\u0003', 2, REPLY_TAKEN, 5]);
    expect(batches[2]).toEqual([STREAM, 1, REPLY_PIECE, new Uint8Array(INLINE_BYTES_MAX + 1).fill(7)]);
    expect(batches[3]).toEqual([STREAM, 1, REPLY_END, 0]);
    expect(batches[4]).toEqual([REPLIES, 3, 'head']);
    expect([all.byteLength, part.byteLength, large.byteLength]).toEqual([256, 2, 0]);
  });

  test('bytes that several replies get are in a message once, and stay with their sender', async () => {
    const batches: Flat[] = [];
    far.onBatch = (batch) => batches.push(batch);
    const outbox = new Outbox(near, REPLIES, setImmediate);
    const shared = shareBytes(new Uint8Array(INLINE_BYTES_MAX + 1).fill(7));
    const part = shareBytes(new Uint8Array([1, 2, 3, 4]).subarray(1, 3));
    outbox.stream(1, REPLY_PIECE, shared);
    outbox.stream(2, REPLY_PIECE, shared);
    outbox.stream(1, REPLY_PIECE, part);
    await expect.poll(() => batches.length).toBe(1);
    const [batch] = batches;
    const [first, last] = [new Uint8Array(shared), new Uint8Array([2, 3])];
    expect(batch).toEqual([STREAM, 1, REPLY_SHARED, first, 2, REPLY_SHARED, first, 1, REPLY_SHARED, last]);
    expect(batch![3]).toBe(batch![6]);
    expect([shared.byteLength, part.buffer.byteLength]).toEqual([INLINE_BYTES_MAX + 1, 2]);
  });

  test('a request that waits behind pieces cannot be taken for one of them', async () => {
    const batches: Flat[] = [];
    far.onBatch = (batch) => batches.push(batch);
    const outbox = new Outbox(near, REQUESTS, setImmediate);
    outbox.stream(4, BODY_CUT);
    expect(outbox.takeBack(4)).toBe(false);
    outbox.batch.push(...requestOf(4));
    expect(outbox.takeBack(4)).toBe(true);
    await expect.poll(() => batches).toEqual([[STREAM, 4, BODY_CUT, 0]]);
  });
});

const requestOf = (no: number): Flat => [no, ...Array<string>(REQUEST_STRIDE - 1).fill('')];
