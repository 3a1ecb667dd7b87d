/**
 * kill -9 with webhook deliveries pending: each acknowledged change is told of when the node is back, under one id. Pending
 * deliveries: SKEP_CRASH_WEBHOOKS (1000).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import { startReceiver } from '#test/kit/webhook-receiver.ts';
import { rounds } from '#test/kit/rounds.ts';

const PENDING = rounds({ suite: 300, ci: 400 }, 'SKEP_CRASH_WEBHOOKS');
const CALLERS = 16;

test(`${PENDING} pending deliveries survive kill -9`, { timeout: 240_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-hooks-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const hook = `webhooks:\n  - { name: site, url: "http://127.0.0.1:${receiver.port}/", secret: "\${SKEP_TEST_WEBHOOK}" }\n`;
  const wish = {
    localdir: magazineWith(dir, hook),
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
  const made = new Set<string>();
  const make = async (caller: number): Promise<void> => {
    for (let i = caller; i < PENDING; i += CALLERS) {
      const answer = await call(gateway, 'POST', '/content/blog/post', headers, { title: `t${i}` });
      expect(answer.status).toBe(201);
      made.add((answer.json as { document_id: string }).document_id);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => make(caller)));
  expect(await first.end('SIGKILL')).toBe('SIGKILL');

  receiver.received.length = 0;
  receiver.answer = (_received, response) => void response.end();
  const second = await startProcess(file);
  onTestFinished(async () => void (await second.end('SIGTERM')));
  const told = (): Map<string, Set<unknown>> => {
    const ids = new Map<string, Set<unknown>>();
    for (const { body, headers: got } of receiver.received)
      for (const id of (JSON.parse(body) as { data: { documents: string[] } }).data.documents)
        ids.set(id, (ids.get(id) ?? new Set()).add(got['webhook-id']));
    return ids;
  };
  await expect
    .poll(() => receiver.received.length, { timeout: 180_000, interval: 200 })
    .toBeGreaterThanOrEqual(PENDING);
  tally({ acknowledged: made.size });
  const ids = told();
  expect([ids.size, [...made].every((id) => ids.get(id)?.size === 1)]).toEqual([PENDING, true]);
});
