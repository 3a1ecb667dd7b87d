/** `Idempotency-Key` on the writing routes of data (docs/contract/common.md §4.3). */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { getAnswer, putAnswer, sweepAnswers } from '#actors/host/idempotency/store.ts';
import { TABLES } from '#storage/catalogue.ts';
import { after, u16 } from '#storage/key.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import type { Principal } from '#actors/protocol/principal.ts';

const product = productOf([
  entityOf('note', { text: { type: 'string', required: true } }, { traits: ['soft_delete', 'versioned'] }),
]);

let tenant: DataTenant;
beforeEach(async () => {
  tenant = await DataTenant.open(product);
});

type Verb = 'POST' | 'PATCH' | 'DELETE';
const keyed = (key: string, verb: Verb, path: string, body?: unknown, principal: Principal = USER) =>
  tenant.send(verb, `/data/${path}`, body, { principal, extra: `idempotency-key:${key}\n` });
const total = async () => (await tenant.send('GET', '/data/rest/note')).body.total;
const stored = (table: 'idempotency' | 'idempotency_expiry') => {
  const prefix = u16(TABLES[table].no);
  return [...tenant.store.begin().range(prefix, after(prefix))].length;
};

describe('a retry', () => {
  test('gets the answer of the first attempt: status, headers, body; it writes nothing', async () => {
    const first = await keyed('k1', 'POST', 'rest/note', { text: 'a' });
    tenant.clock.advance(limits.idempotency.keptMs - 1);
    const second = await keyed('k1', 'POST', 'rest/note', { text: 'a' });
    expect(second).toEqual({ ...first, headers: { ...first.headers, 'Idempotency-Replayed': 'true' } });
    expect(await total()).toBe(1);
  });

  test('of an update, a delete, a restore and an envelope, too', async () => {
    const id = (await keyed('k1', 'POST', 'rest/note', { text: 'a' })).body.data[0].id;
    const attempts = [
      ['PATCH', `rest/note/id/${id}`, { text: 'b' }],
      ['PATCH', 'rest/note', { id, text: 'c' }],
      ['DELETE', `rest/note/id/${id}`],
      ['POST', `rest/note/id/${id}/restore`],
      ['POST', 'rest', { operations: [{ data: { note: { text: 'z' } } }] }],
    ] as const;
    for (const [verb, path, body] of attempts) {
      const first = await keyed('k2', verb, path, body);
      expect(first.status).toBe(200);
      expect((await keyed('k2', verb, path, body)).body).toEqual(first.body);
    }
    expect((await tenant.send('GET', `/data/rest/note/id/${id}`)).body.data[0]).toMatchObject({
      text: 'c',
      version: 5,
    });
    expect(await total()).toBe(2);
  });

  test('with another body, query or condition: 422, nothing written', async () => {
    await keyed('k1', 'POST', 'rest/note', { text: 'a' });
    for (const [path, body] of [
      ['rest/note', { text: 'b' }],
      ['rest/note?stats=true', { text: 'a' }],
    ] as const)
      expect(await keyed('k1', 'POST', path, body)).toMatchObject({
        status: 422,
        body: { code: 'v2.idempotency_key_reused' },
      });
    expect(await total()).toBe(1);
  });

  test('under another principal, method or path is another request', async () => {
    const id = (await keyed('k1', 'POST', 'rest/note', { text: 'a' })).body.data[0].id;
    expect((await keyed('k1', 'POST', 'rest/note', { text: 'a' }, SUPERADMIN)).body.data[0].id).not.toBe(id);
    expect((await keyed('k1', 'PATCH', `rest/note/id/${id}`, { text: 'b' })).status).toBe(200);
    expect(await total()).toBe(2);
  });

  test('after a refusal tries again', async () => {
    expect((await keyed('k1', 'POST', 'rest/note', {})).status).toBe(422);
    expect(stored('idempotency')).toBe(0);
    expect((await keyed('k1', 'POST', 'rest/note', { text: 'a' })).status).toBe(201);
  });
});

test.each(['', ' ', 'a b', 'x'.repeat(256), 'é'])('400 for the key %j', async (key) => {
  expect(await keyed(key, 'POST', 'rest/note', { text: 'a' })).toMatchObject({
    status: 400,
    body: { code: 'v2.idempotency_key_invalid' },
  });
});

