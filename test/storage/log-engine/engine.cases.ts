/** What every log engine does, in memory or elsewhere: ownership, appends, outcomes that are not known, reads. Copies and trims: snapshot.cases.ts. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { FIRST_CHAIN, firstBreak } from '#storage/log-engine/chain.ts';
import type { LogEntry } from '#storage/log-engine/port.ts';
import { appended, claimed, isUnknown, logOf, MIB, text, Writer } from './world.ts';
import type { OpenWorld, Peer, World } from './world.ts';

/** Runs a case in a world of its own, with two callers. */
export function inWorld(open: OpenWorld, run: (a: Peer, b: Peer, world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const world = await open(3);
    try {
      await run(await world.connect(), await world.connect(), world);
    } finally {
      await world.close();
    }
  };
}

/** Says a case: vitest's `it`, or what runs it against an engine that breaks a rule. */
export type Say = (name: string, run: () => Promise<void>) => void;

export function engineCases(open: OpenWorld, it: Say): void {
  claimCases(open, it);
  appendCases(open, it);
  unknownCases(open, it);
  raceCases(open, it);
  readCases(open, it);
}

/** A writer that an engine never stops would go on for ever. */
const ENTRIES_MAX = 1000;

const wish = (owner: string, seen: number) => ({ shard: 0, seen, owner, token: randomUUID() });

function claimCases(open: OpenWorld, it: Say): void {
  it(
    'a claim takes the shard from the epoch that was seen, and no other does',
    inWorld(open, async ({ engine: a }, { engine: b }) => {
      expect(await a.look(0)).toEqual({ epoch: 0, tail: 0, confirmed: 0, owner: null, trimmed: 0, snapshots: [] });
      const claim = await a.claim(wish('a', 0));
      expect(claim).toEqual({ shard: 0, epoch: 1, tail: 0, chain: FIRST_CHAIN, trimmed: 0, snapshots: [], time: 0 });
      expect(await b.claim(wish('b', 0))).toBeNull();
      expect(await b.claim(wish('b', 2))).toBeNull();
      expect(await b.look(0)).toMatchObject({ epoch: 1, owner: 'a' });
      expect(await b.look(1)).toMatchObject({ epoch: 0, owner: null });
      expect(await b.claim(wish('b', 1))).toMatchObject({ epoch: 2 });
    }),
  );

  it(
    'a claim whose answer was lost is found again by its token, by nothing else',
    inWorld(open, async (a, { engine: b }) => {
      const mine = wish('a', 0);
      a.doom('answer lost');
      expect(await isUnknown(a.engine.claim(mine))).toBe(true);
      expect(await b.claim({ ...mine, token: randomUUID() })).toBeNull();
      expect(await a.engine.claim(mine)).toMatchObject({ epoch: 1, tail: 0 });
      expect(await b.claim(wish('b', 1))).toMatchObject({ epoch: 2 });
      expect(await a.engine.claim(mine)).toBeNull();
    }),
  );

  it(
    'a claim that was lost on its way can be made again, and one that comes late takes nothing from another',
    inWorld(open, async (a, { engine: b }, world) => {
      const mine = wish('a', 0);
      a.doom('request lost');
      expect(await isUnknown(a.engine.claim(mine))).toBe(true);
      a.doom('request late');
      expect(await isUnknown(a.engine.claim(mine))).toBe(true);
      expect(await b.claim(wish('b', 0))).toMatchObject({ epoch: 1 });
      await world.deliver();
      expect(await b.look(0)).toMatchObject({ epoch: 1, owner: 'b' });
      expect(await a.engine.claim(mine)).toBeNull();
    }),
  );

  it(
    'a release ends the epoch, once, and leaves a later owner alone',
    inWorld(open, async ({ engine: a }, b) => {
      const owner = await claimed(a);
      await owner.write('one');
      await a.release(0, 1);
      expect(await a.look(0)).toMatchObject({ epoch: 2, owner: null, tail: 1 });
      expect(await owner.write('two')).toBe('lost');
      await a.release(0, 1);
      expect(await a.look(0)).toMatchObject({ epoch: 2 });
      const next = await claimed(b.engine, 0, 'b');
      expect(next.claim).toMatchObject({ epoch: 3, tail: 1, chain: owner.chain });
      await a.release(0, 1);
      b.doom('answer lost');
      expect(await isUnknown(b.engine.release(0, 3))).toBe(true);
      await b.engine.release(0, 3);
      expect(await a.look(0)).toMatchObject({ epoch: 4, owner: null });
    }),
  );
}

