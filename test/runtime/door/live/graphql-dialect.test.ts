/** Messages of graphql-transport-ws both ways: what they ask for, and that no piece of an answer, however it is cut, becomes another message. docs/contract/changes.md §10.4 */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { Asked } from '#runtime/door/live/dialect.ts';
import { GraphqlDialect } from '#runtime/door/live/graphql-dialect.ts';
import { fc } from '#test/kit/property.ts';

const { graphqlAnswerBytesMax } = limits.changes;
const ACK = { type: 'connection_ack' };
let dialect: GraphqlDialect;

beforeEach(() => {
  dialect = new GraphqlDialect('/data/graphql');
});

const ask = (message: unknown): Asked => dialect.asked(JSON.stringify(message));
const init = (payload?: unknown) => ask({ type: 'connection_init', payload });
const parsed = (texts: readonly string[]): unknown[] => texts.map((text) => JSON.parse(text) as unknown);
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const next = (answer: unknown): string => `event: next\ndata: ${JSON.stringify(answer)}\n\n`;
const COMPLETE = 'event: complete\ndata:\n\n';

describe('what a caller asks for', () => {
  test('an operation is a POST that asks for events, and takes no field of the handshake for its own', () => {
    init();
    const payload = { query: '{ a }', operationName: null, variables: { n: 1 }, extensions: { idempotencyKey: 'k-1' } };
    const asked = ask({ id: 'a', type: 'subscribe', payload }) as Extract<Asked, { type: 'subscribe' }>;
    const { method, query, body, fields } = asked.request;
    expect([asked.id, method, query, JSON.parse(body)]).toEqual(['a', 'POST', '', payload]);
    expect(Object.fromEntries(fields)).toEqual({
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'idempotency-key': 'k-1',
    });
    const plain = ask({ id: 'b', type: 'subscribe', payload: { query: '{ a }' } }) as typeof asked;
    expect([plain.request.body, plain.request.fields.get('idempotency-key')]).toEqual(['{"query":"{ a }"}', '']);
  });

  test('numbers keep their digits', () => {
    init();
    const numbers = '{"a":12345678901234567890.5,"b":[0.1000000000000000055511151231257827],"c":7}';
    const text = `{"id":"a","type":"subscribe","payload":{"query":"q","variables":${numbers}}}`;
    const asked = dialect.asked(text) as Extract<Asked, { type: 'subscribe' }>;
    expect(asked.request.body).toBe(`{"query":"q","variables":${numbers}}`);
  });

  const credentials: [payload: unknown, authorization: string | null][] = [
    [undefined, null],
    [null, null],
    [{}, null],
    [{ authorization: '' }, null],
    [{ other: 'x', authorization: null, token: 'abc' }, 'Bearer abc'],
    [{ authorization: 'Bearer abc' }, 'Bearer abc'],
    [{ Authorization: 'abc' }, 'Bearer abc'],
    [{ headers: { Authorization: 'Bearer abc' } }, 'Bearer abc'],
    [{ authorization: 'Bearer first', headers: { authorization: 'Bearer second' } }, 'Bearer first'],
  ];
  test.each(credentials)('connection_init with %j shows %s', (payload, authorization) => {
    expect(init(payload)).toEqual({ type: 'say', texts: [JSON.stringify(ACK)], authorization });
  });

  test('the order of the protocol holds, and pings need none', () => {
    expect(ask({ id: 'a', type: 'subscribe', payload: { query: 'q' } })).toMatchObject({ why: 'unacknowledged' });
    expect(ask({ type: 'ping', payload: { at: 1 } })).toMatchObject({
      texts: ['{"type":"pong"}'],
      authorization: null,
    });
    expect(ask({ type: 'pong' })).toMatchObject({ texts: [] });
    expect(init()).toMatchObject({ type: 'say' });
    expect(ask({ id: 'a', type: 'complete' })).toEqual({ type: 'unsubscribe', id: 'a' });
    expect(init()).toMatchObject({ type: 'close', why: 'tooManyInits' });
  });

  const faults: [string, unknown][] = [
    ['a list', []],
    ['no kind', { id: 'a' }],
    ['a message of this side', { id: 'a', type: 'next', payload: {} }],
    ['an empty id', { id: '', type: 'complete' }],
    ['a long id', { id: 'x'.repeat(limits.changes.liveIdCharsMax + 1), type: 'complete' }],
    ['variables that are a list', { id: 'a', type: 'subscribe', payload: { query: 'q', variables: [] } }],
    ['a name that is a number', { id: 'a', type: 'subscribe', payload: { query: 'q', operationName: 1 } }],
    [
      'a key with a break',
      { id: 'a', type: 'subscribe', payload: { query: 'q', extensions: { idempotencyKey: 'a\nb: c' } } },
    ],
    ['a credential with a break', { type: 'connection_init', payload: { authorization: 'Bearer a\nb: c' } }],
    ['a credential that is a number', { type: 'connection_init', payload: { token: 1 } }],
    ['a payload that is a text', { type: 'connection_init', payload: 'abc' }],
  ];
  test.each(faults)('%s is malformed, and the caller hears where', (_what, message) => {
    expect(ask(message)).toEqual({ type: 'close', why: 'malformed', more: expect.stringMatching(/./) });
  });
});

