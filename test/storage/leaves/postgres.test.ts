/** Leaves in a real PostgreSQL with a synchronous standby: the port, answers that are lost, calls that arrive late, and what is on one copy alone. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LeavesLost, type LeafStore } from '#storage/leaves/port.ts';
import { PostgresLeaves } from '#storage/leaves/postgres.ts';
import { splitLeaves } from '#storage/leaves/rows.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import type { Fate } from '#test/storage/log-engine/memory.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { FatefulProxy } from '#test/storage/log-engine/fateful-proxy.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
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

  const open = (
    life: string,
    { seal = null, ...more }: { url?: string; answerMs?: number; seal?: LogSeal | null } = {},
  ): LeafStore => {
    const store = new PostgresLeaves({
      ...options(more),
      life,
      seal: () => Promise.resolve(seal),
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

  describe.each([
    ['the port', null],
    ['the port, sealed', sealOf(vaultOf(1))],
  ])('%s', (_name, seal) => leafCases({ open: (node) => open(node, { seal }), serves, clear }));

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

    test('a log that was plain is sealed from the next claim on, and read by its keys alone', async () => {
      const said = (what: string): Buffer => Buffer.from(`{"said":"${what}"}`);
      const plain = open(ONE);
      await plain.claim(LOG, 'key');
      await plain.append(LOG, 0, [said('readable')]);
      await plain.publish(LOG, { size: 1, root: 'readableroot', note: 'readablenote' });
      await plain.save(LOG, [['blob/readablepath', said('readablefile')]]);
      // As a log of before has them.
      await pair.primary.sql('alter table skep_audit_log drop seal_mark; alter table skep_audit_file drop name');
      const first = open(ONE, { seal: sealOf(vaultOf(1)) });
      expect(await first.claim(LOG, 'key')).toMatchObject({ size: 1, head: { root: 'readableroot' } });
      await first.append(LOG, 1, [said('planted'), Buffer.alloc(600, 2)]);
      const head = { size: 3, root: 'plantedroot', note: 'plantednote' };
      await first.publish(LOG, head);
      await first.save(LOG, [['blob/plantedpath', said('plantedfile')]]);
      const second = open(ONE, { seal: sealOf(vaultOf(1, 2)) });
      expect(await second.claim(LOG, 'key')).toEqual({ size: 3, head, key: 'key' });
      await second.append(LOG, 3, [said('planted')]);
      await second.save(LOG, [['blob/plantedtoo', said('planted')]]);
      const all = ['readable', 'planted'].map((what) => said(what).toString());
      expect(await readAll(second, 0, 4)).toEqual([...all, Buffer.alloc(600, 2).toString(), all[1]]);
      expect(await second.paths(LOG)).toEqual(['blob/plantedpath', 'blob/plantedtoo', 'blob/readablepath']);
      expect(await second.file(LOG, 'blob/plantedpath')).toEqual(said('plantedfile'));
      expect(await second.file(LOG, 'blob/readablepath')).toEqual(said('readablefile'));
      for (const server of [pair.primary, pair.standby]) {
        for (const part of ['', 'root', 'note', 'path', 'file'])
          expect(await server.holds(`readable${part}`)).toBe(true);
        expect(await server.holds('planted')).toBe(false);
      }
      await expect(open(ONE).claim(LOG, 'key')).rejects.toThrow('storage.journal.seal');
      await pair.primary.sql(`update skep_audit_leaves set bytes = '\\x000161' where first = 3`);
      await expect(second.read(LOG, 3, 4)).rejects.toThrow(LeavesLost);
    });

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
