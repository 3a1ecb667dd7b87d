/**
 * kill -9 with webhook deliveries pending, and what becomes of each when the node is back: those whose receiver takes
 * them within its attempts arrive, none is tried again after a 4xx that forbids it, the rest stand in the delivery log as failed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import { startReceiver, type Received } from '#test/kit/webhook-receiver.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const PENDING = Number(process.env['SKEP_CRASH_WEBHOOKS'] ?? 60);
const CALLERS = 8;
const { webhookAttempts: ATTEMPTS } = limits.content;

/** How each receiver behaves: by the number of the try, from 1. */
const RECEIVERS: Readonly<Record<string, (tried: number) => number>> = {
  prompt: () => 200,
  third: (tried) => (tried < ATTEMPTS ? 503 : 204),
  busy: (tried) => [408, 429, 200][tried - 1] ?? 200,
  gone: () => 410,
  down: () => 500,
};

const idOf = ({ headers }: Received): string => headers['webhook-id'] as string;

test('deliveries that were pending at kill -9 end as their receivers say', { timeout: 300_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-hook-ends-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const hooks = Object.keys(RECEIVERS).map(
    (name) =>
      `  - { name: ${name}, url: "http://127.0.0.1:${receiver.port}/${name}", secret: "\${SKEP_TEST_WEBHOOK}", timeout: 60s }\n`,
  );
  const wish = {
    localdir: magazineWith(dir, `webhooks:\n${hooks.join('')}`),
    extra: `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }`,
  };
  const prepared = await startMagazine({ ...wish, dir });
  await prepared.stop();
  const file = writePlatformFile(dir, wish);

  receiver.answer = () => undefined; // it takes connections and says nothing
  const first = await startProcess(file);
  const gateway = first.listeners['gateway']!;
  const headers = {
    ...positionHeaders(TENANT),
    Authorization: `Bearer ${await exchange(gateway, prepared.serviceKey)}`,
  };
  const make = async (caller: number): Promise<void> => {
    for (let i = caller; i < PENDING; i += CALLERS)
      expect((await call(gateway, 'POST', '/content/blog/post', headers, { title: `t${i}` })).status).toBe(201);
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => make(caller)));
  expect(await first.end('SIGKILL')).toBe('SIGKILL');

  receiver.received.length = 0;
  const tries = new Map<string, number>();
  receiver.answer = (received: Received, response: ServerResponse) => {
    const tried = (tries.get(idOf(received)) ?? 0) + 1;
    tries.set(idOf(received), tried);
    response.writeHead(RECEIVERS[received.path.slice(1)]!(tried)).end();
  };
  const second = await startProcess(file);
  onTestFinished(async () => void (await second.end('SIGTERM')));
  interface Listed {
    readonly id: string;
    readonly hook: string;
    readonly outcome: string;
    readonly attempts: number;
    readonly status: number;
  }
  const listed = async (outcome: string): Promise<Listed[]> => {
    const { out } = await skep(`content webhook list -f ${file} --tenant ${TENANT} --outcome ${outcome} -o json`, {
      ...(process.env as Record<string, string>),
    });
    return JSON.parse(out) as Listed[];
  };
  await expect.poll(async () => (await listed('waiting')).length, { timeout: 240_000, interval: 500 }).toBe(0);

  // Each of its receiver's tries, and no more of them.
  const wanted: Readonly<Record<string, number>> = { prompt: 1, third: ATTEMPTS, busy: 3, gone: 1, down: ATTEMPTS };
  for (const [hook, count] of Object.entries(wanted)) {
    const ids = new Set(receiver.received.filter(({ path }) => path === `/${hook}`).map(idOf));
    expect([hook, ids.size, [...ids].filter((id) => tries.get(id) !== count)]).toEqual([hook, PENDING, []]);
  }
  // The log shows so many at most; what it shows of an outcome is of its receiver alone.
  const ends = { delivered: ['prompt', 'third', 'busy'], refused: ['gone'], failed: ['down'] };
  for (const [outcome, of] of Object.entries(ends)) {
    const found = await listed(outcome);
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map(({ hook }) => hook))).toEqual(new Set(of));
  }
  for (const { attempts, status } of await listed('failed')) expect([attempts, status]).toEqual([ATTEMPTS, 500]);
  for (const { attempts, status } of await listed('refused')) expect([attempts, status]).toEqual([1, 410]);
  if (PENDING <= limits.content.pageRowsMax) expect(await listed('failed')).toHaveLength(PENDING);
});
