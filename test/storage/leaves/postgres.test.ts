/** Leaves in a real PostgreSQL with a synchronous standby: the port, answers that are lost, calls that arrive late, and what is on one copy alone. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LeavesLost } from '#storage/leaves/port.ts';
import type { LeafStore } from '#storage/leaves/port.ts';
import { PostgresLeaves } from '#storage/leaves/postgres.ts';
import { splitLeaves } from '#storage/leaves/rows.ts';
import type { Fate } from '#storage/log-engine/memory.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { FatefulProxy } from '#test/storage/log-engine/fateful-proxy.ts';
import { LOG, leaf, leafCases, leaves, ONE, readAll, TWO } from './store.cases.ts';

const CLEAN = 'drop schema public cascade; create schema public';

describe.runIf(hasPostgres)('postgres', () => {
  let pair: PostgresPair;
  const opened: LeafStore[] = [];
  const proxies: FatefulProxy[] = [];
  /** Calls that had no outcome. */
  let unknown = 0;
  /** Lies between two calls of which the first had none. */
  let held: Promise<void> = Promise.resolve();

  const options = (more: { url?: string; answerMs?: number } = {}) =>
    ({ url: pair.primary.url, replication: 'strict', answerMs: 20_000, ...more }) as const;

  const open = (life: string, more: { url?: string; answerMs?: number } = {}): LeafStore => {
    const store = new PostgresLeaves({
      ...options(more),
      life,
      now: () => performance.now(),
      answered: () => undefined,
      pause: async () => {
        unknown++;
        await held;
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
    });
    opened.push(store);
    return store;
  };

  const clear = async (): Promise<void> => {
    await pair.primary.sql(CLEAN);
    await createTables(options(), 1);
  };
  const serves = async (life: string): Promise<void> => {
    await pair.primary.sql(`update skep_serving set incarnation = '${life}'`);
  };
  const throughProxy = async (answerMs: number): Promise<{ store: LeafStore; proxy: FatefulProxy }> => {
    const proxy = new FatefulProxy(pair.primary.port);
    proxies.push(proxy);
    return { store: open(ONE, { url: `postgres://skep@127.0.0.1:${await proxy.open()}/postgres`, answerMs }), proxy };
  };

  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(() => pair.stop());

  describe('the port', () => leafCases({ open: (node) => open(node), serves, clear }));

  describe('what networks and servers do', () => {
    beforeEach(async () => {
      await clear();
      await serves(ONE);
      unknown = 0;
      held = Promise.resolve();
      return async () => {
        for (const proxy of proxies.splice(0)) proxy.close();
        for (const store of opened.splice(0)) await store.close();
      };
    });

    test.each<Fate>(['answer lost', 'request lost', 'request late'])('%s: leaves are there once', async (fate) => {
      const { store, proxy } = await throughProxy(500);
      await store.claim(LOG, 'key');
      await store.append(LOG, 0, leaves(0, 2));
      proxy.doom(fate);
      await store.append(LOG, 2, leaves(2, 4));
      expect(unknown).toBeGreaterThan(0);
      await proxy.deliver();
      await store.append(LOG, 4, [leaf(4)]);
      expect(await readAll(store, 0, 5)).toEqual(leaves(0, 5).map(String));
    });

    test('leaves of an earlier claim that arrive late are not added', async () => {
      const { store, proxy } = await throughProxy(500);
      await store.claim(LOG, 'key');
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      proxy.doom('request late');
      const lost = store.append(LOG, 0, [leaf(9)]);
      await expect.poll(() => unknown, { timeout: 20_000 }).toBe(1);
      const next = open(ONE);
      expect(await next.claim(LOG, 'key')).toMatchObject({ size: 0 });
      await proxy.deliver();
      await next.append(LOG, 0, [leaf(0)]);
      resolve();
      await expect(lost).rejects.toThrow(LeavesLost);
      expect(await readAll(next, 0, 1)).toEqual([leaf(0).toString()]);
    });

    test(
      'without a standby nothing is added, and what waited is there when one is back',
      { timeout: 60_000 },
      async () => {
        const store = open(ONE);
        await store.claim(LOG, 'key');
        await pair.primary.set('synchronous_standby_names', '');
        let isDone = false;
        const added = store.append(LOG, 0, [leaf(0)]).then(() => (isDone = true));
        await expect.poll(() => unknown, { timeout: 20_000 }).toBeGreaterThan(2);
        expect(isDone).toBe(false);
        await pair.primary.set('synchronous_standby_names', 'FIRST 1 (standby)');
        await added;
        expect(await readAll(store, 0, 1)).toEqual([leaf(0).toString()]);
      },
    );

    test('several logs are added together, and one that is lost harms no other', async () => {
      const [store, other] = [open(ONE), open(TWO)];
      const logs = ['node/platform', LOG, 'node/intake'];
      for (const log of logs) await store.claim(log, 'key');
      await serves(TWO);
      await other.claim(LOG, 'key');
      const all = logs.map((log) =>
        store.append(log, 0, [leaf(0)]).then(
          () => 'kept',
          (error: Error) => error.constructor,
        ),
      );
      expect(await Promise.all(all)).toEqual(['kept', LeavesLost, 'kept']);
    });

    test('a store that is closed ends what waits for a server that is away', async () => {
      const away = open(ONE, { url: 'postgres://skep@127.0.0.1:1/postgres', answerMs: 100 });
      const asked = away.sizes();
      await expect.poll(() => unknown, { timeout: 20_000 }).toBeGreaterThan(1);
      await away.close();
      await expect(asked).rejects.toThrow(LeavesLost);
    });
  });
});

test('a row that is cut, or has another count, is told', () => {
  expect(() => splitLeaves(Buffer.of(0, 2, 1), 1)).toThrow('1 leaves');
  expect(() => splitLeaves(Buffer.of(0, 1, 1), 2)).toThrow('2 leaves');
});
