/**
 * A vault in a PostgreSQL under load while its server is replaced and its connections are cut: two keepers write, each commit with an expectation; everything that was acknowledged is there in the end, and no two commits were
 * made on one expectation. Rounds: test/kit/rounds.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BackendDown, type VaultStore } from '#storage/vault/port.ts';
import { openPostgresVault } from '#storage/vault/postgres.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { FatefulProxy } from '#test/storage/log-engine/fateful-proxy.ts';

const CUTS = rounds({ suite: 12, ci: 60 });
const WRITERS = 6;

describe.runIf(hasPostgres)('a vault whose database fails', () => {
  const stores: VaultStore[] = [];
  const proxies: FatefulProxy[] = [];
  /** Paths whose making was acknowledged; numbers of counts that were: each is `<count> <writer>`. */
  const made = new Set<string>();
  const counts = new Map<string, string>();
  const twice: string[] = [];
  let pair: PostgresPair;
  let unknown = 0;
  const work = { isOver: false };

  beforeAll(async () => {
    pair = await PostgresPair.start();
    for (let n = 0; n < 2; n++) {
      const proxy = new FatefulProxy(pair.primary.port);
      const url = `postgres://skep@127.0.0.1:${await proxy.open()}/postgres`;
      proxies.push(proxy);
      stores.push(openPostgresVault({ url, replication: 'strict', answerMs: 2000, prefix: '/v/' }));
    }
    await stores[0]!.commit([{ path: 'count', value: Buffer.from('0') }]);
  }, 120_000);
  afterAll(async () => {
    for (const store of stores) await store.close();
    for (const proxy of proxies) proxy.close();
    await pair.stop();
  });

  async function writes(no: number): Promise<void> {
    const store = stores[no % 2]!;
    for (let n = 0; !work.isOver; n++) await acknowledged(() => step(store, `w${no}n${n}`));
  }

  /** A path of its own, and the next count in the same commit. */
  async function step(store: VaultStore, path: string): Promise<void> {
    const found = (await store.get('count'))!;
    const next = String(Number(found.value.toString()) + 1);
    const { ok } = await store.commit([
      { path, value: Buffer.from(next), expect: 0 },
      { path: 'count', value: Buffer.from(next), expect: found.version },
    ]);
    if (!ok) return;
    if (counts.has(next)) twice.push(`${next}: ${counts.get(next)} and ${path}`);
    counts.set(next, path);
    made.add(path);
  }

  async function acknowledged(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!(error instanceof BackendDown)) throw error;
      unknown++;
    }
  }

  test('what was acknowledged is there behind cuts and a takeover', { timeout: 240_000 }, async () => {
    const writers = Array.from({ length: WRITERS }, (_, no) => writes(no));
    for (let cut = 0; cut < CUTS; cut++) {
      const enough = made.size + 5;
      await expect.poll(() => made.size, { timeout: 30_000 }).toBeGreaterThan(enough);
      proxies[cut % 2]!.turnTo(pair.primary.port);
    }
    // The standby takes over in the middle of commits: no other one stands behind it, so it acknowledges alone from then on.
    await pair.primary.kill();
    pair.standby.promote();
    await pair.standby.set('synchronous_standby_names', 'standby');
    const before = made.size;
    for (const proxy of proxies) proxy.turnTo(pair.standby.port);
    work.isOver = true;
    await Promise.all(writers);
    expect(made.size).toBe(before);
    const there = openPostgresVault({ url: pair.standby.url, replication: 'managed', answerMs: 20_000, prefix: '/v/' });
    stores.push(there);
    await pair.standby.set('synchronous_standby_names', '');
    const listed = new Map((await there.list('w', null, 100_000)).map(({ path, value }) => [path, value.toString()]));
    expect([...made].filter((path) => !listed.has(path))).toEqual([]);
    expect(twice).toEqual([]);
    // Counts are as many as paths: each commit was made whole, and each on an expectation of its own.
    const inOrder = [...listed.values()].map(Number).sort((a, b) => a - b);
    expect(inOrder).toEqual(inOrder.map((_, at) => at + 1));
    expect((await there.get('count'))!.value.toString()).toBe(String(inOrder.length));
    console.log(`${made.size} commits acknowledged and found, ${unknown} calls without an outcome`);
    tally({ acknowledged: made.size });
  });
});
