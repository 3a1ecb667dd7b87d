/** When PostgreSQL's "done" counts, on a real pair of servers: waits that are cancelled, standbys that go away, a takeover, another server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';
import { Session, whyNotStrict } from '#storage/log-engine/postgres/session.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { hasPostgres, PostgresPair, type PostgresServer } from '#test/kit/postgres-server.ts';
import { FatefulProxy } from './fateful-proxy.ts';
import { appended, claimed, isUnknown, logOf } from './world.ts';

const CLEAN = 'drop schema public cascade; create schema public';
const WAITING = `from pg_stat_activity where wait_event = 'SyncRep'`;
const NAMES = 'FIRST 1 (standby)';

const optionsOf = (url: string, answerMs = 60_000) => ({ url, replication: 'strict' as const, answerMs });

it('knows which lists of standbys promise that the one that takes over has everything', () => {
  for (const names of ['standby', 'FIRST 1 (a)', 'first 2 (a, b)', '1 (a, "*b")', '"a", b']) {
    expect(whyNotStrict(names), names).toBeNull();
  }
  for (const names of ['', ' ', 'ANY 1 (a, b)', 'any 2 (a)', '*', '"*"', 'FIRST 1 (*)', '1 (*)']) {
    expect(whyNotStrict(names), names).not.toBeNull();
  }
});

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** Resolves when a change waits for the standby. */
async function waits(server: PostgresServer): Promise<void> {
  await expect.poll(async () => (await server.sql(`select count(*)::int as n ${WAITING}`))[0]!['n']).toBe(1);
}

