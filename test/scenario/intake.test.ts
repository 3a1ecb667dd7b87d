/** Submissions over HTTP to real nodes. Spec: docs/contract/intake.md §4.4, §5, §6, §9. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zeros } from '#test/actors/intake/kit.ts';
import { logFiles, readLog } from '#test/kit/intake-log.ts';
import { startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';
import type { PlatformWish } from '#test/kit/platform-file.ts';

const GOOD = { name: 'Ada', email: 'ada@example.org' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

class Intake {
  readonly node: TestNode;
  /** Base URL of its own listener. */
  readonly own: string;

  constructor(node: TestNode) {
    this.node = node;
    this.own = node.node.listeners['intake']!;
  }

  static async start(wish: PlatformWish = {}): Promise<Intake> {
    return new Intake(await startTestNode(wish));
  }

  submit(body: unknown = GOOD, headers: Headers = {}, base = this.own): Promise<Answer> {
    return this.node.call('POST', '/f/contact', headers, body, base);
  }

  from(ip: string, body: unknown = GOOD, headers: Headers = {}): Promise<Answer> {
    return this.submit(body, { 'X-Edge-Client-IP': ip, ...headers });
  }

  get(path: string, base = this.own, headers: Headers = {}): Promise<Answer> {
    return this.node.call('GET', path, headers, undefined, base);
  }

  async counters(): Promise<Record<string, number>> {
    return ((await this.get('/metrics')).json as { requests: Record<string, number> }).requests;
  }

  stored(): string[] {
    return readLog(join(this.node.dir, 'data', 'intake', 'jsonl')).map((line) => line.id);
  }
}

const idOf = (answer: Answer): string => (answer.json as { id: string }).id;

