/** The newest log lines of all threads over HTTP, without secrets. Spec: docs/contract/node.md §6. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeLogs } from '#actors/protocol/node-view.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { startNode } from '#runtime/node.ts';
import type { Node } from '#runtime/node.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const LOGIN = 'root@example.org';
const PASSWORD = 'hunter2 correct horse';
const TOKEN = 'hunter2-bootstrap-token';
const KILLED = 'a host is gone; the spare takes its place';

let dir: string;
let node: Node;
let root: Headers;
const ask = (method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  call(node.listeners['gateway']!, method, path, headers, body);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-logs-'));
  const file = writePlatformFile(dir, { hosts: 2, bootstrapToken: TOKEN });
  const log = `log: { level: debug, output: ${join(dir, 'node.log')} }`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^log: .*$/m, log));
  node = await startNode(platformOf(file));
  await node.provision(TENANT);
  const wish = { email: LOGIN, password: PASSWORD, roles: ['superadmin'] };
  await node.ask(CONTROL_PLANE, 'identity', 'person.ensure', wish);
  const here = positionHeaders(CONTROL_PLANE);
  const { json } = await ask('POST', '/auth/login', here, { login: LOGIN, password: PASSWORD });
  root = { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}, 60_000);
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true });
});

async function logs(query = ''): Promise<NodeLogs> {
  const { json, status, text } = await ask('GET', `/superadmin/node/logs${query}`, root);
  expect(status, text).toBe(200);
  return json;
}

test('lines of main and of other threads, in the order of their times', async () => {
  await node.drill.killHost(1);
  await expect.poll(async () => (await logs()).silent, { timeout: 20_000 }).toEqual([]);
  await ask('POST', '/auth/password/reset', positionHeaders(TENANT), { login: LOGIN });
  const has = async (message: string) => (await logs()).lines.find((line) => line.message === message);
  await expect
    .poll(() => has('the host is back'), { timeout: 20_000 })
    .toMatchObject({ thread: 'main', level: 'warn' });
  expect(await has(KILLED)).toMatchObject({ thread: 'main', level: 'error', service: 'node', fields: { host: 1 } });
  const ofHosts = async () => (await logs()).lines.filter(({ thread }) => thread.startsWith('host-'));
  await expect.poll(async () => (await ofHosts()).length).toBeGreaterThan(0);
  const { lines } = await logs('?limit=200');
  const times = lines.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
});

test('they are those of the log file, from a level and an instant on', async () => {
  const written = readFileSync(join(dir, 'node.log'), 'utf8');
  const { lines } = await logs('?limit=200');
  for (const { at, message } of lines) {
    expect(written).toContain(JSON.stringify(message).slice(1, -1));
    expect(written).toContain(at);
  }
  const errors = await logs('?level=error');
  expect(errors.lines.map(({ message }) => message)).toContain(KILLED);
  expect(errors.lines.every(({ level }) => level === 'error')).toBe(true);
  const killed = errors.lines.find(({ message }) => message === KILLED)!;
  const later = await logs(`?since=${new Date(Date.parse(killed.at) + 60_000).toISOString()}`);
  expect(later.lines).toEqual([]);
  expect((await logs(`?since=${killed.at}&limit=200`)).lines).toContainEqual(killed);
  expect((await logs('?limit=1')).lines).toEqual([lines.at(-1)]);
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
