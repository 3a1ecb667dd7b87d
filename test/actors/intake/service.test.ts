import { describe, expect, test } from 'vitest';
import { gatewayCheck } from '#actors/kit/gateway-secret.ts';
import { intakeRoutes } from '#actors/intake/routes.ts';
import { metricsShape, receiptShape } from '#actors/intake/shapes.ts';
import { isUlid } from '#config/values/id.ts';
import { limits } from '#config/limits.ts';
import { callOf, good, rig, submissionsInDatabase, submissionsInLog, URLENCODED, zeros, type Ask } from './kit.ts';

describe('POST /f/{id}', () => {
  test('200 {id, received_at} only after the line is synced and the commit is durable', async () => {
    const { submit, disk, database } = await rig();
    const order: string[] = [];
    disk.before = async (operation) => void order.push(operation);
    database.before = async () => void order.push('commit');
    const { status, body } = await submit({ body: good });
    order.push('answered');
    expect(status).toBe(200);
    expect(receiptShape.parse(body)).toEqual(body);
    expect(isUlid(body['id'] as string)).toBe(true);
    expect(order).toEqual(['open', 'write', 'sync', 'commit', 'answered']);
  });

  test('the log and the database hold the same submission, in the order of the form', async () => {
    const { submit, disk, database, intake } = await rig();
    const { body } = await submit({ body: { topic: 'sales', ...good, website: '' } });
    await intake.drain();
    const stored = { ...body, form: 'contact', fields: { ...good, topic: 'sales' }, idempotency_key: '' };
    expect(await submissionsInLog(disk)).toEqual([stored]);
    expect(submissionsInDatabase(database)).toEqual([stored]);
    expect(Object.keys((await submissionsInLog(disk))[0]!.fields)).toEqual(['name', 'email', 'age', 'topic']);
  });

  test('a line of the log: id, form, received_at, fields, prev, hash', async () => {
    const { submit, disk } = await rig();
    await submit({ body: good });
    const [name] = await disk.names();
    expect(name).toBe('submissions-2026-01-01.001.jsonl');
    expect(Object.keys(JSON.parse(disk.text(name!)) as object)).toEqual([
      'id',
      'form',
      'received_at',
      'fields',
      'prev',
      'hash',
    ]);
  });

  const refused: [what: string, ask: Ask, status: number, code: string, counter: keyof typeof zeros][] = [
    ['an unknown form', { form: 'nowhere', body: good }, 404, 'intake.unknown_form', 'unknown_form'],
    ['a form id with an escape', { form: 'contact%2e', body: good }, 404, 'intake.unknown_form', 'unknown_form'],
    ['a body above the cap', { raw: new Uint8Array(65_537) }, 413, 'intake.too_large', 'too_large'],
    [
      'text',
      { body: good, headers: { 'content-type': 'text/plain' } },
      415,
      'intake.unsupported_media_type',
      'unsupported_media_type',
    ],
    [
      'no content type',
      { body: good, headers: { 'content-type': '' } },
      415,
      'intake.unsupported_media_type',
      'unsupported_media_type',
    ],
    [
      'multipart without a boundary',
      { raw: '', headers: { 'content-type': 'multipart/form-data' } },
      400,
      'intake.bad_request',
      'bad_request',
    ],
    [
      'a foreign charset',
      { body: good, headers: { 'content-type': 'application/json; charset=utf-16' } },
      415,
      'intake.unsupported_media_type',
      'unsupported_media_type',
    ],
    [
      'a compressed body',
      { body: good, headers: { 'content-encoding': 'gzip' } },
      415,
      'intake.unsupported_media_type',
      'unsupported_media_type',
    ],
    ['no body', { raw: '' }, 400, 'intake.bad_request', 'bad_request'],
    ['broken JSON', { raw: '{"name":' }, 400, 'intake.bad_request', 'bad_request'],
    ['a truncated body', { raw: JSON.stringify(good).slice(0, -4) }, 400, 'intake.bad_request', 'bad_request'],
    ['broken UTF-8', { raw: '{"name":"\xff"}' }, 400, 'intake.bad_request', 'bad_request'],
    ['UTF-16', { raw: Buffer.from('\ufeff{}', 'utf16le') }, 400, 'intake.bad_request', 'bad_request'],
    ['a duplicate key', { raw: '{"name":"a","name":"b"}' }, 400, 'intake.bad_request', 'bad_request'],
    ['__proto__', { raw: '{"__proto__":{}}' }, 400, 'intake.bad_request', 'bad_request'],
    ['an array', { body: [good] }, 400, 'intake.bad_request', 'bad_request'],
    ['a depth bomb', { raw: '['.repeat(5000) }, 400, 'intake.bad_request', 'bad_request'],
    [
      '101 fields',
      { body: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, 1])) },
      400,
      'intake.bad_request',
      'bad_request',
    ],
    ['101 pairs', { raw: 'a=1&'.repeat(101), headers: URLENCODED }, 400, 'intake.bad_request', 'bad_request'],
    ['a broken escape', { raw: 'name=%zz', headers: URLENCODED }, 400, 'intake.bad_request', 'bad_request'],
    ['a wrong value', { body: { ...good, age: 'x' } }, 422, 'intake.validation', 'validation_failed'],
    ['nested JSON', { body: { ...good, name: { first: 'Ada' } } }, 422, 'intake.validation', 'validation_failed'],
    [
      'a malformed idempotency key',
      { body: good, headers: { 'idempotency-key': 'a b' } },
      400,
      'intake.bad_request',
      'bad_request',
    ],
  ];

  test.each(refused)('%s is refused, counted and not stored', async (_what, what, status, code, counter) => {
    const { submit, disk, database, intake } = await rig();
    const answer = await submit(what);
    expect(answer).toMatchObject({ status, body: { code, error: expect.any(String) as string } });
    expect(intake.counters()).toEqual({ requests: { ...zeros, [counter]: 1 } });
    expect(await submissionsInLog(disk)).toEqual([]);
    expect(submissionsInDatabase(database)).toEqual([]);
  });

  test('a body of exactly the cap is read', async () => {
    const { submit } = await rig();
    const padding = ' '.repeat(limits.intake.bodyBytesMax - JSON.stringify(good).length);
    expect((await submit({ raw: Buffer.from(JSON.stringify(good) + padding) })).status).toBe(200);
  });

  test('422 lists every fault of every field at once', async () => {
    const { submit } = await rig();
    const { body } = await submit({
      body: { name: '', age: 7, topic: 'spam', news: 'perhaps', extra: 1, constructor: 2 },
    });
    expect(body['details']).toEqual({
      fields: {
        name: ['is required'],
        email: ['is required'],
        age: ['must be at least 18'],
        topic: ['must be one of: sales, support'],
        news: ['must be true or false'],
        extra: ['is not a field of this form'],
        constructor: ['is not a field of this form'],
      },
    });
  });

  test('a urlencoded body is read as the types of the form, an empty input as no value', async () => {
    const { submit, disk } = await rig();
    const raw = 'name=J%C3%BCrgen+A&email=j%40example.org&age=42&topic=&news=on&website=';
    expect(
      (await submit({ raw, headers: { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' } })).status,
    ).toBe(200);
    const [stored] = await submissionsInLog(disk);
    expect(stored!.fields).toEqual({ name: 'Jürgen A', email: 'j@example.org', age: 42, news: true });
  });

  test('a field that a urlencoded body gives twice is a fault of that field', async () => {
    const { submit } = await rig();
    const { body } = await submit({ raw: 'name=Ada&name=Eve&email=a%40b.org&__proto__=x', headers: URLENCODED });
    const faults = (body['details'] as { fields: Record<string, string[]> }).fields;
    expect(Object.entries(faults)).toEqual([
      ['name', ['was given more than once']],
      ['__proto__', ['is not a field of this form']],
    ]);
  });

  test('a filled honeypot gets an answer like any other, and nothing is stored', async () => {
    const { submit, disk, intake } = await rig();
    const answer = await submit({ body: { ...good, website: 'http://spam.example', junk: 1 } });
    expect(answer.status).toBe(200);
    expect(receiptShape.parse(answer.body)).toEqual(answer.body);
    expect(await submissionsInLog(disk)).toEqual([]);
    expect(intake.counters()).toEqual({ requests: { ...zeros, bot: 1 } });
  });

  test('each request leaves one log line, without its payload', async () => {
    const { submit, lines } = await rig();
    await submit({ body: good });
    await submit({ form: 'nowhere', body: { name: 'secret' } });
    expect(lines).toEqual([
      {
        request_id: 'request-1',
        form_id: 'contact',
        source_ip: '192.0.2.7',
        status: 200,
        latency_ms: expect.any(Number) as number,
        bytes: JSON.stringify(good).length,
        outcome: 'accepted',
      },
      expect.objectContaining({ form_id: 'nowhere', status: 404, outcome: 'unknown_form' }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/Ada|secret/);
  });
});

test('the gateway secret is compared whole; without one every caller passes', () => {
  const passes = gatewayCheck('hush');
  expect(['', 'wrong', 'hush ', 'HUSH', undefined].map(passes)).toEqual([false, false, false, false, false]);
  expect(passes('hush')).toBe(true);
  expect(gatewayCheck('')(undefined)).toBe(true);
});

describe('health, readiness and metrics', () => {
  test('liveness, under both names', async () => {
    const { submit } = await rig();
    for (const route of ['health', 'healthz'])
      expect(await submit({ route })).toMatchObject({ status: 200, body: { healthy: true, version: '1.2.3' } });
  });

  test('readiness turns 503 while draining, first for the balancer, then for submissions', async () => {
    const { submit, intake } = await rig();
    for (const route of ['ready', 'readyz'])
      expect(await submit({ route })).toMatchObject({ status: 200, text: 'ready:true' });
    intake.retire();
    for (const route of ['ready', 'readyz'])
      expect(await submit({ route })).toMatchObject({ status: 503, text: 'ready:false' });
    expect((await submit({ body: good })).status).toBe(200);
    await intake.drain();
    expect(await submit({ body: good })).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  });

  test('drain answers what was taken before it', async () => {
    const { submit, intake } = await rig();
    const answers = Array.from({ length: 100 }, () => submit({ body: good }));
    await intake.drain();
    expect((await Promise.all(answers)).every((answer) => answer.status === 200)).toBe(true);
  });

  test('metrics: exactly the names of the contract, no notify block while notifications are off', async () => {
    const { submit, intake } = await rig();
    await submit({ body: good });
    const line = { requestId: 'r', form: 'contact', ip: '192.0.2.1', status: 429, latencyMs: 0, bytes: 9 };
    const outcome = 'rate_limited' as const;
    intake.refused({ counts: [[outcome, 3]], lines: [{ ...line, outcome }], dropped: 2 });
    const { body } = await submit({ route: 'metrics' });
    expect(body).toEqual({ requests: { ...zeros, accepted: 1, rate_limited: 3 } });
    expect(metricsShape.parse(body)).toEqual(body);
  });

  test('metrics as Prometheus text on request', async () => {
    const { submit } = await rig();
    await submit({ body: good });
    const { text } = await submit({ route: 'metrics', headers: { accept: 'text/plain' } });
    expect(text).toContain('intake_requests_total{outcome="accepted"} 1\n');
    expect((await submit({ route: 'metrics', headers: { accept: '*/*' } })).text.startsWith('{')).toBe(true);
  });
});

describe('route rows', () => {
  test('the configured cap and origins are in the submission row', () => {
    const { submit, captcha } = intakeRoutes({ bodyBytesMax: 1000, origins: ['https://example.org'] });
    expect(captcha.cors).toEqual(submit.cors);
    expect(submit.bodyBytesMax).toBe(1000);
    expect(submit.cors).toEqual(['https://example.org']);
  });

  test('only the submission and the challenge of its captcha are on the gateway', () => {
    const onGateway = Object.entries(intakeRoutes()).filter(([, row]) => !('listener' in row));
    expect(onGateway.map(([name]) => name)).toEqual(['submit', 'captcha']);
  });

  test('what the host could not hand over is answered and counted by the service', async () => {
    const { service, intake } = await rig();
    const call = callOf(service, { body: good });
    expect(service.unavailable(call, 'overloaded')).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    expect(service.unavailable(call, 'fault')).toMatchObject({ status: 500 });
    expect(service.unavailable(callOf(service, { route: 'ready' }), 'overloaded')).toMatchObject({ status: 503 });
    expect(intake.counters().requests).toEqual({ ...zeros, shedding: 1, internal: 1 });
  });
});
