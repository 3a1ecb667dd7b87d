/** The vault's store in a real PostgreSQL with a synchronous standby: the port, and what is not on both copies. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fate } from '#test/storage/log-engine/memory.ts';
import { BackendDown, type VaultStore } from '#storage/vault/port.ts';
import { openPostgresVault } from '#storage/vault/postgres.ts';
import { hasPostgres, PostgresPair, type PostgresServer } from '#test/kit/postgres-server.ts';
import { FatefulProxy } from '#test/storage/log-engine/fateful-proxy.ts';
import { storeCases } from './store.cases.ts';

const CLEAN = 'drop schema public cascade; create schema public';
const WAITING = `from pg_stat_activity where wait_event = 'SyncRep'`;
const NAMES = 'FIRST 1 (standby)';

const text = (value: string): Buffer => Buffer.from(value);

describe.runIf(hasPostgres)('postgres', () => {
  let pair: PostgresPair;
  const opened: VaultStore[] = [];
  const proxies: FatefulProxy[] = [];

  const open = (more: { url?: string; prefix?: string; answerMs?: number } = {}): VaultStore => {
    const given = { url: pair.primary.url, replication: 'strict', answerMs: 20_000, prefix: '/skep/vault/' } as const;
    const store = openPostgresVault({ ...given, ...more });
    opened.push(store);
    return store;
  };

  /** A store behind a proxy, and the proxy. */
  const doomed = async (answerMs = 20_000): Promise<{ store: VaultStore; proxy: FatefulProxy }> => {
    const proxy = new FatefulProxy(pair.primary.port);
    proxies.push(proxy);
    return { store: open({ url: `postgres://skep@127.0.0.1:${await proxy.open()}/postgres`, answerMs }), proxy };
  };

  const read = async (store: VaultStore, path: string) => (await store.get(path))?.value.toString();

  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(() => pair.stop());

  describe('the port', () => {
    storeCases({ open: async () => open(), clear: () => pair.primary.sql(CLEAN).then(() => undefined) });
  });

  describe('several keepers, and a server that fails', () => {
    beforeEach(async () => {
      await pair.primary.sql(CLEAN);
      return async () => {
        for (const proxy of proxies.splice(0)) proxy.close();
        for (const store of opened.splice(0)) await store.close();
      };
    });

    test('another prefix is another vault, and tables are made once by keepers that come together', async () => {
      const [one, two, three] = [open({ prefix: '/one/' }), open({ prefix: '/two/' }), open({ prefix: '/one/' })];
      await Promise.all([one, two, three].map((store, at) => store.commit([{ path: `a${at}`, value: text('1') }])));
      expect((await one.list('', null, 10)).map(({ path }) => path)).toEqual(['a0', 'a2']);
      expect((await two.list('', null, 10)).map(({ path }) => path)).toEqual(['a1']);
      expect(await two.get('a0')).toBeUndefined();
    });

    test('a change that met another keeper’s is refused, and a revision is given to one commit alone', async () => {
      const [one, two] = [open(), open()];
      await one.commit([{ path: 'shared', value: text('1') }]);
      const { version } = (await two.get('shared'))!;
      await one.commit([{ path: 'shared', value: text('2'), expect: version }]);
      const late = await two.commit([{ path: 'shared', value: text('3'), expect: version }]);
      expect(late).toEqual({ ok: false, conflict: 'shared' });
      const commits = Array.from({ length: 60 }, (_, n) =>
        [one, two][n % 2]!.commit([{ path: `p${n}`, value: text('x') }]),
      );
      const revisions = (await Promise.all(commits)).map((made) => (made as { readonly revision: number }).revision);
      expect(new Set(revisions).size).toBe(60);
    });

    test('of two keepers that race for one path never both win, whatever becomes of their answers', async () => {
      const fates: readonly Fate[] = ['well', 'answer lost', 'request lost', 'request late'];
      const keepers = [await doomed(), await doomed()];
      await keepers[0]!.store.commit([{ path: 'count', value: text('0') }]);
      let added = 0;
      for (let round = 0; round < 12; round++) {
        const { version, value } = (await keepers[round % 2]!.store.get('count'))!;
        const next = text(String(Number(value) + 1));
        const made = keepers.map(({ store, proxy }, at) => {
          proxy.doom(fates[(round * (at + 1) + at) % fates.length]!);
          return store.commit([{ path: 'count', value: next, expect: version }]);
        });
        const outcomes = await Promise.all(made);
        expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
        added++;
        for (const { proxy } of keepers) await proxy.deliver();
        expect(await read(keepers[1]!.store, 'count')).toBe(String(added));
      }
    });

    test.each<Fate>(['answer lost', 'request lost', 'request late'])(
      'a commit with its %s is made once, and known as made',
      async (fate) => {
        const { store, proxy } = await doomed();
        const first = await store.commit([{ path: 'a', value: text('1'), expect: 0 }]);
        const { revision } = first as { readonly revision: number };
        proxy.doom(fate);
        const again = await store.commit([{ path: 'a', value: text('2'), expect: revision }]);
        expect(again).toEqual({ ok: true, revision: revision + 1 });
        await proxy.deliver();
        expect(await store.commit([{ path: 'a', value: undefined, expect: revision + 1 }])).toMatchObject({ ok: true });
        expect(await store.get('a')).toBeUndefined();
      },
    );

    test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
      'a wait for the standby that %s ends is no commit, and no read gives it before it is on both',
      async (end) => {
        const [one, two] = [open({ answerMs: 60_000 }), open({ answerMs: 60_000 })];
        await one.commit([{ path: 'a', value: text('old') }]);
        await two.get('a');
        cutOff(pair.standby);
        let isMade = false;
        let seen: string | undefined;
        const made = one.commit([{ path: 'a', value: text('new') }]).then((committed) => {
          isMade = true;
          return committed;
        });
        await waits(pair.primary, 1);
        await pair.primary.sql(`select ${end}(pid) ${WAITING}`);
        // It is looked up again, and that waits for the standby, too; so does a read of it.
        await waits(pair.primary, 1);
        const reading = read(two, 'a').then((value) => (seen = value));
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect([isMade, seen]).toEqual([false, undefined]);
        goOn(pair.standby);
        expect(await made).toMatchObject({ ok: true });
        expect(await reading).toBe('new');
        expect(await two.healthy()).toMatchObject(await one.healthy());
      },
    );

    test('a server whose standby is taken away commits nothing, reads nothing, and says why', async () => {
      const store = open({ answerMs: 500 });
      await store.commit([{ path: 'a', value: text('old') }]);
      await pair.primary.set('synchronous_standby_names', '');
      try {
        await expect(store.commit([{ path: 'a', value: text('new') }])).rejects.toThrow(BackendDown);
        await expect(store.get('a')).rejects.toThrow(/no synchronous standby/);
        expect(await store.healthy()).toMatchObject({
          ok: false,
          why: expect.stringMatching(/no synchronous standby/),
        });
      } finally {
        await pair.primary.set('synchronous_standby_names', NAMES);
      }
      await expect.poll(() => read(store, 'a').catch(() => undefined)).toBe('old');
    });

    test('a silent server is down, and serves again where it left off', async () => {
      const store = open({ answerMs: 400 });
      await store.commit([{ path: 'a', value: text('old') }]);
      for (const pid of pair.primary.family()) process.kill(pid, 'SIGSTOP');
      try {
        await expect(store.commit([{ path: 'a', value: text('new'), expect: 1 }])).rejects.toThrow(BackendDown);
        await expect(store.get('a')).rejects.toThrow(BackendDown);
        expect(await store.healthy()).toMatchObject({ ok: false });
      } finally {
        for (const pid of pair.primary.family()) process.kill(pid, 'SIGCONT');
      }
      // The commit that was given up was made or not, and a read says which.
      await expect.poll(() => store.healthy()).toMatchObject({ ok: true });
      expect(['old', 'new']).toContain(await read(store, 'a'));
    });

    test('a store that was emptied is refused by keepers that knew it', async () => {
      const store = open();
      await store.commit([{ path: 'a', value: text('1') }]);
      await pair.primary.sql('delete from skep_vault_head');
      await expect(store.get('a')).rejects.toThrow(/put the database back/);
      expect(await store.healthy()).toMatchObject({ ok: false });
    });
  });
});

