/** The captcha of a form. Spec: docs/contract/intake.md §4.6. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { solved } from '#test/kit/altcha.ts';
import { contact, good, rig, submissionsInDatabase, URLENCODED, type Rig } from './kit.ts';

const guarded = { ...contact, captcha: { provider: 'altcha', difficulty: 1000 } } as const;
const other = { ...guarded, id: 'other' } as const;
const opened = () => rig({ forms: [guarded, other] });
const given = (r: Rig, form = 'contact') => r.submit({ route: 'captcha', form });
const answered = async (r: Rig, form?: string) => solved((await given(r, form)).body);

test('a submission shows the answer of the widget as a field, which is not stored', async () => {
  const r = await opened();
  const challenge = await given(r);
  expect(challenge).toMatchObject({ status: 200, headers: { 'Cache-Control': 'no-store' } });
  expect(challenge.body).toMatchObject({ algorithm: 'SHA-256', maxnumber: 1000 });
  const altcha = await solved(challenge.body);
  expect(await r.submit({ body: { ...good, altcha } })).toMatchObject({ status: 200 });
  const form = new URLSearchParams({ name: 'Eve', email: 'eve@example.org', altcha: await answered(r) });
  expect((await r.submit({ raw: form.toString(), headers: URLENCODED })).status).toBe(200);
  expect(submissionsInDatabase(r.database).map(({ fields }) => fields)).toEqual([
    good,
    { name: 'Eve', email: 'eve@example.org' },
  ]);
});

test('without one, with a false one, with one of another form, and with one that is over, nothing is stored', async () => {
  const r = await opened();
  expect(await r.submit({ body: good })).toMatchObject({ status: 400, body: { code: 'intake.captcha_required' } });
  const foreign = await answered(r, 'other');
  const late = await answered(r);
  for (const altcha of ['x', 7, [], foreign])
    expect((await r.submit({ body: { ...good, altcha } })).body['code']).toMatch(
      /^intake\.captcha_(invalid|required)$/,
    );
  r.clock.advance(limits.captcha.challengeMs);
  expect((await r.submit({ body: { ...good, altcha: late } })).body['code']).toBe('intake.captcha_invalid');
  expect(submissionsInDatabase(r.database)).toEqual([]);
  expect(r.intake.counters().requests).toMatchObject({ accepted: 0, bad_request: 6 });
});

test('an answer counts once; a refused submission leaves it to the mended one', async () => {
  const r = await opened();
  const altcha = await answered(r);
  expect((await r.submit({ body: { name: 'A', altcha } })).status).toBe(422);
  expect((await r.submit({ body: { ...good, altcha } })).status).toBe(200);
  expect((await r.submit({ body: { ...good, altcha } })).body['code']).toBe('intake.captcha_invalid');
  const both = await answered(r);
  const statuses = await Promise.all(
    [1, 2].map(async () => (await r.submit({ body: { ...good, altcha: both } })).status),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400]);
});

test('a double click under one idempotency key gets the first id, though the answer has counted', async () => {
  const r = await opened();
  const ask = { body: { ...good, altcha: await answered(r) }, headers: { 'idempotency-key': 'once' } };
  const [first, second] = await Promise.all([r.submit(ask), r.submit(ask)]);
  expect(first).toMatchObject({ status: 200 });
  expect(second).toMatchObject({ status: 200, body: first.body });
});

test('a filled honeypot is answered as ever, whatever the captcha says', async () => {
  const r = await opened();
  expect((await r.submit({ body: { ...good, website: 'x' } })).status).toBe(200);
  expect(submissionsInDatabase(r.database)).toEqual([]);
});

test('a form without a captcha gives no challenge, and takes no such field', async () => {
  const r = await rig({ forms: [contact] });
  expect(await given(r)).toMatchObject({ status: 404, body: { code: 'intake.no_captcha' } });
  expect(await given(r, 'unknown')).toMatchObject({ status: 404, body: { code: 'intake.unknown_form' } });
  expect((await r.submit({ body: { ...good, altcha: 'x' } })).status).toBe(422);
});