function appendCases(open: OpenWorld, it: Say): void {
  it(
    'claims and appends that are made at the same time have an outcome each, and claims are found again by their tokens',
    inWorld(open, async ({ engine: a }, { engine: b }) => {
      await b.claim({ ...wish('b', 0), shard: 1 });
      const wishes = [0, 1, 2].map((shard) => ({ ...wish('a', 0), shard }));
      const claims = await Promise.all(wishes.map((one) => a.claim(one)));
      const again = await Promise.all(wishes.map((one) => a.claim(one)));
      for (const all of [claims, again]) expect(all.map((claim) => claim?.epoch ?? null)).toEqual([1, null, 1]);
      const [zero, two] = [new Writer(a, claims[0]!), new Writer(a, claims[2]!)];
      await b.claim({ ...wish('b', 1), shard: 2 });
      const entries = [zero.next('one'), two.next('two'), zero.next('one')];
      expect(await Promise.all(entries.map((one) => appended(a, one)))).toEqual(['durable', 'lost', 'durable']);
      expect([await logOf(a, 0), await logOf(b, 2)]).toEqual([['1/1 one'], []]);
    }),
  );

  it(
    'keeps every entry, in order, with all that its writer said and every byte',
    inWorld(open, async ({ engine }) => {
      const writer = await claimed(engine);
      const all = Uint8Array.from({ length: 256 }, (_, at) => at);
      const bodies = [all, new Uint8Array(), Buffer.alloc(MIB, all)];
      const sent: LogEntry[] = [];
      for (const [at, body] of bodies.entries()) {
        const entry = writer.next(body, { first: at * 1000, time: 1_700_000_000_000 + at });
        expect(await appended(engine, entry)).toBe('durable');
        writer.took(entry);
        sent.push(entry);
      }
      const chunk = await engine.readOwn(0, 1, 0, 8 * MIB);
      const plain = (entries: readonly LogEntry[]) => entries.map((one) => ({ ...one, body: Buffer.from(one.body) }));
      expect(chunk!.end).toBe(3);
      expect(plain(chunk!.entries)).toEqual(plain(sent));
      expect(firstBreak(0, FIRST_CHAIN, chunk!.entries)).toBeNull();
      expect(await engine.claim(wish('b', 1))).toMatchObject({ tail: 3, chain: writer.chain, time: 1_700_000_000_002 });
    }),
  );

  it(
    'an entry at a taken position is lost, and the log is as it was',
    inWorld(open, async ({ engine }) => {
      const writer = await claimed(engine);
      const first = writer.next('one');
      const other = writer.next('other');
      expect(await appended(engine, first)).toBe('durable');
      expect(await appended(engine, other)).toBe('lost');
      expect(await logOf(engine)).toEqual(['1/1 one']);
    }),
  );

  it(
    'an entry whose predecessor is not there has no outcome, and comes in when it is',
    inWorld(open, async ({ engine }) => {
      const writer = await claimed(engine);
      const first = writer.next('one');
      const ahead = new Writer(engine, writer.claim);
      ahead.took(first);
      const second = ahead.next('two', { confirmed: 0 });
      expect(await isUnknown(engine.append([second]))).toBe(true);
      expect(await logOf(engine)).toEqual([]);
      expect(await appended(engine, first)).toBe('durable');
      expect(await appended(engine, second)).toBe('durable');
      expect(await logOf(engine)).toEqual(['1/1 one', '1/2 two']);
    }),
  );

  it(
    'an old owner adds nothing, and its other shards go on in the same call',
    inWorld(open, async ({ engine: a }, { engine: b }) => {
      const [none, kept, free] = [await claimed(a, 0), await claimed(a, 1), await claimed(a, 2)];
      await none.write('before');
      await claimed(b, 0, 'b');
      expect(await a.append([kept.next('one'), none.next('late'), free.next('one')])).toEqual([
        'durable',
        'lost',
        'durable',
      ]);
      expect([await logOf(b, 0), await logOf(b, 1), await logOf(b, 2)]).toEqual([
        ['1/1 before'],
        ['1/1 one'],
        ['1/1 one'],
      ]);
    }),
  );

  it(
    'refuses what no log takes, before it sends anything',
    inWorld(open, async ({ engine }) => {
      const writer = await claimed(engine);
      const good = writer.next('one');
      const bad: LogEntry[][] = [
        [good, good],
        [{ ...good, seq: 0 }],
        [{ ...good, epoch: 0 }],
        [{ ...good, confirmed: 1 }],
        [{ ...good, chain: 'short' }],
        [{ ...good, body: new Uint8Array(engine.entryBytesMax + 1) }],
      ];
      for (const entries of bad) await expect(engine.append(entries)).rejects.toThrow(RangeError);
      expect(await engine.append([])).toEqual([]);
      expect(await logOf(engine)).toEqual([]);
    }),
  );
}