describe.runIf(hasPostgres)('a standby that takes the server’s place', () => {
  test(
    'has all that was committed; what one copy alone had is gone, and is committed anew',
    { timeout: 120_000 },
    async () => {
      const pair = await PostgresPair.start();
      const proxy = new FatefulProxy(pair.primary.port);
      const url = `postgres://skep@127.0.0.1:${await proxy.open()}/postgres`;
      const store = openPostgresVault({ url, replication: 'managed', answerMs: 20_000, prefix: '/v/' });
      const strict = openPostgresVault({ url, replication: 'strict', answerMs: 1000, prefix: '/v/' });
      try {
        await store.commit([{ path: 'kept', value: text('1') }]);
        await pair.standby.kill();
        // The standby does not have it: a caller that waits for two copies is told that the outcome is unknown.
        await expect(
          strict.commit([{ path: 'one copy', value: text('2') }].map((one) => ({ ...one, path: 'one' }))),
        ).rejects.toThrow(BackendDown);
        await pair.primary.kill();
        await pair.standby.start();
        pair.standby.promote();
        proxy.turnTo(pair.standby.port);
        await expect
          .poll(
            () =>
              store.get('kept').then(
                (found) => found?.value.toString(),
                () => null,
              ),
            { timeout: 20_000 },
          )
          .toBe('1');
        expect(await store.get('one')).toBeUndefined();
        expect(await store.commit([{ path: 'one', value: text('2'), expect: 0 }])).toMatchObject({ ok: true });
      } finally {
        await store.close();
        await strict.close();
        proxy.close();
        await pair.stop();
      }
    },
  );
});

/** Resolves when so many changes wait for the standby. */
async function waits(server: PostgresServer, many: number): Promise<void> {
  await expect.poll(async () => (await server.sql(`select count(*)::int as n ${WAITING}`))[0]!['n']).toBe(many);
}

/** The standby gets nothing any more, as behind a network that is cut. */
function cutOff(standby: PostgresServer): void {
  for (const pid of standby.family()) process.kill(pid, 'SIGSTOP');
}

function goOn(standby: PostgresServer): void {
  for (const pid of standby.family()) process.kill(pid, 'SIGCONT');
}
