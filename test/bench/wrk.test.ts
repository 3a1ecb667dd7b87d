/** The load side end to end: the real wrk, for the one second that it needs at least. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startCeiling } from '#bench/kit/ceiling.ts';
import { runWrk, wrkArguments } from '#bench/kit/wrk.ts';
import { unexpected } from '#bench/kit/wrk-output.ts';

const hasWrk = (): boolean => {
  try {
    return execFileSync('which', ['wrk']).length > 0;
  } catch {
    return false;
  }
};

test('the hello answers as many bytes as it is asked for', async () => {
  const ceiling = await startCeiling();
  try {
    await ceiling.setBytes(321);
    const answer = await fetch(ceiling.url);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('x'.repeat(321));
  } finally {
    await ceiling.stop();
  }
});

test('never more threads than connections', () => {
  const load = { url: '', request: { method: 'GET', headers: {}, body: null }, threads: 4, seconds: 1.5 };
  expect(wrkArguments({ ...load, connections: 1 }).slice(0, 6)).toEqual(['-t', '1', '-c', '1', '-d', '2s']);
  expect(wrkArguments({ ...load, connections: 64 }).slice(0, 2)).toEqual(['-t', '4']);
});

test.skipIf(!hasWrk())('each request is another, headers arrive, refusals are counted', async () => {
  const bodies: string[] = [];
  const tenants = new Set<unknown>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      bodies.push(body);
      tenants.add(request.headers['x-tenant']);
      response.writeHead(409).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const body = ['{"name":"é ', { kind: 'unique' }, '","n":', { kind: 'random', below: 100 }, '}'] as const;
    const request = { method: 'POST', headers: { 'X-Tenant': 'main' }, body };
    const result = await runWrk({ url, request, connections: 4, threads: 2, seconds: 1 });
    expect(result.requests).toBeGreaterThan(0);
    expect(result.p50Ms).toBeLessThanOrEqual(result.p99Ms);
    expect(unexpected(result, 409)).toBe(0);
    expect(unexpected(result, 201)).toBe(result.requests);
  } finally {
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
  }
  const rows = bodies.map((text) => JSON.parse(text) as { name: string; n: number });
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  expect(rows.every(({ name, n }) => name.startsWith('é ') && n >= 0 && n < 100)).toBe(true);
  expect(tenants).toEqual(new Set(['main']));
});

test.skipIf(!hasWrk()).each([
  ['fixed', ['{}']],
  ['changing', ['"', { kind: 'unique' }, '"']],
] as const)('many callers take turns in one load, each with its own headers; a %s body', async (_, body) => {
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    const who = `${String(request.headers['x-tenant'])} ${String(request.headers['x-env'])}`;
    seen.set(who, (seen.get(who) ?? 0) + 1);
    request.resume().once('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const turns = ['a', 'b', 'c'].map((name) => ({ 'X-Tenant': name }));
    const request = { method: 'POST', headers: { 'X-Env': 'dev' }, body, turns };
    const result = await runWrk({ url, request, connections: 1, threads: 1, seconds: 1 });
    expect(unexpected(result, 200)).toBe(0);
  } finally {
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
  }
  expect([...seen.keys()].toSorted()).toEqual(['a dev', 'b dev', 'c dev']);
  expect(Math.max(...seen.values()) - Math.min(...seen.values())).toBeLessThanOrEqual(1);
});

test('a server that is not there is a failure', async () => {
  const load = { url: 'http://127.0.0.1:1/', request: { method: 'GET', headers: {}, body: null } };
  await expect(runWrk({ ...load, connections: 1, threads: 1, seconds: 1 })).rejects.toThrow('wrk');
});
