/** The store of submissions in a real PostgreSQL with a synchronous standby: one owner, and nothing acknowledged that is not on both copies. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Corruption } from '#storage/fault.ts';
import { GENESIS } from '#storage/log/chain.ts';
import type { Fate } from '#test/storage/log-engine/memory.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { LineClosed } from '#storage/log-engine/postgres/line.ts';
import { NO_CHANGE, OwnerLost, type Change } from '#storage/submissions/change.ts';
import { PostgresSubmissions, type SubmissionsOptions } from '#storage/submissions/postgres.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
import { FatefulProxy } from '#test/storage/log-engine/fateful-proxy.ts';

const CLEAN = 'drop schema public cascade; create schema public';
const SLICE = { lines: 100, bytes: 1_000_000 };

/** A change with lines of these ids. */
function added(...ids: string[]): Change {
  const lines = ids.map((id) => {
    const body = JSON.stringify({ id, form: 'contact' });
    return { id, form: 'contact', at: 1000, key: `key-of-${id}`, digest: `digest of ${id}`, body };
  });
  return { ...NO_CHANGE, lines };
}

const unsealed = (): Promise<null> => Promise.resolve(null);

describe.runIf(hasPostgres)('submissions in a PostgreSQL', () => {
  let pair: PostgresPair;
  const opened: PostgresSubmissions[] = [];
  const proxies: FatefulProxy[] = [];
  const pauses: string[] = [];

  const open = (more: Partial<SubmissionsOptions> = {}): PostgresSubmissions => {
    const pause = async (why: Error): Promise<void> => {
      if (why instanceof LineClosed) throw why;
      pauses.push(why.message);
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const given = {
      url: pair.primary.url,
      replication: 'strict',
      answerMs: 20_000,
      node: null,
      seal: unsealed,
      pause,
    } as const;
    const store = new PostgresSubmissions({ ...given, ...more });
    opened.push(store);
    return store;
  };
  const idsIn = async (store: PostgresSubmissions): Promise<(string | null)[]> =>
    (await store.lines(0, SLICE)).map(({ id }) => id);

  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(() => pair.stop());
  beforeEach(async () => {
    await pair.primary.sql(CLEAN);
    pauses.length = 0;
    return async () => {
      for (const proxy of proxies.splice(0)) proxy.close();
      for (const store of opened.splice(0)) await store.close();
    };
  });

  test('an owner whose store was claimed writes nothing more, and reads nothing of the next one', async () => {
    const [one, two] = [open(), open()];
    const first = await one.commit(await one.claim(), added('a'));
    const second = await two.claim();
    expect(second).toEqual({ ...first, epoch: first.epoch + 1 });
    await expect(one.commit(first, added('b'))).rejects.toThrow(OwnerLost);
    await expect(one.commit(first, { ...NO_CHANGE, keepers: ['x'] })).rejects.toThrow(OwnerLost);
    await expect(one.lines(0, SLICE)).rejects.toThrow(OwnerLost);
    const next = await two.commit(second, added('c'));
    expect(await idsIn(two)).toEqual(['a', 'c']);
    expect(await two.keepers()).toEqual([]);
    expect(await two.head()).toEqual(next);
    expect(next).toMatchObject({ seq: 2, first: 1, base: GENESIS, lastId: 'c' });
  });

  test('a node claims nothing while another one serves, and does once none does', async () => {
    await createTables({ url: pair.primary.url, replication: 'strict', answerMs: 20_000 }, 1);
    const serves = (name: string): Promise<unknown> =>
      pair.primary.sql(
        `with n as (insert into skep_node (incarnation, node, place, lease_ms) values (gen_random_uuid(), '${name}', '', 1) returning incarnation) update skep_serving set incarnation = n.incarnation from n`,
      );
    await serves('n2');
    await expect(open({ node: 'n1' }).claim()).rejects.toThrow(OwnerLost);
    expect((await open({ node: 'n2' }).claim()).epoch).toBe(1);
    await pair.primary.sql('update skep_serving set incarnation = null');
    expect((await open({ node: 'n1' }).claim()).epoch).toBe(2);
  });

  test('claims that come together: each epoch is one owner’s', async () => {
    const claims = await Promise.allSettled(Array.from({ length: 6 }, () => open().claim()));
    const epochs = claims.flatMap((one) => (one.status === 'fulfilled' ? [one.value.epoch] : []));
    expect(epochs.length).toBeGreaterThan(0);
    expect(new Set(epochs).size).toBe(epochs.length);
    for (const one of claims) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(OwnerLost);
  });

  test.each<Fate>(['answer lost', 'request lost', 'request late'])(
    'a claim and changes with their %s are made once, and known as made',
    async (fate) => {
      const proxy = new FatefulProxy(pair.primary.port);
      proxies.push(proxy);
      const store = open({ url: `postgres://skep@127.0.0.1:${await proxy.open()}/postgres`, answerMs: 2000 });
      proxy.doom(fate);
      let head = await store.claim();
      expect(head.epoch).toBe(1);
      await proxy.deliver();
      for (let n = 0; n < 3; n++) {
        proxy.doom(fate);
        head = await store.commit(head, added(`a${n}`));
        // A change without lines is told by its number alone: a late one must not come again.
        proxy.doom(fate);
        const forms = [['contact', `{"n":${n}}`]] as const;
        head = await store.commit(head, { ...NO_CHANGE, forms });
        head = await store.commit(head, { ...NO_CHANGE, forms: [['contact', '{"n":"newest"}']] });
        await proxy.deliver();
        expect(await store.forms()).toEqual(new Map([['contact', '{"n":"newest"}']]));
      }
      expect(await idsIn(store)).toEqual(['a0', 'a1', 'a2']);
      expect(await store.head()).toEqual(head);
      expect(head.no).toBe(9);
      expect(pauses.length).toBeGreaterThanOrEqual(7);
    },
  );

  test('nothing is acknowledged while the standby does not have it, also where its wait is cancelled', async () => {
    const store = open();
    const head = await store.claim();
    for (const pid of pair.standby.family()) process.kill(pid, 'SIGSTOP');
    let isMade = false;
    const made = store.commit(head, added('a')).then((next) => {
      isMade = true;
      return next;
    });
    const waiting = `from pg_stat_activity where wait_event = 'SyncRep'`;
    const waits = (): Promise<unknown> => pair.primary.sql(`select count(*)::int as n ${waiting}`);
    try {
      await expect.poll(waits).toEqual([{ n: 1 }]);
      await pair.primary.sql(`select pg_cancel_backend(pid) ${waiting}`);
      // It is looked up, and that waits as well.
      await expect.poll(() => pauses.length).toBeGreaterThan(0);
      await expect.poll(waits).toEqual([{ n: 1 }]);
      expect(isMade).toBe(false);
    } finally {
      for (const pid of pair.standby.family()) process.kill(pid, 'SIGCONT');
    }
    expect(await made).toMatchObject({ no: 1, seq: 1 });
    expect(await idsIn(store)).toEqual(['a']);
  });

  test('a server without a standby acknowledges nothing, and goes on when it has one', async () => {
    const store = open();
    const head = await store.claim();
    await pair.primary.set('synchronous_standby_names', '');
    let isMade = false;
    const made = store.commit(head, added('a')).finally(() => (isMade = true));
    try {
      await expect.poll(() => pauses.length).toBeGreaterThan(2);
      expect(isMade).toBe(false);
    } finally {
      await pair.primary.set('synchronous_standby_names', 'FIRST 1 (standby)');
    }
    expect(await made).toMatchObject({ seq: 1 });
    expect(await idsIn(store)).toEqual(['a']);
  });

  test('a change is whole: lines, what waits, what is settled, gone and let go', async () => {
    const store = open();
    let head = await store.claim();
    const waiting = [
      { id: 'a', kind: 'chat', form: 'contact', tenant: null },
      { id: 'a', kind: 'tenant', form: 'contact', tenant: 't' },
      { id: 'b', kind: 'chat', form: 'contact', tenant: null },
    ];
    head = await store.commit(head, { ...added('a', 'b', 'c'), waiting, keepers: ['t'] });
    head = await store.commit(head, { ...NO_CHANGE, settled: [{ id: 'b', kind: 'chat' }], keepers: ['t', 'u'] });
    expect((await store.waiting()).map(({ id, kind }) => `${id} ${kind}`)).toEqual(['a chat', 'a tenant']);
    expect(await store.keepers()).toEqual(['t', 'u']);
    head = await store.commit(head, { ...NO_CHANGE, gone: { why: 'expired', seqs: [1] } });
    expect(await store.waiting()).toEqual([]);
    expect(await store.bodies(['a', 'b'])).toEqual(new Map([['b', '{"id":"b","form":"contact"}']]));
    expect(await store.known(['a', 'b', 'z'])).toEqual(new Set(['a', 'b']));
    const [first] = await store.oldest(1);
    head = await store.commit(head, { ...NO_CHANGE, trim: { first: 2, base: first!.hash } });
    expect(await store.head()).toMatchObject({ first: 2, base: first!.hash, seq: 3 });
    expect(await idsIn(store)).toEqual(['b', 'c']);
    expect(await store.lines(0, { lines: 100, bytes: 1 })).toHaveLength(1);
  });

  test('a store that was plain is sealed from the next claim on, and read by its keys alone', async () => {
    const said = (what: string) => ({ key: `${what}key`, digest: `${what}digest`, body: `{"said":"${what}body"}` });
    const change = (id: string, what: string): Change => ({
      ...NO_CHANGE,
      lines: [{ id, form: 'contact', at: 1000, ...said(what) }],
    });
    const keys = (...numbers: number[]) => ({ seal: () => Promise.resolve(sealOf(vaultOf(...numbers))) });
    const before = open();
    await before.commit(await before.claim(), change('a', 'readable'));
    // As a store of before has it.
    await pair.primary.sql('alter table skep_intake drop column seal_mark');
    const store = open(keys(1));
    let head = await store.claim();
    expect(head).toMatchObject({ epoch: 2, no: 2, seq: 1 });
    head = await store.commit(head, change('b', 'planted'));
    const next = open(keys(1, 2));
    const claimed = await next.claim();
    expect(claimed).toEqual({ ...head, epoch: 3 });
    head = await next.commit(claimed, change('c', 'planted'));
    expect((await next.lines(0, SLICE)).map(({ body }) => body)).toEqual(
      ['readable', 'planted', 'planted'].map((what) => said(what).body),
    );
    expect(await next.bodies(['a', 'c'])).toEqual(
      new Map([
        ['a', said('readable').body],
        ['c', said('planted').body],
      ]),
    );
    expect((await next.keys(0, 10)).map(({ key, digest }) => [key, digest])).toEqual(
      ['readable', 'planted', 'planted'].map((what) => [`${what}key`, `${what}digest`]),
    );
    for (const part of ['key', 'digest', 'body'])
      for (const server of [pair.primary, pair.standby])
        expect([await server.holds(`readable${part}`), await server.holds(`planted${part}`)]).toEqual([true, false]);
    const one = open(keys(1));
    await expect(one.lines(0, SLICE)).rejects.toThrow('key 2');
    await expect(open().claim()).rejects.toThrow('storage.journal.seal');
    expect(await next.head()).toEqual(head);
    await pair.primary.sql(`update skep_intake_line set body = '{"said":"forged"}' where id = 'b'`);
    await expect(next.lines(0, SLICE)).rejects.toThrow('is not sealed');
    await expect(next.bodies(['b'])).rejects.toThrow(Corruption);
  });

  test('a database that was put back from an older copy is refused by its owner', async () => {
    const store = open();
    let head = await store.claim();
    head = await store.commit(head, added('a'));
    await pair.primary.sql('update skep_intake set no = no - 1, seq = 0');
    await expect(store.commit(head, added('b'))).rejects.toThrow(/were acknowledged/);
  });
});

describe.runIf(hasPostgres)('a standby that takes the server’s place', () => {
  test('has all that was acknowledged, and what was under way is made there', { timeout: 120_000 }, async () => {
    const pair = await PostgresPair.start();
    const proxy = new FatefulProxy(pair.primary.port);
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
    const url = `postgres://skep@127.0.0.1:${await proxy.open()}/postgres`;
    const store = new PostgresSubmissions({
      url,
      replication: 'managed',
      answerMs: 2000,
      node: null,
      seal: unsealed,
      pause,
    });
    try {
      let head = await store.claim();
      head = await store.commit(head, added('a'));
      await pair.primary.kill();
      const made = store.commit(head, added('b'));
      pair.standby.promote();
      proxy.turnTo(pair.standby.port);
      expect(await made).toMatchObject({ no: 2, seq: 2 });
      expect((await store.lines(0, SLICE)).map(({ id }) => id)).toEqual(['a', 'b']);
    } finally {
      await store.close();
      proxy.close();
      await pair.stop();
    }
  });
});
