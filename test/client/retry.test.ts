/** When the client sends again, under which key, how long it waits, and what it throws in the end. */
import { afterEach, expect, test, vi } from 'vitest';
import { createClient, isSkepError, SkepError } from '#client/index.ts';
import { backOffMs, pause } from '#client/wait.ts';
import { fakeNode, FAST, HERE, inTurn, type FakeNode, type Told } from './fake-node.ts';

const of = ({ fetch }: FakeNode, more: object = {}) =>
  createClient({ ...HERE, token: 't', retry: FAST, fetch, ...more });
const row: Told = [201, { data: [{ id: '1' }], count: 1 }];
const keysOf = ({ sent }: FakeNode) => sent.map(({ headers }) => headers.get('idempotency-key'));
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: SkepError) => [error.status, error.code],
  );

afterEach(() => void vi.useRealTimers());

test('a write is sent again under its key when the connection breaks off, and when the node is busy', async () => {
  const node = inTurn(new TypeError('fetch failed'), [503, { error: 'busy', code: 'v2.busy' }], row);
  expect(await of(node).from('note').create({ title: 'x' })).toEqual({ id: '1' });
  const [key, ...others] = keysOf(node);
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(others).toEqual([key, key]);
});

test('each write has a key of its own, unless the caller names one; reads have none', async () => {
  const node = fakeNode(({ method }) => (method === 'GET' ? [200, { data: [], count: 0 }] : row));
  const notes = of(node).from('note');
  await notes.create({});
  await notes.update('1', {});
  await notes.delete('1', { key: 'mine' });
  await notes.list();
  const [first, second, ...rest] = keysOf(node);
  expect(new Set([first, second, null]).size).toBe(3);
  expect(rest).toEqual(['mine', null]);
});

test('the first attempt may still run: the client waits for its answer', async () => {
  const node = inTurn([409, { error: 'running', code: 'v2.idempotency_key_in_use' }], row);
  expect(await of(node).from('note').create({})).toEqual({ id: '1' });
});

test('what does not pass by itself is thrown at once', async () => {
  for (const status of [400, 403, 404, 409, 412, 422, 500, 501]) {
    const node = inTurn([status, { error: 'no', code: 'v2.some' }]);
    expect(await thrownBy(of(node).from('note').create({}))).toEqual([status, 'v2.some']);
    expect(node.sent).toHaveLength(1);
  }
});

test('attempts are counted, and the last failure is thrown', async () => {
  const node = fakeNode((_, all) =>
    all.length % 2 === 0 ? [503, { error: 'busy', code: 'v2.busy' }] : new TypeError('cut'),
  );
  expect(await thrownBy(of(node).from('note').list())).toEqual([503, 'v2.busy']);
  expect(node.sent).toHaveLength(4);
  const twice = fakeNode(() => new TypeError('cut'));
  expect(
    await thrownBy(
      of(twice, { retry: { ...FAST, attempts: 2 } })
        .from('note')
        .list(),
    ),
  ).toEqual([0, 'client.network']);
  expect(twice.sent).toHaveLength(2);
});

test('an answer that is cut in its middle is none', async () => {
  const node = inTurn([200, '{"data":[{"id":"1"}'], [200, { data: [], count: 0 }]);
  expect(await of(node).from('note').list()).toEqual([]);
});

test('Retry-After is waited for, in seconds or as a date; one that is too long is thrown', async () => {
  const busy = (after: string): Told => [
    429,
    { error: 'rate_limited', profile: 'p', retry_after_seconds: 9 },
    { 'retry-after': after },
  ];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const node = inTurn(busy('7'), [200, { data: [] }]);
  const listed = of(node, { retry: { firstMs: 1 } })
    .from('note')
    .list();
  await vi.advanceTimersByTimeAsync(6999);
  expect(node.sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await listed).toEqual([]);
  vi.useRealTimers();
  const past = inTurn(busy(new Date(0).toUTCString()), [200, { data: [] }]);
  expect(await of(past).from('note').list()).toEqual([]);
  const long = inTurn(busy('9'));
  const error: unknown = await of(long)
    .from('note')
    .list()
    .catch((thrown: unknown) => thrown);
  if (!isSkepError(error, 'rate_limited')) throw error;
  expect([error.details, error.retryAfterMs]).toEqual([{ profile: 'p', retry_after_seconds: 9 }, 9000]);
});

test('a signal ends a wait and a request with its own reason', async () => {
  const reason = new Error('the page is left');
  const leaving = new AbortController();
  const node = fakeNode(() => {
    leaving.abort(reason);
    return new TypeError('cut');
  });
  await expect(of(node).from('note').list({ signal: leaving.signal })).rejects.toBe(reason);
  await expect(pause(60_000, leaving.signal)).rejects.toBe(reason);
  const later = new AbortController();
  const waiting = pause(60_000, later.signal);
  later.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test('waits grow up to their bound, and are not all the same', () => {
  for (let n = 1; n < 40; n++) {
    const most = Math.min(20_000, 250 * 2 ** (n - 1));
    expect(backOffMs(n, 250, 20_000)).toBeLessThanOrEqual(most);
    expect(backOffMs(n, 250, 20_000)).toBeGreaterThanOrEqual(most / 2);
  }
  expect(new Set(Array.from({ length: 20 }, () => backOffMs(3, 250, 20_000))).size).toBeGreaterThan(10);
});

test('errors say what the answer said, in each family of bodies', async () => {
  const error = async (...told: readonly [number, unknown, Record<string, string>?]) =>
    (await of(inTurn(told), { retry: { attempts: 1 } })
      .from('note')
      .get('1')
      .catch((thrown: unknown) => thrown)) as SkepError;
  const coded = await error(
    412,
    { error: 'other', code: 'v2.precondition_failed', details: { version: 4 } },
    { 'x-request-id': 'r1' },
  );
  expect(coded).toBeInstanceOf(SkepError);
  expect(coded).toMatchObject({
    status: 412,
    code: 'v2.precondition_failed',
    details: { version: 4 },
    requestId: 'r1',
    message: 'other',
  });
  expect(isSkepError(coded, 'v2.precondition_failed') && coded.details.version).toBe(4);
  expect([isSkepError(coded), isSkepError(coded, 'v2.row_not_found'), isSkepError(new Error('x'))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await error(401, 'Unauthorized')).toMatchObject({ status: 401, code: 'unauthorized' });
  expect(await error(502, '<html>')).toMatchObject({
    status: 502,
    code: 'client.unexpected',
    details: { text: '<html>' },
  });
  expect(await error(404, '')).toMatchObject({ status: 404, code: 'client.unexpected' });
  expect((await error(404, 'null')).message).toBe("the answer 404 of  is none of Skep's");
});
