/**
 * The edge of intake over real sockets. It proves docs/contract/intake.md §6 (gateway secret, CORS),
 * §2 (http.*, cors.origins, forms.reload, logging), §4.4 (answers), §8 (signals), §9 (limits).
 */
import { connect } from 'node:net';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLog } from '#test/kit/intake-log.ts';
import { startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const GOOD = { name: 'Ada', email: 'ada@example.org' };
const OPEN = 'ratelimit: { per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000 }';
const APPLY = `id: apply
fields:
  name: { type: string, required: true }
  age: { type: integer }
  cv: { type: file, max_length: 100 }
`;

interface Place {
  readonly dir: string;
  readonly forms: string;
  readonly it: TestNode;
  readonly own: string;
}

async function open(lines: string, forms: Readonly<Record<string, string>> = {}): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-edge-'));
  const folder = join(dir, 'forms');
  mkdirSync(folder);
  const contact =
    'id: contact\nfields:\n  name: { type: string, required: true }\n  email: { type: email, required: true }\n';
  for (const [name, text] of Object.entries({ contact, ...forms })) writeFileSync(join(folder, `${name}.yaml`), text);
  const it = await startTestNode({ dir, intake: `  ${lines}`, forms: `{ dir: ${folder}, reload: sighup }` });
  return { dir, forms: folder, it, own: it.node.listeners['intake']! };
}

async function close({ it, dir }: Place): Promise<void> {
  await it.stop();
  rmSync(dir, { recursive: true, force: true });
}

const stored = ({ dir }: Place) => readLog(join(dir, 'data', 'intake', 'jsonl'));

async function counters({ it, own }: Place, shown: Headers = {}): Promise<Record<string, number>> {
  const { json } = await it.call('GET', '/metrics', shown, undefined, own);
  return (json as { requests: Record<string, number> }).requests;
}

/** What a socket answers to raw bytes until it closes. */
function exchange(base: string, ...pieces: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      for (const piece of pieces) socket.write(piece);
    });
    socket.setEncoding('utf8').on('data', (data: string) => (text += data));
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}

/** The same, a while between the pieces. */
async function exchangeSlowly(base: string, pieces: readonly string[], ms: number): Promise<string> {
  const { hostname, port } = new URL(base);
  let text = '';
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve, reject) => socket.on('close', resolve).on('error', reject));
  socket.setEncoding('utf8').on('data', (data: string) => (text += data));
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  await closed;
  return text;
}