function unknownCases(open: OpenWorld, it: Say): void {
  it(
    'an entry whose answer was lost is in the log once, and sending it again says so',
    inWorld(open, async (a) => {
      const writer = await claimed(a.engine);
      const entry = writer.next('one');
      a.doom('answer lost');
      expect(await isUnknown(a.engine.append([entry]))).toBe(true);
      expect(await appended(a.engine, entry)).toBe('durable');
      expect(await appended(a.engine, entry)).toBe('durable');
      expect(await logOf(a.engine)).toEqual(['1/1 one']);
    }),
  );

  it(
    'an entry that was lost on its way comes in when it is sent again, alone or beside one that was not',
    inWorld(open, async (a) => {
      const [one, two] = [await claimed(a.engine, 0), await claimed(a.engine, 1)];
      const [first, second] = [one.next('one'), two.next('two')];
      a.doom('request lost');
      expect(await isUnknown(a.engine.append([first]))).toBe(true);
      expect(await logOf(a.engine)).toEqual([]);
      expect(await appended(a.engine, second)).toBe('durable');
      expect(await a.engine.append([first, second])).toEqual(['durable', 'durable']);
      expect([await logOf(a.engine, 0), await logOf(a.engine, 1)]).toEqual([['1/1 one'], ['1/1 two']]);
    }),
  );

  it(
    'a request that comes late adds nothing to what was sent again meanwhile',
    inWorld(open, async (a, _b, world) => {
      const writer = await claimed(a.engine);
      const entry = writer.next('one');
      a.doom('request late');
      expect(await isUnknown(a.engine.append([entry]))).toBe(true);
      expect(await writer.write('one')).toBe('durable');
      expect(await writer.write('two')).toBe('durable');
      await world.deliver();
      expect(await logOf(a.engine)).toEqual(['1/1 one', '1/2 two']);
    }),
  );

  it(
    'a request that comes behind the claim of another owner adds nothing',
    inWorld(open, async (a, b, world) => {
      const old = await claimed(a.engine);
      a.doom('request late');
      expect(await isUnknown(old.write('late'))).toBe(true);
      const next = await claimed(b.engine, 0, 'b');
      await world.deliver();
      expect(await next.write('begin')).toBe('durable');
      expect(await old.write('late')).toBe('lost');
      expect(await logOf(b.engine)).toEqual(['2/1 begin']);
    }),
  );

  it(
    'behind the claim of another owner an entry is lost to its writer, though the log has it',
    inWorld(open, async (a, b) => {
      const old = await claimed(a.engine);
      a.doom('answer lost');
      expect(await isUnknown(old.write('one'))).toBe(true);
      const next = await claimed(b.engine, 0, 'b');
      expect(await old.write('one')).toBe('lost');
      expect(next.claim).toMatchObject({ tail: 1 });
      expect(await logOf(b.engine)).toEqual(['1/1 one']);
    }),
  );
}

