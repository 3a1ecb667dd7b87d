/**
 * The clock of the machine is set while a node runs: an hour ahead and back, an hour back and ahead again, under rows, submissions, logins, schedules and audit logs. What was
 * acknowledged is there once, logs keep their order, rates go by another clock, and tokens are judged by the time that the node believes (docs/decisions/storage.md ST-8).
 */
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPlatform } from '#config/load.ts';
import { drive, emptyLedger, verify, verifySubmissions } from '#test/crash/row-ledger.ts';
import { writeManagedProduct } from '#test/kit/managed-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode, type Answer, type Headers } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const HOUR = 3_600_000;
const LOG = 'tenant/acme/shop/dev/main';
const ADA = { login: 'ada@shop.example', password: 'correct horse battery' };
const SETTINGS = `roles: { reader: reads, clerk: writes notes }
token: { expiry: 10m }
sessions: { mode: managed, max: 100 }`;
const NOTE = `entities:
  note:
    fields: { due: { type: string } }
    access: { create: { language: cel, rule: "'clerk' in principal.roles" }, read: { language: cel, rule: "true" } }
`;
const OFTEN = `on: { cron: "*/5 * * * *" }
script: { role: clerk, source: "db.create('note', { due: request.data.due });" }
`;
/** Of logins: some at once, then so many a second. */
const RATE = { burst: 3, per_second: 1 };
const LOAD = 6;

const dir = mkdtempSync(join(tmpdir(), 'skep-jumps-'));
const clock = join(dir, 'later');
const ledger = emptyLedger();
const callers: Promise<void>[] = [];
let node: ProcessNode;
let key: string;
let file: string;
/** Logins that the rate let in since the first one, and when that was. */
let admitted = 0;
let since = Number.NaN;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}
interface Recorded {
  readonly id: string;
  readonly seq: number;
  readonly source: string;
  readonly source_seq: number;
  readonly action: string;
  readonly target: string;
}

const post = (path: string, body: object, headers: Headers = positionHeaders(TENANT)): Promise<Answer> =>
  call(node.listeners['gateway']!, 'POST', path, headers, body);
const read = async ({ access_token: token }: Tokens): Promise<number> => {
  const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
  return (await call(node.listeners['gateway']!, 'GET', '/data/rest/item', headers)).status;
};
const service = async (): Promise<Headers> => ({
  ...positionHeaders(TENANT),
  Authorization: `Bearer ${await exchange(node.listeners['gateway']!, key)}`,
});

async function login(): Promise<Answer> {
  const answer = await post('/auth/login', ADA);
  if (Number.isNaN(since)) since = performance.now();
  if (answer.status !== 429) admitted++;
  return answer;
}

/** Logins until one is refused, then until one is let in again: the rate is neither open nor shut. */
async function rateHolds(): Promise<Tokens> {
  await expect.poll(async () => (await login()).status, { timeout: 30_000, interval: 1 }).toBe(429);
  let tokens: Tokens | null = null;
  const isIn = async (): Promise<boolean> => {
    const answer = await login();
    if (answer.status === 200) tokens = answer.json as Tokens;
    return tokens !== null;
  };
  await expect.poll(isIn, { timeout: 30_000, interval: 100 }).toBe(true);
  expect(admitted).toBeLessThanOrEqual(RATE.burst + 1 + (RATE.per_second * (performance.now() - since)) / 1000);
  return tokens!;
}

async function refreshed(tokens: Tokens): Promise<Tokens> {
  const answer = await post('/auth/refresh', { refresh_token: tokens.refresh_token });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
}

/** New callers get rows and submissions acknowledged, and those of before their submissions. */
async function goesOn(): Promise<void> {
  const [rows, submissions] = [ledger.created.size, ledger.submitted.size];
  const name = `l${callers.length}`;
  for (let caller = 0; caller < LOAD; caller++) callers.push(drive(node, key, ledger, `${name}c${caller}`));
  const isMore = (): boolean => ledger.created.size > rows + 4 * LOAD && ledger.submitted.size > submissions + 8 * LOAD;
  await expect.poll(isMore, { timeout: 60_000 }).toBe(true);
}

/** Sets the clock of all threads, and waits until the node has looked at it. */
async function jump(laterMs: number): Promise<void> {
  writeFileSync(clock, String(laterMs));
  await new Promise((resolve) => setTimeout(resolve, 2500));
}

async function degraded(): Promise<string[]> {
  const listed = await call(node.listeners['operations']!, 'GET', '/readyz', { Accept: 'application/json' });
  return (listed.json as { degraded: { scope: string }[] }).degraded.map(({ scope }) => scope);
}

async function dues(): Promise<string[]> {
  const { json } = await call(node.listeners['gateway']!, 'GET', '/data/rest/note?limit=500', await service());
  return (json as { data: { due: string }[] }).data.map(({ due }) => due);
}

/** Every record of a log, in order. */
function recordsIn(segments: string): Recorded[] {
  const names = readdirSync(segments).filter((name) => name.endsWith('.log'));
  const lines = names.toSorted().flatMap((name) => readFileSync(join(segments, name), 'utf8').split('\n').slice(0, -1));
  return lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Recorded);
}