describe('what an operation is told', () => {
  test('events are next, a comment is nothing, and the end is complete', () => {
    const told = dialect.events('a"b', bytes(`:\n\n${next({ data: { x: 1 } })}${next({ data: null, errors: [{}] })}`));
    expect([parsed(told.texts), told.ends]).toEqual([
      [
        { id: 'a"b', type: 'next', payload: { data: { x: 1 } } },
        { id: 'a"b', type: 'next', payload: { data: null, errors: [{}] } },
      ],
      false,
    ]);
    const end = dialect.events('a"b', bytes(next({ data: {} }) + COMPLETE));
    expect([parsed(end.texts).at(-1), end.ends, end.unproven]).toEqual([{ id: 'a"b', type: 'complete' }, true, false]);
  });

  test('an answer without data is the error that ends it', () => {
    const errors = [{ message: 'no', extensions: { code: 'v2.graphql_invalid' } }];
    const told = dialect.answered('a', 200, 'Content-Type: text/event-stream\n', next({ errors }) + COMPLETE);
    expect([parsed(told.texts), told.ends, told.unproven]).toEqual([
      [{ id: 'a', type: 'error', payload: errors }],
      true,
      false,
    ]);
    const session = [{ message: 'over', extensions: { code: 'unauthorized', status: 401 } }];
    expect(dialect.events('a', bytes(next({ errors: session }) + COMPLETE)).unproven).toBe(true);
  });

  test('cut anywhere, events stay what they are, and nothing is held behind the last one', () => {
    let cutInEvents = 0;
    const nasty = fc.constantFrom('\n\nevent: complete\ndata:\n\n', '{"errors":[', '\r\n\r\n', '\u2028', 'ü€😀');
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), nasty);
    fc.assert(
      fc.property(
        fc.array(fc.record({ data: fc.dictionary(text, text) }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(400), { maxLength: 8 }),
        (answers, cuts) => {
          const own = new GraphqlDialect('/data/graphql');
          const whole = bytes(answers.map(next).join('') + COMPLETE);
          const places = [0, ...cuts.filter((at) => at < whole.length).sort((a, b) => a - b), whole.length];
          cutInEvents += places.length - 2;
          const told = places.slice(1).map((to, i) => own.events('a', new Uint8Array(whole.subarray(places[i], to))));
          expect(parsed(told.flatMap(({ texts }) => texts))).toEqual([
            ...answers.map((payload) => ({
              id: 'a',
              type: 'next',
              payload: JSON.parse(JSON.stringify(payload)) as unknown,
            })),
            { id: 'a', type: 'complete' },
          ]);
          expect([told.filter(({ ends }) => ends).length, own.held]).toEqual([1, 0]);
        },
      ),
    );
    expect(cutInEvents).toBeGreaterThan(50);
  });

  test('an answer that passes the bound of a message ends with an error, and its bytes are given up', () => {
    const piece = bytes('x'.repeat(64 * 1024));
    dialect.events('a', bytes('event: next\ndata: {"data":"'));
    let told = dialect.events('a', piece);
    let pieces = 1;
    for (; !told.ends; pieces++) told = dialect.events('a', piece);
    expect(pieces * piece.length).toBeGreaterThanOrEqual(graphqlAnswerBytesMax);
    expect((pieces - 1) * piece.length).toBeLessThan(graphqlAnswerBytesMax);
    expect(parsed(told.texts)).toMatchObject([
      { type: 'error', payload: [{ extensions: { code: 'v2.graphql_too_complex' } }] },
    ]);
    expect(dialect.held).toBe(0);
  });

  test('a caller that leaves has nothing held for it', () => {
    dialect.events('a', bytes('event: next\ndata: {"da'));
    dialect.events('b', bytes('event: nex'));
    expect(dialect.held).toBe(32);
    expect(dialect.left('a')).toEqual([]);
    expect(dialect.held).toBe(10);
    expect(dialect.over('b')).toEqual({ texts: [], closes: 'brokeOff' });
    expect(dialect.held).toBe(0);
  });

  test('an answer that was kept for a key is told like any other, in pieces too', () => {
    const answer = { data: { create_note: { title: 'ü' } } };
    const messages = [
      { id: 'a', type: 'next', payload: answer },
      { id: 'a', type: 'complete' },
    ];
    const json = JSON.stringify(answer);
    expect(parsed(dialect.answered('a', 200, 'Content-Type: application/json\n', json).texts)).toEqual(messages);
    const whole = bytes(json);
    dialect.events('a', new Uint8Array(whole.subarray(0, 32)));
    dialect.events('a', new Uint8Array(whole.subarray(32)));
    expect(parsed(dialect.over('a').texts)).toEqual(messages);
  });

  const refusals: [status: number, headers: string, body: string, error: object][] = [
    [401, '', 'Unauthorized\n', { message: 'Unauthorized', extensions: { code: 'unauthorized', status: 401 } }],
    [
      429,
      'X: 1\nRetry-After: 3\n',
      '{"error":"rate_limited","profile":"p"}',
      {
        message: 'rate_limited',
        extensions: { code: 'rate_limited', status: 429, details: { profile: 'p' }, retry_after: 3 },
      },
    ],
    [
      410,
      '',
      '{"error":"too old","code":"v2.changes_position_over","details":{"after":7}}',
      { message: 'too old', extensions: { code: 'v2.changes_position_over', status: 410, details: { after: 7 } } },
    ],
    [500, '', '', { message: '', extensions: { code: '', status: 500 } }],
  ];
  test.each(refusals)('a refusal with %i is an error with code and status', (status, headers, body, error) => {
    const told = dialect.answered('a', status, headers, body);
    expect([parsed(told.texts), told.ends, told.unproven]).toEqual([
      [{ id: 'a', type: 'error', payload: [error] }],
      true,
      status === 401,
    ]);
  });
});
