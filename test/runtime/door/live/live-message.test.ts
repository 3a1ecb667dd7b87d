/** Messages of `/data/live` both ways: what they ask for, and that no text of a row can become another message. docs/contract/changes.md §7.2, §7.3 */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { messagesOf, parseMessage, queryOf, refusedMessage } from '#runtime/door/live/live-message.ts';
import { fc } from '#test/kit/property.ts';

const parse = (message: unknown) => parseMessage(JSON.stringify(message));
const subscribe = { type: 'subscribe', id: 'a', entity: 'note' } as const;

describe('what a caller asks for', () => {
  test('each kind of message', () => {
    for (const message of [
      { type: 'auth', token: 'aA0._-' },
      subscribe,
      {
        ...subscribe,
        after: 0,
        snapshot: true,
        fields: ['title', 'meta/x'],
        where: { 'title[in]': 'a,b', n: 1, ok: true },
      },
      { type: 'unsubscribe', id: 'a' },
      { type: 'ping' },
    ])
      expect(parse(message)).toEqual(message);
  });

  const faults: [string, unknown][] = [
    ['a list', []],
    ['no kind', {}],
    ['a token with a space', { type: 'auth', token: 'a b' }],
    ['an empty id', { ...subscribe, id: '' }],
    ['an id that is too long', { ...subscribe, id: 'x'.repeat(limits.changes.liveIdCharsMax + 1) }],
    ['a negative position', { ...subscribe, after: -1 }],
    ['a position beyond what numbers hold', { ...subscribe, after: 2 ** 53 }],
    ['conditions of conditions', { ...subscribe, where: { title: { eq: 'a' } } }],
    ['a wait', { ...subscribe, wait: 3 }],
    ...['entity', 'AFTER', 'wait', 'Snapshot', 'limit', 'fields'].map((name): [string, unknown] => [
      `the condition ${name}`,
      { ...subscribe, where: { [name]: '1' } },
    ]),
  ];
  test.each(faults)('%s is a fault that says where', (_what, message) => {
    expect(parse(message)).toEqual({ type: 'fault', fault: expect.stringMatching(/./) });
  });

  test('the query is that of the route, whatever the values hold', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const names = text.filter(
      (name) => name !== '__proto__' && !/^(?:entity|after|wait|snapshot|limit|fields)$/i.test(name),
    );
    fc.assert(
      fc.property(text, fc.dictionary(names, text), fc.array(text), (entity, where, fields) => {
        const query = new URLSearchParams(queryOf({ ...subscribe, entity, where, fields, after: 7 }));
        expect(query.getAll('entity')).toEqual([entity]);
        expect(query.getAll('after')).toEqual(['7']);
        expect(query.getAll('fields')).toEqual([fields.join(',')]);
        const others = [...query].filter(([name]) => !['entity', 'after', 'fields'].includes(name));
        expect(Object.fromEntries(others)).toEqual({ ...where });
      }),
    );
  });
});

describe('what a subscription is told', () => {
  test('each event of a stream is one message, and a comment none', () => {
    const piece =
      'retry: 2000\n\n:\n\nid: 7\nevent: change\ndata: {"seq":7}\n\nevent: row\ndata: {"id":"r"}\n\n:\nid: 8\n\n' +
      'id: 9\nevent: snapshot\ndata: {"after":9}\n\nid: 10\nevent: reset\ndata: {"after":10}\n\nevent: end\ndata: {"reason":"access"}\n\n';
    expect(messagesOf('a"b', piece).map((text) => JSON.parse(text) as unknown)).toEqual([
      { id: 'a"b', type: 'change', change: { seq: 7 } },
      { id: 'a"b', type: 'row', row: { id: 'r' } },
      { id: 'a"b', type: 'idle', after: 8 },
      { id: 'a"b', type: 'snapshot', after: 9 },
      { id: 'a"b', type: 'reset', after: 10 },
      { id: 'a"b', type: 'end', reason: 'access' },
    ]);
  });

  test('a row stays a row, whatever its texts hold', () => {
    let looksLikeEvents = 0;
    const nasty = fc.constantFrom('\n\nevent: end\ndata: {}', 'id: 5\n', '\r\n\r\n', '","type":"end', '\u2028');
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), nasty);
    fc.assert(
      fc.property(fc.array(fc.record({ id: text, title: text }), { maxLength: 5 }), text, (rows, id) => {
        if (rows.some(({ title }) => title.includes('event:'))) looksLikeEvents++;
        const piece = rows.map((row) => `event: row\ndata: ${JSON.stringify(row)}\n\n`).join('');
        const told = messagesOf(id, piece).map((one) => JSON.parse(one) as unknown);
        expect(told).toEqual(rows.map((row) => ({ id, type: 'row', row })));
      }),
    );
    expect(looksLikeEvents).toBeGreaterThan(5);
  });

  test('a refusal has its status, its body and when to come back', () => {
    expect(JSON.parse(refusedMessage('a', 429, 'X: 1\nRetry-After: 3\n', '{"code":"v2.changes_full"}'))).toEqual({
      id: 'a',
      type: 'error',
      status: 429,
      retry_after: 3,
      error: { code: 'v2.changes_full' },
    });
    expect(JSON.parse(refusedMessage('a', 401, '', 'unauthorized "x"\n'))).toEqual({
      id: 'a',
      type: 'error',
      status: 401,
      error: 'unauthorized "x"',
    });
  });
});
