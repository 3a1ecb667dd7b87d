/** Cron triggers of a real node: missed times are made up once, actions and scripts run under their role, and the next time comes by itself. docs/contract/triggers.md §6 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { setClock, writeCronShop } from '#test/kit/cron-shop.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import type { Answer, Headers, TestNode } from '#test/kit/test-node.ts';

const ADMIN = '/data/admin/data/triggers';
const SOON = { timeout: 20_000, interval: 100 };
const HOUR = 3_600_000;
const dir = mkdtempSync(join(tmpdir(), 'skep-cron-'));
let before: TestNode;
let node: Node;
let firstDueMs: number;

beforeAll(async () => {
  before = await startTestNode({ dir, localdir: writeCronShop(dir), extra: 'jobs: { threads: 1 }' });
  node = before.node;
}, 60_000);
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

const gateway = (): string => node.listeners['gateway']!;
const service = async (): Promise<Headers> => ({
  ...positionHeaders(TENANT),
  Authorization: `Bearer ${await exchange(gateway(), before.serviceKey)}`,
});
async function userOf(name: string, roles: readonly string[], tenant = TENANT): Promise<Headers> {
  const login = `${name}@example.org`;
  const password = 'correct horse battery';
  await node.ask(tenant, 'identity', 'person.ensure', { email: login, password, roles });
  const here = positionHeaders(tenant);
  const { json } = await call(gateway(), 'POST', '/auth/login', here, { login, password });
  return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}
async function startAt(ms: number): Promise<void> {
  await node.stop();
  setClock(before.platform.storage.dir, ms);
  node = await startNode(before.platform);
}

interface Shown {
  readonly name: string;
  readonly next_at: string | null;
  readonly delivered: number;
  readonly waiting: number;
}
interface Event {
  readonly id: string;
  readonly trigger: string;
  readonly error: string | null;
  readonly due: string | null;
}
async function listed(): Promise<Record<string, Shown>> {
  const { status, json, text } = await call(gateway(), 'GET', ADMIN, await userOf('ann', ['tenant_admin']));
  expect(status, text).toBe(200);
  return Object.fromEntries((json as { triggers: Shown[] }).triggers.map((one) => [one.name, one]));
}
const rowsOf = ({ json }: Answer): Record<string, unknown>[] => (json as { data: Record<string, unknown>[] }).data;
const rows = async (entity: string) => rowsOf(await call(gateway(), 'GET', `/data/rest/${entity}`, await service()));

test('each trigger says when it is due next, by the clocks of its zone', async () => {
  await expect.poll(async () => Object.values(await listed()).every((one) => one.next_at !== null), SOON).toBe(true);
  const elsewhere = async () => (await node.ask(OTHER_TENANT, 'data', 'trigger.list', null)) as Shown[];
  await expect.poll(async () => (await elsewhere()).every((one) => one.next_at !== null), SOON).toBe(true);
  const { nightly, leap } = await listed();
  const berlin = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeStyle: 'short', hourCycle: 'h23' });
  firstDueMs = Date.parse(nightly!.next_at!);
  expect(berlin.format(firstDueMs)).toMatch(/^(00|05|10|15|20):00$/);
  expect(nightly).toMatchObject({ cron: '0 */5 * * *', timezone: 'Europe/Berlin', role: 'clerk', action: null });
  expect((await listed())['closing']).toMatchObject({ kind: 'script', action: 'close', entity: null, events: [] });
  expect(leap!.next_at!.slice(4)).toBe('-02-29T00:00:00.000Z');
});

test('times that the node missed are made up once, under the role alone, and an action is called as declared', async () => {
  for (const status of ['done', 'open'])
    expect((await call(gateway(), 'POST', '/data/rest/job', await service(), { number: status, status })).status).toBe(
      201,
    );
  await startAt(firstDueMs + 10 * HOUR + 60_000);
  await expect.poll(() => rows('note'), SOON).toMatchObject([{ trigger: 'nightly', as: 'cron.due' }]);
  expect(Date.parse((await rows('note'))[0]!['due'] as string)).toBe(firstDueMs);
  await expect
    .poll(async () => (await rows('job')).map(({ number, status }) => [number, status]), SOON)
    .toEqual([
      ['done', 'closed'],
      ['open', 'open'],
    ]);
  const { nightly } = await listed();
  expect(Date.parse(nightly!.next_at!)).toBeGreaterThan(firstDueMs + 10 * HOUR);
});

test('what its role may not do stays as an event that administrators alone see and drop', async () => {
  const admin = await userOf('ann', ['tenant_admin']);
  const denied = async (): Promise<Event[]> => {
    const { json } = await call(gateway(), 'GET', `${ADMIN}/events`, admin);
    return (json as { events: Event[] }).events.filter(({ trigger }) => trigger === 'denied');
  };
  await expect.poll(async () => (await denied())[0]?.error, SOON).toContain('create on secret is not allowed');
  const [{ id, due }] = (await denied()) as [Event];
  expect(Date.parse(due!)).toBe(firstDueMs);
  const clerk = await userOf('cleo', ['clerk']);
  for (const [method, path] of [
    ['GET', ADMIN],
    ['POST', `${ADMIN}/events/${id}/retry`],
    ['DELETE', `${ADMIN}/events/${id}`],
  ] as const)
    expect((await call(gateway(), method, path, clerk)).status).toBe(403);
  expect((await call(gateway(), 'DELETE', `${ADMIN}/events/${id}`, admin)).status).toBe(200);
});

test('the next time comes by itself; a tenant that no caller woke has run, too', async () => {
  const dueMs = Date.parse((await listed())['nightly']!.next_at!);
  await startAt(dueMs - 3000);
  const due = async () => (await rows('note')).map((row) => Date.parse(row['due'] as string));
  await expect.poll(due, SOON).toEqual([firstDueMs, dueMs]);
  const other = await userOf('otto', [], OTHER_TENANT);
  const [first] = rowsOf(await call(gateway(), 'GET', '/data/rest/note?orderby=at', other));
  expect(Date.parse(first!['due'] as string)).toBe(firstDueMs);
  expect(Date.parse(first!['at'] as string)).toBeLessThan(dueMs - 3000);
});
