/**
 * kill -9 with events of triggers pending: each acknowledged row is told of when the node is back, under one id, and its script has written its
 * row once. Pending events: SKEP_CRASH_TRIGGERS (1000).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import { writeTriggerShop } from '#test/kit/trigger-shop.ts';
import { startReceiver } from '#test/kit/webhook-receiver.ts';

const PENDING = rounds({ suite: 200, ci: 300 }, 'SKEP_CRASH_TRIGGERS');
const SCRIPTED_EVERY = 10;
const CALLERS = 16;

interface Told {
  readonly id: string;
  readonly data: { readonly id: string };
}

test(`${PENDING} pending events survive kill -9`, { timeout: 240_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-triggers-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const wish = {
    localdir: writeTriggerShop(dir, receiver.port),
    extra: `jobs: { threads: 1 }\noutbound: { allow_private: ["127.0.0.1:${receiver.port}"] }`,
  };
  const prepared = await startTestNode({ ...wish, dir });
  await prepared.stop();
  const file = writePlatformFile(dir, wish);

  receiver.answer = () => undefined; // it takes connections and says nothing
  const first = await startProcess(file);
  const gateway = first.listeners['gateway']!;
  const headers = async (base: string) => ({
    ...positionHeaders(TENANT),
    Authorization: `Bearer ${await exchange(base, prepared.serviceKey)}`,
  });
  const caller = await headers(gateway);
  const made = new Set<string>();
  const make = async (from: number): Promise<void> => {
    for (let i = from; i < PENDING; i += CALLERS) {
      const row = { number: `n${i}`, status: i % SCRIPTED_EVERY === 0 ? 'noted' : 'open' };
      const answer = await call(gateway, 'POST', '/data/rest/order', caller, row);
      expect(answer.status, answer.text).toBe(201);
      made.add((answer.json as { data: { id: string }[] }).data[0]!.id);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, from) => make(from)));
  expect(await first.end('SIGKILL')).toBe('SIGKILL');

  const before = receiver.received.map(({ body }) => JSON.parse(body) as Told);
  receiver.received.length = 0;
  receiver.answer = (_received, response) => void response.end();
  const second = await startProcess(file);
  onTestFinished(async () => void (await second.end('SIGTERM')));
  const after = (): Told[] => receiver.received.map(({ body }) => JSON.parse(body) as Told);
  const rows = (): number => new Set(after().map(({ data }) => data.id)).size;
  await expect.poll(rows, { timeout: 180_000, interval: 200 }).toBe(PENDING);
  const ids = new Map<string, Set<string>>();
  for (const { id, data } of [...before, ...after()]) ids.set(data.id, (ids.get(data.id) ?? new Set()).add(id));
  tally({ acknowledged: made.size });
  expect(before.length).toBeGreaterThan(0);
  expect([ids.size, [...made].every((row) => ids.get(row)?.size === 1)]).toEqual([PENDING, true]);

  const base = second.listeners['gateway']!;
  const asked = await headers(base);
  const notes = async (): Promise<string[]> => {
    const { json } = await call(base, 'GET', '/data/rest/note?limit=500', asked);
    return (json as { data: { order: string }[] }).data.map(({ order }) => order);
  };
  const scripted = Array.from({ length: Math.ceil(PENDING / SCRIPTED_EVERY) }, (_, i) => `n${i * SCRIPTED_EVERY}`);
  await expect
    .poll(async () => (await notes()).toSorted(), { timeout: 60_000, interval: 200 })
    .toEqual(scripted.toSorted());
});