/** A body without a length. */
async function chunked(url: string, bytes: number): Promise<Response> {
  const body = new ReadableStream({
    start(stream) {
      stream.enqueue(new TextEncoder().encode(`{"name":"${'x'.repeat(bytes - 11)}"}`));
      stream.close();
    },
  });
  const headers = { 'Content-Type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body, duplex: 'half' });
}

describe('a submission', () => {
  let it: Intake;
  beforeAll(async () => {
    it = await Intake.start();
  });
  afterAll(() => it.node.stop());

  test('is in the log before its 200, on the gateway and on its own listener', async () => {
    for (const base of [it.own, it.node.gateway]) {
      const answer = await it.submit(GOOD, {}, base);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({
        id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
        received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      expect(it.stored()).toContain(idOf(answer));
    }
  });

  test('may be urlencoded', async () => {
    const answer = await it.submit('name=Ada&email=ada%40example.org&message=a+b', FORM);
    expect(answer.status).toBe(200);
    expect(it.stored()).toContain(idOf(answer));
  });

  test.each([
    ['an unknown form', '/f/nothing', {}, GOOD, 404, 'intake.unknown_form'],
    ['a prototype name', '/f/__proto__', {}, GOOD, 404, 'intake.unknown_form'],
    ['a form in upper case', '/f/CONTACT', {}, GOOD, 404, 'intake.unknown_form'],
    ['plain text', '/f/contact', { 'Content-Type': 'text/plain' }, 'x', 415, 'intake.unsupported_media_type'],
    ['a compressed body', '/f/contact', { 'Content-Encoding': 'gzip' }, GOOD, 415, 'intake.unsupported_media_type'],
    [
      'another charset',
      '/f/contact',
      { 'Content-Type': 'application/json; charset=utf-16' },
      GOOD,
      415,
      'intake.unsupported_media_type',
    ],
    ['no JSON', '/f/contact', {}, '{', 400, 'intake.bad_request'],
    ['no object', '/f/contact', {}, '[]', 400, 'intake.bad_request'],
    ['duplicate keys', '/f/contact', {}, '{"name":"a","name":"b"}', 400, 'intake.bad_request'],
    [
      '101 fields',
      '/f/contact',
      {},
      Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, 1])),
      400,
      'intake.bad_request',
    ],
    [
      'a malformed idempotency key',
      '/f/contact',
      { 'Idempotency-Key': 'k'.repeat(256) },
      GOOD,
      400,
      'intake.bad_request',
    ],
  ])('%s', async (_name, path, headers, body, status, code) => {
    const before = it.stored().length;
    const answer = await it.node.call('POST', path, headers, body, it.own);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ code, error: expect.any(String) });
    expect(it.stored()).toHaveLength(before);
  });

  test('422 lists every fault at once', async () => {
    const answer = await it.submit({ email: 'no-address', message: 'x'.repeat(2001), nope: 1 });
    expect(answer.status).toBe(422);
    const { code, details } = answer.json as { code: string; details: { fields: object } };
    expect(code).toBe('intake.validation');
    expect(details.fields).toEqual({
      name: ['is required'],
      email: ['must be an e-mail address'],
      message: ['must have at most 2000 characters'],
      nope: ['is not a field of this form'],
    });
  });

  test('a body of 65,537 bytes is too large, with or without a length; one of 65,536 is looked at', async () => {
    const body = (bytes: number): string => `{"name":"${'x'.repeat(bytes - 11)}"}`;
    const declared = await it.submit(body(65_537));
    expect([declared.status, declared.json]).toMatchObject([413, { code: 'intake.too_large' }]);
    const streamed = await chunked(`${it.own}/f/contact`, 65_537);
    expect([streamed.status, await streamed.json()]).toMatchObject([413, { code: 'intake.too_large' }]);
    expect((await it.submit(body(65_536))).status).toBe(422);
    expect((await chunked(`${it.own}/f/contact`, 65_536)).status).toBe(422);
  });

  test('a filled honeypot gets a success and is stored nowhere', async () => {
    const before = it.stored().length;
    const answer = await it.submit({ ...GOOD, website: 'http://spam.example' });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json as object)).toEqual(['id', 'received_at']);
    expect(it.stored()).toHaveLength(before);
  });

  test('a retry under its idempotency key gets the first id; another submission under it is refused', async () => {
    const before = it.stored().length;
    const key = { 'Idempotency-Key': 'key-1' };
    const first = await it.submit(GOOD, key);
    expect((await it.submit(GOOD, key)).json).toEqual(first.json);
    expect((await it.submit({ ...GOOD, _idempotency_key: 'key-1' })).json).toEqual(first.json);
    const other = await it.submit({ ...GOOD, name: 'Eve' }, key);
    expect([other.status, other.json]).toMatchObject([422, { code: 'intake.idempotency_mismatch' }]);
    expect(it.stored()).toHaveLength(before + 1);
  });

  test('fifty double clicks at once store one submission', async () => {
    const before = it.stored().length;
    const clicks = Array.from({ length: 50 }, () => it.submit(GOOD, { 'Idempotency-Key': 'key-2' }));
    const ids = new Set((await Promise.all(clicks)).map(idOf));
    expect(ids.size).toBe(1);
    expect(it.stored()).toHaveLength(before + 1);
  });

  test('ids grow, so the log is in their order', () => {
    const ids = it.stored();
    expect(ids).toEqual(ids.toSorted());
  });

  test('the probes are on its own listener only, under both names', async () => {
    for (const path of ['/health', '/healthz']) {
      const answer = await it.get(path);
      expect([answer.status, answer.json]).toEqual([200, { healthy: true, version: expect.any(String) }]);
    }
    for (const path of ['/ready', '/readyz']) {
      const answer = await it.get(path);
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
        200,
        'ready:true',
        'text/plain; charset=utf-8',
      ]);
      const asked = await it.node.call('GET', path, { Accept: 'application/json' }, undefined, it.own);
      expect([asked.status, asked.json]).toEqual([200, { ready: true }]);
    }
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await it.get(path, it.node.gateway)).status, path).toBe(404);
    expect((await it.get('/f/contact')).status).toBe(405);
  });

  test('SIGHUP starts a new file; nothing is lost between the two', async () => {
    const dir = join(it.node.dir, 'data', 'intake', 'jsonl');
    const files = logFiles(dir).length;
    const before = it.stored();
    await it.node.node.rotate();
    const answer = await it.submit();
    expect(logFiles(dir)).toHaveLength(files + 1);
    expect(it.stored()).toEqual([...before, idOf(answer)]);
  });
});