function raceCases(open: OpenWorld, it: Say): void {
  it(
    'of claims at the same time one wins',
    inWorld(open, async ({ engine: a }, { engine: b }) => {
      for (let epoch = 0; epoch < 10; epoch++) {
        const claims = await Promise.all([a.claim(wish('a', epoch)), b.claim(wish('b', epoch))]);
        const won = claims.findIndex((claim) => claim !== null);
        expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
        expect(await a.look(0)).toMatchObject({ epoch: epoch + 1, owner: won === 0 ? 'a' : 'b' });
      }
    }),
  );

  it(
    'of two entries for one position one comes in, and each writer is told which',
    inWorld(open, async ({ engine: a }, { engine: b }) => {
      const { claim } = await claimed(a);
      const writers = [new Writer(a, claim), new Writer(b, claim)];
      for (let seq = 1; seq <= 10; seq++) {
        const entries = writers.map((writer, at) => writer.next(`${at}`));
        const outcomes = await Promise.all(writers.map(({ engine }, at) => appended(engine, entries[at]!)));
        expect(outcomes.toSorted()).toEqual(['durable', 'lost']);
        const won = entries[outcomes.indexOf('durable')]!;
        expect((await logOf(b)).at(-1)).toBe(text(won));
        for (const writer of writers) writer.took(won);
      }
    }),
  );

  it(
    'what is acknowledged lies before the claim, and nothing of the old owner behind it',
    inWorld(open, async ({ engine: a }, { engine: b }) => {
      const expected: string[] = [];
      for (let round = 0; round < 10; round++) {
        const [from, to] = round % 2 === 0 ? [a, b] : [b, a];
        const old = await claimed(from);
        const acknowledged: string[] = [];
        const writing = (async () => {
          for (let n = 0; n < ENTRIES_MAX; n++) {
            const entry = old.next(`${n}`);
            if ((await appended(from, entry)) === 'lost') return;
            old.took(entry);
            acknowledged.push(text(entry));
          }
        })();
        for (let n = 0; acknowledged.length < round % 4 && n < ENTRIES_MAX; n++) await to.look(0);
        const next = await claimed(to, 0, 'next');
        expect(await next.write('begin')).toBe('durable');
        await writing;
        expect(acknowledged.length).toBeLessThan(ENTRIES_MAX);
        const log = await logOf(to);
        expected.push(...acknowledged);
        // One entry may be in the log whose writer was told that it is lost.
        const more = log.slice(expected.length, -1);
        expect(log.slice(0, expected.length)).toEqual(expected);
        expect(more.length).toBeLessThanOrEqual(1);
        expected.push(...more, log.at(-1)!);
        expect(log.at(-1)).toMatch(/ begin$/);
      }
    }),
  );
}

function readCases(open: OpenWorld, it: Say): void {
  it(
    'others read what the writer has confirmed, and the owner reads all',
    inWorld(open, async (a, { engine: b }) => {
      const writer = await claimed(a.engine);
      await writer.write('one');
      expect(await b.readConfirmed(0, 0, MIB)).toEqual({ entries: [], end: 0 });
      await writer.write('two');
      const chunk = await b.readConfirmed(0, 0, MIB);
      expect([chunk.entries.map(text), chunk.end]).toEqual([['1/1 one'], 1]);
      expect((await b.look(0)).confirmed).toBe(1);
      expect((await b.ends()).slice(0, 2)).toEqual([
        { shard: 0, tail: 2, confirmed: 1 },
        { shard: 1, tail: 0, confirmed: 0 },
      ]);
      expect(await logOf(a.engine)).toEqual(['1/1 one', '1/2 two']);
    }),
  );

  it(
    'an entry that was found again is not confirmed by that',
    inWorld(open, async (a, { engine: b }) => {
      const writer = await claimed(a.engine);
      const entry = writer.next('one');
      a.doom('answer lost');
      expect(await isUnknown(a.engine.append([entry]))).toBe(true);
      expect(await appended(a.engine, entry)).toBe('durable');
      expect(await b.readConfirmed(0, 0, MIB)).toEqual({ entries: [], end: 0 });
    }),
  );

  it(
    'the owner that was reads nothing any more',
    inWorld(open, async ({ engine: a }, { engine: b }) => {
      const old = await claimed(a);
      await old.write('one');
      await claimed(b, 0, 'b');
      expect(await a.readOwn(0, 1, 0, MIB)).toBeNull();
      expect((await b.readOwn(0, 2, 0, MIB))!.end).toBe(1);
    }),
  );

  it(
    'a reader goes on where it was, in chunks of about the bytes that it asks for',
    inWorld(open, async ({ engine }) => {
      const writer = await claimed(engine);
      for (let n = 1; n <= 20; n++) await writer.write(Buffer.alloc(n === 7 ? 5000 : 100, n));
      const seen: LogEntry[] = [];
      const sizes: number[] = [];
      while (seen.length < 20) {
        const { entries, end } = (await engine.readOwn(0, 1, seen.length, 1000))!;
        expect(end).toBe(20);
        sizes.push(entries.length);
        seen.push(...entries);
      }
      expect(sizes).toEqual([6, 1, 10, 3]);
      expect(firstBreak(0, FIRST_CHAIN, seen)).toBeNull();
      expect(await engine.readOwn(0, 1, 20, 1000)).toEqual({ entries: [], end: 20 });
    }),
  );
}