describe.runIf(hasPostgres)('PostgreSQL with a standby', () => {
  let pair: PostgresPair;
  let engine: PostgresEngine;

  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(() => pair.stop());

  beforeEach(async () => {
    await pair.primary.set('synchronous_standby_names', NAMES);
    await pair.primary.sql(CLEAN);
    await createTables(optionsOf(pair.primary.url), 2);
    engine = new PostgresEngine(optionsOf(pair.primary.url));
    return () => engine.close();
  });

  it.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'a wait that %s ends is no acknowledgement, though everybody sees the entry',
    async (end) => {
      const writer = await claimed(engine);
      const entry = writer.next('one');
      cutOff(pair.standby);
      try {
        const first = isUnknown(engine.append([entry]));
        await waits(pair.primary);
        expect(await logOf(engine)).toEqual([]);
        await pair.primary.sql(`select ${end}(pid) ${WAITING}`);
        expect(await first).toBe(true);
        expect(await logOf(engine)).toEqual(['1/1 one']);
        const again = engine.append([entry]);
        await waits(pair.primary);
        goOn(pair.standby);
        expect(await again).toEqual(['durable']);
      } finally {
        goOn(pair.standby);
      }
      expect(await logOf(engine)).toEqual(['1/1 one']);
      expect((await engine.look(0)).confirmed).toBe(0);
    },
  );

  it('a standby that is taken away lets nothing pass for durable', async () => {
    const writer = await claimed(engine);
    const entry = writer.next('one');
    cutOff(pair.standby);
    try {
      const first = isUnknown(engine.append([entry]));
      await waits(pair.primary);
      await pair.primary.set('synchronous_standby_names', '');
      expect(await first).toBe(true);
      expect(await isUnknown(engine.append([entry]))).toBe(true);
      expect(await isUnknown(engine.append([writer.next('other', { shard: 0 })]))).toBe(true);
      expect(await isUnknown(engine.claim({ shard: 1, seen: 0, owner: 'a', token: 'one' }))).toBe(true);
      await pair.primary.set('synchronous_standby_names', 'ANY 1 (standby)');
      expect(await isUnknown(engine.append([entry]))).toBe(true);
      await pair.primary.set('synchronous_standby_names', NAMES);
    } finally {
      goOn(pair.standby);
    }
    await expect.poll(() => isUnknown(engine.append([entry]))).toBe(false);
    expect(await appended(engine, entry)).toBe('durable');
    expect(await engine.claim({ shard: 1, seen: 0, owner: 'a', token: 'one' })).toMatchObject({ epoch: 1 });
  });

  it('an answer that takes too long gives the connection up, and the wait is not cancelled', async () => {
    const writer = await claimed(engine);
    const entry = writer.next('one');
    const hasty = new PostgresEngine(optionsOf(pair.primary.url, 2000));
    await hasty.look(0);
    cutOff(pair.standby);
    try {
      expect(await isUnknown(hasty.append([entry]))).toBe(true);
      await waits(pair.primary);
      expect(await logOf(engine)).toEqual([]);
    } finally {
      goOn(pair.standby);
    }
    expect(await appended(engine, entry)).toBe('durable');
    expect(await logOf(engine)).toEqual(['1/1 one']);
    await hasty.close();
  });

  it('a standby is no primary, and nothing rests on it', async () => {
    const there = new PostgresEngine(optionsOf(pair.standby.url));
    expect(await isUnknown(there.look(0))).toBe(true);
    expect(await isUnknown(there.claim({ shard: 0, seen: 0, owner: 'a', token: 'one' }))).toBe(true);
    await there.close();
  });

  it('writers lose nothing while chapters are begun and dropped', { timeout: 120_000 }, async () => {
    const other = new PostgresEngine(optionsOf(pair.primary.url));
    const writers = [await claimed(engine, 0), await claimed(other, 1)];
    let dropped = 0;
    const work = { isOver: false };
    const writing = writers.map(async (writer, shard) => {
      while (!work.isOver) {
        const entry = writer.next('entry');
        expect(await untilKnown(() => appended(writer.engine, entry), pause)).toBe('durable');
        writer.took(entry);
        const note = { seq: entry.seq, chain: entry.chain, name: `copy-${entry.seq}` };
        await untilKnown(() => writer.engine.noteSnapshot(shard, note), pause);
        // The newest entries stay, as where a copy is some way behind.
        await untilKnown(() => writer.engine.trim(shard, Math.max(0, entry.seq - 5)), pause);
      }
    });
    const third = new PostgresEngine(optionsOf(pair.primary.url));
    try {
      for (let round = 0; round < 500 && dropped < 20; round++)
        dropped += await untilKnown(() => third.reclaim(), pause);
    } finally {
      work.isOver = true;
    }
    await Promise.all(writing);
    expect(dropped).toBeGreaterThanOrEqual(20);
    for (const [shard, writer] of writers.entries()) {
      const { tail, trimmed } = await third.look(shard);
      expect(tail).toBe(writer.seq);
      const { entries } = (await third.readOwn(shard, 1, trimmed, 1000))!;
      expect(entries.map(({ seq }) => seq)).toEqual(
        Array.from({ length: tail - trimmed }, (_, at) => trimmed + at + 1),
      );
    }
    await other.close();
    await third.close();
  });

  it('of several servers the primary takes the session, wherever it stands among them and whatever the others do', async () => {
    const { primary, standby } = pair;
    const closed = 'postgres://skep@127.0.0.1:1';
    const among = (...ports: readonly number[]): string =>
      `${closed},${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres?target_session_attrs=read-write`;
    for (const ports of [
      [primary.port, standby.port],
      [standby.port, primary.port],
    ]) {
      const session = await Session.open(optionsOf(among(...ports)));
      expect(await session.read({ name: '', text: 'select pg_is_in_recovery() as recovery', values: [] })).toEqual([
        { recovery: false },
      ]);
      session.close();
    }
    const there = `from pg_stat_activity where application_name = 'skep'`;
    await expect.poll(async () => (await primary.sql(`select count(*)::int as n ${there}`))[0]!['n']).toBeLessThan(2);
    const none = Session.open(optionsOf(among(standby.port)));
    await expect(none).rejects.toThrow(OutcomeUnknown);
    await expect(none).rejects.toThrow(/ECONNREFUSED.*; the server is a standby/);
  });

  it('settings of the role and the database do not reach the session', async () => {
    await pair.primary.sql('alter role skep set synchronous_commit = off');
    await pair.primary.sql('alter role skep set statement_timeout = 200');
    try {
      const writer = await claimed(engine);
      const entry = writer.next('one');
      cutOff(pair.standby);
      const first = appended(engine, entry);
      await waits(pair.primary);
      // Longer than the role's statements may take: the wait would have been cancelled.
      await new Promise((resolve) => setTimeout(resolve, 500));
      goOn(pair.standby);
      expect(await first).toBe('durable');
    } finally {
      goOn(pair.standby);
      await pair.primary.sql('alter role skep reset all');
    }
  });
});

