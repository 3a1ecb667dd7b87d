/** The newest log lines of all threads over HTTP, without secrets. Spec: docs/contract/node.md §6. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeLogs } from '#actors/protocol/node-view.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { callControl } from '#runtime/control.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';

const LOGIN = 'root@example.org';
const PASSWORD = 'hunter2 correct horse';
const TOKEN = 'hunter2-bootstrap-token';
/** A line of main, and one of a host: the latter is a warning. */
const OF_MAIN = 'serving';
const OF_HOST = 'no mail leaves this node: identity.mail is not configured';

let dir: string;
let node: ProcessNode;
let root: Headers;
const ask = (method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  call(node.listeners['gateway']!, method, path, headers, body);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-logs-'));
  node = await startProcess(writePlatformFile(dir, { hosts: 2, bootstrapToken: TOKEN }));
  const data = join(dir, 'data');
  await callControl(data, 'tenant.provision', { tenant: TENANT });
  const wish = { tenant: CONTROL_PLANE, email: LOGIN, password: PASSWORD, roles: ['superadmin'] };
  await callControl(data, 'user.add', wish);
  const here = positionHeaders(CONTROL_PLANE);
  const { json, text, status } = await ask('POST', '/auth/login', here, { login: LOGIN, password: PASSWORD });
  expect(status, text).toBe(200);
  root = { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}, 120_000);
afterAll(async () => {
  await node.end('SIGTERM');
  rmSync(dir, { recursive: true });
}, 60_000);

async function logs(query = ''): Promise<NodeLogs> {
  const { json, status, text } = await ask('GET', `/superadmin/node/logs${query}`, root);
  expect(status, text).toBe(200);
  return json;
}

test('lines of main and of other threads, in the order of their times', async () => {
  await ask('POST', '/auth/password/reset', positionHeaders(TENANT), { login: LOGIN });
  const has = async (message: string) => (await logs()).lines.find((line) => line.message === message);
  await expect.poll(() => has(OF_HOST)).toMatchObject({ level: 'warn', service: 'identity' });
  expect((await has(OF_HOST))!.thread).toMatch(/^host-[01]$/);
  expect(await has(OF_MAIN)).toMatchObject({ level: 'info', thread: 'main', fields: { tenants: expect.any(Number) } });
  const { lines, silent } = await logs('?limit=200');
  expect(silent).toEqual([]);
  const times = lines.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
});

test('they are those of the node’s log, from a level and an instant on', async () => {
  const { lines } = await logs('?limit=200');
  const written = node.logged();
  for (const { at, message } of lines) {
    expect(written).toContain(JSON.stringify(message).slice(1, -1));
    expect(written).toContain(at);
  }
  const warnings = await logs('?level=warn');
  expect(warnings.lines.map(({ message }) => message)).toContain(OF_HOST);
  expect(warnings.lines.every(({ level }) => level === 'warn' || level === 'error')).toBe(true);
  const known = warnings.lines.at(-1)!;
  const later = await logs(`?since=${new Date(Date.parse(known.at) + 3_600_000).toISOString()}`);
  expect(later.lines).toEqual([]);
  expect((await logs(`?since=${known.at}&limit=200`)).lines).toContainEqual(known);
  const newest = (await logs('?limit=1')).lines;
  expect(newest).toHaveLength(1);
  // A busy machine may have made the node say something since.
  expect((await logs('?limit=200')).lines).toContainEqual(newest[0]);
  expect(Date.parse(newest[0]!.at)).toBeGreaterThanOrEqual(Date.parse(lines.at(-1)!.at));
});

test('no line has a secret: of callers, of the configuration, of the node', async () => {
  const here = positionHeaders(TENANT);
  for (const [path, headers, body] of [
    ['/auth/login?hunter2=1', here, { login: 'hunter2@example.org', password: 'hunter2' }],
    ['/auth/bootstrap', {}, { token: TOKEN, login: 'x@example.org', password: 'hunter2 hunter2' }],
    ['/auth/token', { ...here, Authorization: 'ApiKey 01hunter2.hunter2' }, undefined],
    ['/data/rest/hunter2', { ...here, Authorization: 'Bearer v4.public.hunter2hunter2' }, { name: 'hunter2' }],
    ['/f/contact', {}, { email: 'hunter2@example.org' }],
  ] as const)
    await ask('POST', path, headers, body);
  const { lines } = await logs('?limit=200');
  expect(lines.length).toBeGreaterThan(0);
  const text = JSON.stringify(lines);
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain(root['Authorization']!.slice(7));
});

test.each(['level=fatal', 'since=yesterday', 'limit=201', 'thread=main'])('?%s is refused', async (query) => {
  const { status, json } = await ask('GET', `/superadmin/node/logs?${query}`, root);
  expect([status, (json as { code: string }).code]).toEqual([400, 'bad_request']);
});