const head = (length: number): string =>
  `POST /f/contact HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

describe('pages of other origins: an allowlist, never *, no credentials', () => {
  let place: Place;
  beforeAll(async () => {
    place = await open(`cors: { origins: ["https://www.example.org", "https://shop.example.org:443"] }\n  ${OPEN}`);
  });
  afterAll(() => close(place));
  const from = (origin: string, method = 'POST', more: Headers = {}): Promise<Answer> =>
    place.it.call(method, '/f/contact', { Origin: origin, ...more }, method === 'POST' ? GOOD : undefined, place.own);

  test('a page of an allowed origin may read every answer, refusals too', async () => {
    for (const origin of ['https://www.example.org', 'https://shop.example.org']) {
      const answer = await from(origin);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect(answer.headers.get('vary')).toBe('Origin');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
    const refused = await place.it.call('POST', '/f/none', { Origin: 'https://www.example.org' }, GOOD, place.own);
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      404,
      'https://www.example.org',
    ]);
    const large = await from('https://www.example.org', 'POST', { 'Content-Type': 'text/plain' });
    expect([large.status, large.headers.get('access-control-allow-origin')]).toEqual([415, 'https://www.example.org']);
  });

  test.each(['https://evil.example', 'https://www.example.org.evil.example', 'http://www.example.org', 'null', '*'])(
    '%s gets no line',
    async (origin) => {
      const answer = await from(origin);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null]);
      expect(answer.headers.get('vary')).toBe('Origin');
      const asked = await from(origin, 'OPTIONS');
      expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([204, null]);
    },
  );

  test('a preflight tells what may be sent', async () => {
    const { status, headers } = await from('https://www.example.org', 'OPTIONS');
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('https://www.example.org');
    expect(headers.get('access-control-allow-methods')).toBe('POST');
    expect(headers.get('access-control-allow-headers')).toContain('Content-Type');
  });
});

describe('bodies', () => {
  let place: Place;
  beforeAll(async () => {
    place = await open(`http: { read_timeout: 300ms, max_parts: 3 }\n  ${OPEN}`, { apply: APPLY });
  });
  afterAll(() => close(place));

  function send(parts: readonly (readonly [name: string, value: string | File])[], form = 'apply'): Promise<Response> {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    return fetch(`${place.own}/f/${form}`, { method: 'POST', body });
  }
  const cv = (text: string): File => new File([text], 'cv.txt', { type: 'text/plain' });

  test('multipart with a file that the form declares', async () => {
    const answer = await send([
      ['name', 'Grüße 漢'],
      ['age', '36'],
      ['cv', cv('a life')],
    ]);
    expect(answer.status).toBe(200);
    const { id } = (await answer.json()) as { id: string };
    const line = stored(place).find((one) => one.id === id)!;
    expect(line.fields).toMatchObject({ name: 'Grüße 漢', age: 36, cv: { name: 'cv.txt', size: 6 } });
    const { base64 } = line.fields['cv'] as { base64: string };
    expect(Buffer.from(base64, 'base64').toString()).toBe('a life');
  });

  test.each([
    [
      'a file over max_length',
      [
        ['name', 'a'],
        ['cv', cv('x'.repeat(101))],
      ],
      422,
      'cv',
    ],
    [
      'a text where a file belongs',
      [
        ['name', 'a'],
        ['cv', 'no file'],
      ],
      422,
      'cv',
    ],
    ['a file where a text belongs', [['name', cv('x')]], 422, 'name'],
    [
      'a file that no field declares',
      [
        ['name', 'a'],
        ['other', cv('x')],
      ],
      422,
      'other',
    ],
    [
      'a part twice',
      [
        ['name', 'a'],
        ['name', 'b'],
      ],
      422,
      'name',
    ],
  ] as const)('%s', async (_what, parts, status, field) => {
    const answer = await send(parts);
    expect(answer.status).toBe(status);
    const { details } = (await answer.json()) as { details: { fields: object } };
    expect(Object.keys(details.fields)).toContain(field);
  });

  test('four parts where three are allowed, a cut body and a text that is no UTF-8 are 400', async () => {
    expect(
      (
        await send([
          ['name', 'a'],
          ['b', '1'],
          ['c', '2'],
          ['d', '3'],
        ])
      ).status,
    ).toBe(400);
    const raw = (body: Buffer): Promise<Response> =>
      fetch(`${place.own}/f/apply`, {
        method: 'POST',
        headers: { 'Content-Type': 'multipart/form-data; boundary=B' },
        body: new Uint8Array(body),
      });
    const part = 'Content-Disposition: form-data; name="name"\r\n\r\n';
    expect((await raw(Buffer.from(`--B\r\n${part}Ada`))).status).toBe(400);
    expect((await raw(Buffer.from(`--B\r\n${part}\xff\xfe\r\n--B--\r\n`, 'latin1'))).status).toBe(400);
    expect((await raw(Buffer.from(`--B\r\n${part}Ada\r\n--B--\r\n`))).status).toBe(200);
  });

  test('a body that does not come within read_timeout: 408, the connection closes, nothing is stored', async () => {
    const before = [stored(place).length, (await counters(place))['bad_request']!] as const;
    const text = await exchange(place.own, head(100), '{"name":');
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('intake.read_timeout');
    expect(stored(place)).toHaveLength(before[0]);
    expect((await counters(place))['bad_request']).toBe(before[1] + 1);
  });

  test('a caller that leaves in the middle of its body stores nothing', async () => {
    const before = stored(place).length;
    const { hostname, port } = new URL(place.own);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(head(60) + JSON.stringify(GOOD).slice(0, 20), () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await place.it.call('POST', '/f/contact', {}, GOOD, place.own)).status).toBe(200);
    expect(stored(place)).toHaveLength(before + 1);
  });
});

describe('timeouts of its own listener', () => {
  let place: Place;
  beforeAll(async () => {
    place = await open(`http: { read_timeout: 300ms, write_timeout: 300ms, idle_timeout: 1s }\n  ${OPEN}`);
  });
  afterAll(() => close(place));

  test('a head that does not come within read_timeout: 408, the connection closes', async () => {
    expect(await exchange(place.own, 'POST /f/contact HTTP/1.1\r\nHost: x\r\n')).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('an answer that its caller does not take within write_timeout: the connection closes', async () => {
    const { hostname, port } = new URL(place.own);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.pause();
    const asking = setInterval(() => socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000)), 10);
    await closed;
    clearInterval(asking);
    expect((await place.it.call('GET', '/health', {}, undefined, place.own)).status).toBe(200);
  });

  test('a connection that says nothing within idle_timeout closes, and callers learn so; the gateway has none of these times', async () => {
    const own = await place.it.call('GET', '/health', {}, undefined, place.own);
    expect(own.headers.get('keep-alive')).toBe('timeout=1');
    expect(await exchange(place.own, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 [^]*Keep-Alive: timeout=1/,
    );
    const body = JSON.stringify(GOOD);
    const pieces = [
      head(body.length).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      body.slice(0, 9),
      body.slice(9),
    ];
    expect(await exchangeSlowly(place.it.gateway, pieces, 600)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the gateway secret comes before everything else', () => {
  let place: Place;
  beforeAll(async () => {
    place = await open(
      'security: { gateway_secret: open-sesame }\n  ratelimit: { per_ip: 0.001, per_ip_burst: 1, global: 0.001, global_burst: 2 }',
    );
  });
  afterAll(() => close(place));

  test('a caller that does not show it takes nothing from a bucket, whatever address it claims', async () => {
    const submit = (headers: Headers, body: unknown = GOOD): Promise<Answer> =>
      place.it.call('POST', '/f/contact', { 'X-Edge-Client-IP': '198.51.100.1', ...headers }, body, place.own);
    for (let i = 0; i < 10; i++) expect((await submit({})).status).toBe(403);
    expect((await submit({}, 'x'.repeat(65_537))).status).toBe(403);
    expect((await submit({ 'X-Edge-Gateway-Secret': 'open-sesame' })).status).toBe(200);
    expect((await submit({ 'X-Edge-Gateway-Secret': 'open-sesame' })).status).toBe(429);
    const shown = { 'X-Edge-Gateway-Secret': 'open-sesame' };
    expect(await counters(place, shown)).toMatchObject({ forbidden: 11, accepted: 1, rate_limited: 1 });
  });
});

describe('SIGHUP with forms.reload: sighup', () => {
  let place: Place;
  beforeAll(async () => {
    place = await open(OPEN);
  });
  afterAll(() => close(place));

  test('reads the forms again; one that does not compile or would lose a column changes nothing', async () => {
    const submit = (form: string, body: unknown): Promise<Answer> =>
      place.it.call('POST', `/f/${form}`, {}, body, place.own);
    writeFileSync(join(place.forms, 'apply.yaml'), APPLY);
    expect((await submit('apply', { name: 'a' })).status).toBe(404);
    await place.it.node.rotate();
    expect((await submit('apply', { name: 'a' })).status).toBe(200);
    writeFileSync(join(place.forms, 'apply.yaml'), APPLY.replace('integer', 'string'));
    await place.it.node.rotate();
    expect((await submit('apply', { name: 'a', age: 'old' })).status).toBe(422);
    writeFileSync(join(place.forms, 'apply.yaml'), 'id: apply\nfields: { name: { type: strong } }\n');
    await place.it.node.rotate();
    expect((await submit('apply', { name: 'a' })).status).toBe(200);
    writeFileSync(join(place.forms, 'apply.yaml'), `${APPLY}  town: { type: string }\n`);
    await place.it.node.rotate();
    expect((await submit('apply', { name: 'a', town: 'b' })).status).toBe(200);
  });
});

describe('log lines', () => {
  test('one for each request, those of the door too, and never the payload', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-lines-'));
    const path = join(dir, 'intake.log');
    const previous = process.env['SKEP_TEST_LOG'];
    process.env['SKEP_TEST_LOG'] = 'error';
    try {
      const place = await open(
        `logging: { output: file, file: { path: ${path} } }\n  ratelimit: { per_ip: 0.001, per_ip_burst: 2, global: 100, global_burst: 100 }`,
      );
      const submit = (form: string, body: unknown): Promise<Answer> =>
        place.it.call('POST', `/f/${form}`, { 'X-Edge-Client-IP': '198.51.100.7' }, body, place.own);
      await submit('contact', GOOD);
      await submit('none', GOOD);
      await submit('contact', GOOD);
      await submit('contact', 'x'.repeat(65_537));
      await counters(place);
      const lines = (): Record<string, unknown>[] =>
        readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line.includes('"submission"'))
          .map((line) => JSON.parse(line) as Record<string, unknown>);
      await expect.poll(() => lines().length).toBe(4);
      expect(lines().map(({ outcome }) => outcome)).toEqual(['accepted', 'unknown_form', 'rate_limited', 'too_large']);
      for (const line of lines())
        expect(line).toMatchObject({
          service: 'intake',
          request_id: expect.any(String),
          form_id: expect.any(String),
          source_ip: '198.51.100.7',
          status: expect.any(Number),
          latency_ms: expect.any(Number),
          bytes: expect.any(Number),
        });
      expect(readFileSync(path, 'utf8')).not.toMatch(/ada@example|xxxx/);
      await close(place);
    } finally {
      if (previous === undefined) delete process.env['SKEP_TEST_LOG'];
      else process.env['SKEP_TEST_LOG'] = previous;
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