/** The standby gets nothing any more, as behind a network that is cut. */
function cutOff(standby: PostgresServer): void {
  for (const pid of standby.family()) process.kill(pid, 'SIGSTOP');
}

function goOn(standby: PostgresServer): void {
  for (const pid of standby.family()) process.kill(pid, 'SIGCONT');
}

/** The standby, which was down and has what it had, takes the primary's place. */
async function replace({ primary, standby }: PostgresPair, proxy: FatefulProxy): Promise<void> {
  await primary.kill();
  await standby.start();
  standby.promote();
  proxy.turnTo(standby.port);
}

describe.runIf(hasPostgres)('PostgreSQL whose standby takes over', () => {
  it(
    'what one copy alone had is gone, its writer sends it again, and a server that lost more is refused',
    { timeout: 120_000 },
    async () => {
      const pair = await PostgresPair.start();
      const proxy = new FatefulProxy(pair.primary.port);
      const url = `postgres://skep@127.0.0.1:${await proxy.open()}/postgres`;
      const [strict, managed] = [
        new PostgresEngine(optionsOf(url)),
        new PostgresEngine({ ...optionsOf(url), replication: 'managed' }),
      ];
      try {
        await createTables(optionsOf(pair.primary.url), 1);
        const writer = await claimed(strict);
        await writer.write('kept');
        await managed.look(0);
        const entry = writer.next('on one copy');
        await pair.standby.kill();
        const first = isUnknown(strict.append([entry]));
        await waits(pair.primary);
        await pair.primary.sql(`select pg_cancel_backend(pid) ${WAITING}`);
        expect(await first).toBe(true);
        expect(await logOf(managed)).toEqual(['1/1 kept', '1/2 on one copy']);
        await replace(pair, proxy);
        const there = new PostgresEngine({ ...optionsOf(url), replication: 'managed' });
        expect(await logOf(there)).toEqual(['1/1 kept']);
        expect(await appended(there, entry)).toBe('durable');
        expect(await logOf(there)).toEqual(['1/1 kept', '1/2 on one copy']);
        await there.close();
      } finally {
        await strict.close();
        await managed.close();
        proxy.close();
        await pair.stop();
      }
    },
  );

  it('a server that is another one, or that lost what was acknowledged, is refused', { timeout: 120_000 }, async () => {
    const [pair, other] = [await PostgresPair.start(), await PostgresPair.start()];
    const proxy = new FatefulProxy(pair.primary.port);
    const url = `postgres://skep@127.0.0.1:${await proxy.open()}/postgres`;
    const engine = new PostgresEngine({ ...optionsOf(url), replication: 'managed' });
    try {
      await createTables(optionsOf(pair.primary.url), 1);
      const writer = await claimed(engine);
      proxy.turnTo(other.primary.port);
      await expect(untilKnown(() => writer.write('one'), pause)).rejects.toThrow(/was here before/);
      proxy.turnTo(pair.primary.port);
      expect(await untilKnown(() => writer.write('one'), pause)).toBe('durable');
      await pair.primary.set('synchronous_standby_names', '');
      await pair.standby.kill();
      expect(await writer.write('two')).toBe('durable');
      await replace(pair, proxy);
      await expect(untilKnown(() => writer.write('three'), pause)).rejects.toThrow(/put back from an older copy/);
    } finally {
      await engine.close();
      proxy.close();
      await pair.stop();
      await other.stop();
    }
  });
});