test('409 while the first attempt is running', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({ text: `t${i}` }));
  const body = { operations: [{ data: { note: rows } }] };
  const first = keyed('k1', 'POST', 'rest', body);
  // A host would keep the second in its mailbox while the first holds the tenant; other long handlers do not hold it.
  expect(await keyed('k1', 'POST', 'rest', body)).toMatchObject({
    status: 409,
    body: { code: 'v2.idempotency_key_in_use' },
    headers: { 'Retry-After': '1' },
  });
  expect((await first).status).toBe(200);
  expect(await keyed('k1', 'POST', 'rest', body)).toMatchObject({ status: 200 });
  expect(await total()).toBe(1000);
});

test('the mirror ignores the key: answers are kept for principals only', async () => {
  const request = { authorization: '', extra: 'idempotency-key:k1\n' };
  for (let i = 0; i < 2; i++)
    expect((await tenant.send('POST', '/data/anon/rest/note', { text: 'a' }, request)).status).toBe(201);
  expect(await total()).toBe(2);
});

test('a request without a key leaves no trace', async () => {
  await tenant.send('POST', '/data/rest/note', { text: 'a' });
  expect(stored('idempotency')).toBe(0);
});

describe('GraphQL, which commits before it reads its answer', () => {
  const extra = 'content-type:application/json\nidempotency-key:k1\n';
  const ask = (query: string) => tenant.send('POST', '/data/graphql', { query }, { principal: USER, extra });

  test('a mutation is carried out once, and its answer is given again', async () => {
    const query = 'mutation { create_note(data: {text: "a"}) { id } }';
    const first = await ask(query);
    expect(first.body.data.create_note.id).toHaveLength(26);
    expect(await ask(query)).toMatchObject({ body: first.body, headers: { 'Idempotency-Replayed': 'true' } });
    expect(await total()).toBe(1);
    expect((await ask('mutation { create_note(data: {text: "b"}) { id } }')).status).toBe(422);
  });

  test('a mutation that wrote nothing, and a query, are not kept', async () => {
    expect((await ask('mutation { delete_note(id: "nope") { id } }')).body.errors).toHaveLength(1);
    expect((await ask('{ note { total } }')).body.data.note.total).toBe(0);
    await tenant.send('POST', '/data/rest/note', { text: 'a' });
    expect((await ask('{ note { total } }')).body.data.note.total).toBe(1);
    expect(stored('idempotency')).toBe(0);
  });

  test('one whose answer was lost with its node is not carried out again: 409, and says that it was written', async () => {
    const query = 'mutation { create_note(data: {text: "a"}) { id } }';
    await ask(query);
    // What a crash between the commit and the answer leaves: the claim that the commit took along.
    const turn = tenant.store.begin();
    const [entry] = [...turn.range(u16(TABLES.idempotency.no), after(u16(TABLES.idempotency.no)))];
    const id = /([\w-]{43})[^\w-]*$/.exec(entry!.key)![1]!;
    putAnswer(turn, id, { ...getAnswer(turn, id, tenant.clock.now())!, status: 0, text: '' });
    turn.commit();
    expect(await ask(query)).toMatchObject({
      status: 409,
      body: { code: 'v2.idempotency_key_in_use', details: { written: true } },
    });
    expect(await total()).toBe(1);
  });
});

describe('expiry', () => {
  test('a key is free again after its time, and later writes sweep what expired', async () => {
    for (let i = 0; i < 20; i++) await keyed(`k${i}`, 'POST', 'rest/note', { text: 'a' });
    tenant.clock.advance(limits.idempotency.keptMs);
    expect((await keyed('k5', 'POST', 'rest/note', { text: 'b' })).status).toBe(201);
    expect(stored('idempotency')).toBeLessThan(20);
    for (let i = 0; i < 3; i++) await keyed(`n${i}`, 'POST', 'rest/note', { text: 'a' });
    expect([stored('idempotency'), stored('idempotency_expiry')]).toEqual([4, 4]);
    expect(await keyed('k5', 'POST', 'rest/note', { text: 'b' })).toMatchObject({
      headers: { 'Idempotency-Replayed': 'true' },
    });
  });

  test('a sweep spares a key that was used again since', async () => {
    await keyed('k1', 'POST', 'rest/note', { text: 'a' });
    const turn = tenant.store.begin();
    sweepAnswers(turn, tenant.clock.now() + limits.idempotency.keptMs, 8);
    expect(turn.dirty).toBe(true);
    turn.abort();
    expect(getAnswer(tenant.store.begin(), 'absent', 0)).toBeUndefined();
    expect(stored('idempotency')).toBe(1);
  });
});
