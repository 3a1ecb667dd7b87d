import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { contact, good, rig, submissionsInLog, URLENCODED, type Ask } from './kit.ts';

describe('idempotency keys', () => {
  const KEY = { 'idempotency-key': 'k-1' };

  test('a retry by header or by field gets the first answer, and one line is stored', async () => {
    const { submit, disk, clock } = await rig();
    const first = await submit({ body: good, headers: KEY });
    clock.advance(1000);
    expect(await submit({ body: good, headers: KEY })).toEqual(first);
    expect(await submit({ body: { ...good, _idempotency_key: 'k-1' } })).toEqual(first);
    const raw = 'name=Ada+Lovelace&email=ada%40example.org&age=36&_idempotency_key=k-1';
    expect(await submit({ raw, headers: URLENCODED })).toEqual(first);
    expect(await submissionsInLog(disk)).toHaveLength(1);
  });

  test('a retry that meets the first one on its way waits for the same answer', async () => {
    const { submit, disk } = await rig();
    const [first, second] = await Promise.all([
      submit({ body: good, headers: KEY }),
      submit({ body: good, headers: KEY }),
    ]);
    expect(second).toEqual(first);
    expect(await submissionsInLog(disk)).toHaveLength(1);
  });

  test('another submission under the key is 422, before and after the first is durable', async () => {
    const { submit } = await rig();
    const other = { ...good, name: 'Eve' };
    const [, second] = await Promise.all([submit({ body: good, headers: KEY }), submit({ body: other, headers: KEY })]);
    expect(second).toMatchObject({ status: 422, body: { code: 'intake.idempotency_mismatch' } });
    expect((await submit({ body: other, headers: KEY })).status).toBe(422);
  });

  test('keys are per form and bind for 24 hours', async () => {
    const { submit, clock } = await rig({ forms: [contact, { ...contact, id: 'other' }] });
    const first = await submit({ body: good, headers: KEY });
    const other = await submit({ form: 'other', body: good, headers: KEY });
    clock.advance(limits.intake.idempotencyMs);
    const later = await submit({ body: good, headers: KEY });
    expect(new Set([first, other, later].map((answer) => answer.body['id'])).size).toBe(3);
  });

  test('a shed submission does not use up its key', async () => {
    const { submit, disk } = await rig();
    disk.capacity = 0;
    expect((await submit({ body: good, headers: KEY })).status).toBe(503);
    disk.capacity = Infinity;
    expect((await submit({ body: good, headers: KEY })).status).toBe(200);
  });

  test.each([
    ['two that differ', { body: { ...good, _idempotency_key: 'k-2' }, headers: KEY }],
    ['a number', { body: { ...good, _idempotency_key: 7 } }],
    ['one given twice', { raw: 'name=Ada&email=a%40b.org&_idempotency_key=a&_idempotency_key=a', headers: URLENCODED }],
    ['one that is too long', { body: good, headers: { 'idempotency-key': 'k'.repeat(256) } }],
  ] as [string, Ask][])('%s: 400', async (_what, what) => {
    const { submit } = await rig();
    expect((await submit(what)).status).toBe(400);
  });
});