beforeAll(async () => {
  const localdir = writeManagedProduct(dir, SETTINGS);
  writeFileSync(join(localdir, 'entities', 'note.yaml'), NOTE);
  mkdirSync(join(localdir, 'triggers'));
  appendFileSync(join(localdir, 'triggers', 'often.yaml'), OFTEN);
  const rates = `  auth_login: { burst: ${RATE.burst}, per_second: ${RATE.per_second} }\n`;
  const off = ['auth_apikey', 'auth_token', 'auth_refresh', 'authenticated'].map((name) => `  ${name}: off\n`).join('');
  const audit = `audit: { enabled: true, name: audit.example, routing: [{ log_id_pattern: 'node/*', durability: async }, { log_id_pattern: 'tenant/**', durability: strict }] }\n`;
  const wish = { localdir, extra: `${audit}jobs: { threads: 1 }`, rates: rates + off };
  const prepared = await startTestNode({ ...wish, dir });
  key = prepared.serviceKey;
  await prepared.node.ask(TENANT, 'identity', 'user.ensure', { ...ADA, roles: ['tenant_user'] });
  await prepared.stop();
  file = writePlatformFile(dir, wish);
  writeFileSync(clock, '0');
  const preload = new URL('../kit/later-clock.mjs', import.meta.url).href;
  node = await startProcess(file, { NODE_OPTIONS: `--import=${preload}`, SKEP_TEST_LATER_FILE: clock });
}, 120_000);
afterAll(async () => {
  await node.end('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

let first: Tokens;
let ahead: Tokens;
const once = async (headers: Headers): Promise<Answer> =>
  post(
    '/data/rest/item',
    { name: 'once', token: 't-once' },
    { ...headers, 'Idempotency-Key': 'once-0123456789abcdef' },
  );
let made: Answer;

test('before the clock is set', { timeout: 120_000 }, async () => {
  await goesOn();
  first = await rateHolds();
  expect(await read(first)).toBe(200);
  made = await once(await service());
  expect(made.status).toBe(201);
});

test(
  'an hour ahead: short tokens have expired, sessions go on, schedules are due once',
  { timeout: 120_000 },
  async () => {
    await jump(HOUR);
    await goesOn();
    expect(await read(first)).toBe(401);
    ahead = await refreshed(first);
    expect(await read(ahead)).toBe(200);
    await rateHolds();
    expect((await once(await service())).json).toEqual(made.json);
    await expect.poll(async () => (await dues()).length, { timeout: 60_000 }).toBeGreaterThan(0);
  },
);

test(
  'back again: what was issued ahead is not valid yet, and the session gives new ones',
  { timeout: 120_000 },
  async () => {
    await jump(0);
    await goesOn();
    expect([await read(ahead), await read(first)]).toEqual([401, 200]);
    expect(await degraded()).not.toContain('clock');
    ahead = await refreshed(ahead);
    expect(await read(ahead)).toBe(200);
    await rateHolds();
    expect((await once(await service())).json).toEqual(made.json);
  },
);

test('an hour back: time goes on from where it was, and the operator is told', { timeout: 120_000 }, async () => {
  await jump(-HOUR);
  await goesOn();
  expect(await read(ahead)).toBe(200);
  expect(await degraded()).toContain('clock');
  const fresh = await rateHolds();
  expect(await read(fresh)).toBe(200);
  await jump(0);
  await goesOn();
  expect([await read(fresh), await read(ahead)]).toEqual([200, 200]);
  await expect.poll(degraded, { timeout: 30_000 }).not.toContain('clock');
});

test(
  'what was acknowledged is there, in the rows, in the log of submissions and in the audit log, once and in order',
  { timeout: 120_000 },
  async () => {
    const runs = await dues();
    expect(runs).toEqual([...new Set(runs)]);
    expect(await node.end('SIGTERM')).toBe(0);
    await Promise.all(callers);
    const { audit } = (
      loadPlatform(file, { env: {} }) as { platform: { audit: { base_dir: string; key_dir: string } } }
    ).platform;
    const place = join(audit.base_dir, LOG);
    const records = recordsIn(join(place, 'segments'));
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at));
    // Ids hold a time, and rise though the clock goes back.
    const ids = records.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    const bySource = Map.groupBy(records, ({ source }) => source);
    for (const [source, own] of bySource)
      expect([source, own.map((one) => one.source_seq)]).toEqual([source, own.map((_, at) => own[0]!.source_seq + at)]);
    const told = Map.groupBy(
      records.filter(({ action }) => action === 'data.item.create'),
      ({ target }) => target,
    );
    expect([...ledger.created.values()].filter((id) => told.get(id)?.length !== 1)).toEqual([]);

    tally({ acknowledged: ledger.created.size + ledger.submitted.size });
    node = await startProcess(file);
    await verify(node, key, ledger);
    verifySubmissions(join(dir, 'data', 'intake', 'jsonl'), ledger);
    expect(await node.end('SIGTERM')).toBe(0);
    const openKey = join(audit.key_dir, 'audit', LOG, 'signing-key.pub.pem');
    const verified = await skep(`audit verify ${place} --key ${openKey} --json`);
    expect(JSON.parse(verified.out)).toMatchObject({ verdict: 'good', gaps: [], unsigned: 0 });
  },
);