describe('limits', () => {
  let it: Intake;
  beforeAll(async () => {
    it = await Intake.start({
      intake: '  ratelimit: { per_ip: 0.01, per_ip_burst: 3, global: 0.01, global_burst: 14 }',
    });
  });
  afterAll(() => it.node.stop());

  test('by caller, then for all; every answer is counted once, those of the door too', async () => {
    expect(await it.counters()).toEqual(zeros);
    const statuses = async (answers: Promise<Answer>[]): Promise<number[]> =>
      (await Promise.all(answers)).map((answer) => answer.status).sort((a, b) => a - b);

    // One caller of three tokens, named by the header.
    expect(await statuses([1, 2, 3, 4, 5].map(() => it.from('198.51.100.1')))).toEqual([200, 200, 200, 429, 429]);
    const limited = await it.from('198.51.100.1');
    expect([limited.status, limited.json]).toMatchObject([429, { code: 'intake.rate_limited' }]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);

    // Callers without an address, or with an unparsable one, share one bucket.
    const nameless = ['', 'unknown', '198.51.100.2, 10.0.0.1', '1.2.3.4:80'].map((ip) => it.from(ip));
    expect(await statuses(nameless)).toEqual([200, 200, 200, 429]);
    expect((await it.submit()).status).toBe(429);

    // The same address in another spelling is the same caller; the gateway asks the socket, whatever the header says.
    expect(await statuses(['2001:db8::1', '2001:DB8:0::1', '2001:db8:0:0:0:0:0:1'].map((ip) => it.from(ip)))).toEqual([
      200, 200, 200,
    ]);
    expect((await it.from('2001:0db8::0001')).status).toBe(429);
    const spoofed = [1, 2, 3, 4].map((i) => it.submit(GOOD, { 'X-Edge-Client-IP': `203.0.113.${i}` }, it.node.gateway));
    expect(await statuses(spoofed)).toEqual([200, 200, 200, 429]);

    // Twelve of fourteen are gone: a refused submission costs as much as an accepted one.
    expect((await it.from('198.51.100.7', { ...GOOD, website: 'x' })).status).toBe(200);
    expect((await it.from('198.51.100.7', {})).status).toBe(422);
    const shed = await it.from('198.51.100.8');
    expect([shed.status, shed.json]).toMatchObject([503, { code: 'intake.shedding' }]);
    expect(Number(shed.headers.get('retry-after'))).toBeGreaterThan(0);
    // The cap comes before the buckets.
    expect((await it.from('198.51.100.9', 'x'.repeat(65_537))).status).toBe(413);

    expect(await it.counters()).toEqual({
      ...zeros,
      accepted: 12,
      bot: 1,
      validation_failed: 1,
      rate_limited: 7,
      shedding: 1,
      too_large: 1,
    });
    const text = await it.get('/metrics', it.own, { Accept: 'text/plain' });
    expect(text.headers.get('content-type')).toContain('text/plain');
    expect(text.text).toContain('intake_requests_total{outcome="rate_limited"} 7\n');
  });
});

describe('behind a gateway with a secret', () => {
  let it: Intake;
  beforeAll(async () => {
    it = await Intake.start({ intake: '  security: { gateway_secret: open-sesame, gateway_secret_header: X-Gate }' });
  });
  afterAll(() => it.node.stop());

  test('each request of its own listener shows the secret or gets 403, probes and unknown paths too', async () => {
    for (const shown of [
      {},
      { 'X-Gate': 'open-sesamE' },
      { 'X-Gate': '' },
      { 'X-Edge-Gateway-Secret': 'open-sesame' },
    ]) {
      const answer = await it.submit(GOOD, shown as Headers);
      expect([answer.status, answer.json]).toMatchObject([403, { code: 'intake.forbidden' }]);
    }
    expect((await it.submit(GOOD, { 'X-Gate': 'open-sesame' })).status).toBe(200);
    expect((await it.node.call('POST', '/f/nothing', {}, GOOD, it.own)).status).toBe(403);
    for (const path of ['/health', '/healthz', '/ready', '/readyz', '/metrics', '/nowhere', '/f/contact']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE'])
        expect((await it.node.call(method, path, {}, undefined, it.own)).status, `${method} ${path}`).toBe(403);
    }
    expect((await it.node.call('POST', '/f', {}, GOOD, it.own)).status).toBe(403);
    const shown = { 'X-Gate': 'open-sesame' };
    const status = async (method: string, path: string): Promise<number> =>
      (await it.node.call(method, path, shown, undefined, it.own)).status;
    expect([await status('GET', '/health'), await status('GET', '/nowhere')]).toEqual([200, 404]);
    const { json } = await it.node.call('GET', '/metrics', shown, undefined, it.own);
    expect((json as { requests: unknown }).requests).toEqual({ ...zeros, forbidden: 5, accepted: 1 });
    const probe = await it.node.call('GET', '/readyz', {}, undefined, it.node.node.listeners['operations']);
    expect([probe.status, probe.text]).toEqual([200, 'ready:true']);
  });
});
