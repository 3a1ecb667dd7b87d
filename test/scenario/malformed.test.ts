/**
 * Hostile requests to every route: each is answered by a status that its row or the door declares, never 500, in the declared
 * shape; what is refused writes nothing; the node answers afterwards.
 * Runs: SKEP_FUZZ_RUNS (400); SKEP_TEST_SEED repeats one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fc } from '#test/kit/property.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BROKEN_LINES, bytesOf, hostileRequests, operationsOf, type HostileRequest } from '#test/kit/hostile.ts';
import { readLog } from '#test/kit/intake-log.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { testSeed } from '#test/kit/seed.ts';
import { Wire, type Answer } from '#test/runtime/door/wire.ts';

const RUNS = Number(process.env['SKEP_FUZZ_RUNS'] ?? 400);
const SEED = testSeed();
const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as never;

/** What the door says of bytes that are no request, of paths and verbs without a row, and of a head that is too large. */
const DOOR_STATUSES = [204, 400, 404, 405, 413, 431, 501, 505];

let it: TestNode;
let port: number;
let bearer: Headers;
let position: string[];
beforeAll(async () => {
  it = await startTestNode();
  port = Number(new URL(it.gateway).port);
  bearer = await it.service();
  position = Object.entries(it.position()).map(([name, value]) => `${name}: ${value}`);
  await it.call('POST', '/data/rest/category', bearer, { id: 'tools', title: 'Tools' });
  for (const name of ['one', 'two']) await it.call('POST', '/data/rest/item', bearer, { name });
});
afterAll(() => it.stop());

/** Rows of every readable entity, submissions in the log. */
async function written(): Promise<number[]> {
  const totals = await Promise.all(
    ['item', 'category'].map(async (name) => {
      const page = await it.call('GET', `/data/rest/${name}?limit=1`, bearer);
      return (page.json as { total: number }).total;
    }),
  );
  return [...totals, readLog(join(it.dir, 'data', 'intake', 'jsonl')).length];
}

async function send(request: HostileRequest): Promise<Answer | null> {
  const wire = await Wire.open(port);
  const credential = {
    bearer: [`Authorization: ${bearer['Authorization']!}`],
    key: [`Authorization: ApiKey ${it.apiKey}`],
    anonymous: [],
  }[request.who];
  wire.send(bytesOf(request, credential, position));
  const patience = setTimeout(() => wire.end(), 4000);
  let answer = await wire.answer(request.method);
  while (answer !== null && answer.status < 200) answer = await wire.answer(request.method);
  clearTimeout(patience);
  wire.end();
  return answer;
}

/** An error's body is coded, plain or bare; nothing of the machine shows in it. */
function assertShape({ status, headers, body }: Answer): void {
  const type = headers['content-type'];
  const text = body.toString();
  expect(text).not.toMatch(/node_modules|\.ts:\d|\n\s+at |ENOENT|\[object /);
  if (status < 400 || text === '') return;
  if (type === 'text/plain; charset=utf-8') {
    expect(text).toBe('Unauthorized');
    return;
  }
  expect(type).toBe('application/json; charset=utf-8');
  const parsed = JSON.parse(text) as Record<string, unknown>;
  expect(parsed).toMatchObject({ error: expect.any(String), code: expect.any(String) });
  expect(Object.keys(parsed).filter((name) => !['error', 'code', 'details'].includes(name))).toEqual([]);
}

test(`${RUNS} hostile requests, seed ${SEED}`, { timeout: 120_000 }, async () => {
  console.log(`SKEP_TEST_SEED=${SEED}`);
  const statuses = new Map<number, number>();
  let before = await written();
  const operations = operationsOf(document);
  // A changed verb may be that of another operation on the same path, which may stand there with a parameter: /bff/health, /bff/{path}.
  const stands = (path: string, there: string): boolean =>
    there === path || new RegExp(`^${there.replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`).test(path);
  const statusesAt = (path: string): number[] =>
    operations.flatMap((each) => (stands(path, each.path) ? [...each.statuses] : []));
  await fc.assert(
    fc.asyncProperty(hostileRequests(operations), async (request) => {
      const answer = await send(request);
      expect(answer, 'an answer').not.toBeNull();
      const { status } = answer!;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status).not.toBe(500);
      expect([...statusesAt(request.operation.path), ...DOOR_STATUSES]).toContain(status);
      if (request.method !== 'HEAD') assertShape(answer!);
      const after = await written();
      if (status >= 300 || request.method === 'HEAD') expect(after).toEqual(before);
      before = after;
    }),
    { numRuns: RUNS, seed: SEED },
  );
  console.log(
    [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, times]) => `${status}×${times}`)
      .join(' '),
  );
  expect(statuses.get(400)).toBeGreaterThan(0);
  expect((await it.call('POST', '/data/rest/item', bearer, { name: 'alive' })).status).toBe(201);
  expect((await it.call('POST', '/f/contact', {}, { name: 'n', email: 'a@example.org' })).status).toBe(200);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test('a head with a line that no field can have lets nothing in', async () => {
  const before = await written();
  const wires = await Promise.all(BROKEN_LINES.map(() => Wire.open(port)));
  const answers = BROKEN_LINES.map((line, i) => {
    const request = [`POST /data/rest/item HTTP/1.1`, 'Host: fuzz.test', `Authorization: ${bearer['Authorization']!}`];
    const body = JSON.stringify({ name: `broken ${i}` });
    const head = [...request, ...position, line, `Content-Length: ${body.length}`].join('\r\n');
    wires[i]!.send(`${head}\r\n\r\n${body}`);
    return wires[i]!.answer('POST');
  });
  for (let i = 0; i < 20; i++) expect(await written()).toEqual(before);
  for (const wire of wires) wire.end();
  for (const answer of await Promise.all(answers)) expect(answer?.status ?? 400).toBe(400);
});
