/**
 * A standby whose threads end while they wait, or which is killed while it starts them: it has them again, or ends with its declared exit code when its turn comes, and is a standby again when it is
 * started again.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodePair, readiness } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';

const SHARDS = 4;
const LEASE_MS = 3000;
const START_MS = 30_000;
const BEHIND_MAX = 1_000_000;

describe.runIf(hasPostgres)('threads that wait', () => {
  let pair: NodePair;
  let ends: string;

  beforeAll(async () => {
    pair = await NodePair.start({ shards: SHARDS, leaseMs: LEASE_MS });
    ends = join(pair.root, 'ends');
    mkdirSync(ends);
  }, 180_000);
  afterAll(() => pair.stop());

  const preload = new URL('../kit/end-thread.mjs', import.meta.url).href;
  const env = () => ({ NODE_OPTIONS: `--import=${preload}`, SKEP_TEST_END_THREADS: ends });
  const file = (name: string): string => join(ends, name);

  async function isServed(gateway: string): Promise<boolean> {
    const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(gateway, pair.key)}` };
    return (await call(gateway, 'GET', '/data/rest/item?limit=1', headers)).status === 200;
  }

  test('one that ends is started again, and the standby takes over with it', { timeout: 4 * START_MS }, async () => {
    const [one, two] = pair.machines;
    const first = await pair.serve(one);
    const waits = await pair.standby(two, env());
    await pair.ready(two);
    for (const kind of ['tenant-host', 'intake-writer', 'rate-keeper']) {
      writeFileSync(file(`${kind}.worker`), '');
      await expect.poll(() => readiness(two), { timeout: START_MS, interval: 2 }).not.toContain('threads ready');
      await pair.ready(two);
    }
    await pair.followed(two, BEHIND_MAX);
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    const second = await waits.serves;
    for (const place of ['host-0', 'intake-writer', 'rate-keeper'])
      expect(second.logged()).toContain(`the waiting ${place} is gone; another is started`);
    expect(second.logged()).toContain('"before":"n1","why":"it was silent for its lease"');
    expect(await isServed(two.gateway)).toBe(true);
    expect(await second.end('SIGTERM')).toBe(0);
  });

  test('killed while it starts its threads it is a standby again', { timeout: 4 * START_MS }, async () => {
    const [one, two] = pair.machines;
    const first = await pair.serve(one);
    const killed = await pair.standby(two, env());
    // None of them can get ready, so it is in the middle of it, however fast the machine is.
    writeFileSync(file('tenant-host.worker.always'), '');
    await expect.poll(() => readiness(two)).not.toContain('threads ready');
    process.kill(killed.pid, 'SIGKILL');
    await expect(killed.serves).rejects.toThrow('SIGKILL');
    rmSync(file('tenant-host.worker.always'));
    const again = await pair.standby(two, env());
    await pair.ready(two);
    expect(await isServed(one.gateway)).toBe(true);
    process.kill(again.pid, 'SIGKILL');
    await expect(again.serves).rejects.toThrow('SIGKILL');
    expect(await first.end('SIGTERM')).toBe(0);
  });

  test(
    'a host that cannot be opened ends the node with 70: the other one has the place behind a lease, and started again it waits',
    { timeout: 4 * START_MS },
    async () => {
      const [one, two] = pair.machines;
      const first = await pair.serve(one);
      const waits = await pair.standby(two, env());
      await pair.ready(two);
      await pair.followed(two, BEHIND_MAX);
      writeFileSync(file('tenant-host.worker.always'), '');
      writeFileSync(file('tenant-host.worker'), '');
      await expect.poll(() => readiness(two), { interval: 2 }).not.toContain('threads ready');
      expect(await first.end('SIGTERM')).toBe(0);
      await expect(waits.serves).rejects.toThrow(/ended 70: .*host 0 could not be opened again/s);
      rmSync(file('tenant-host.worker.always'));
      const again = await pair.serve(one);
      expect(await isServed(one.gateway)).toBe(true);
      await pair.standby(two, env());
      await pair.ready(two);
      expect(await again.end('SIGTERM')).toBe(0);
    },
  );
});
