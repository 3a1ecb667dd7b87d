/** The bounds of docs/contract/changes.md §6 in a tenant in memory: subscribers of a caller and of a tenant, a reader that is too slow. */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { dataService } from '#actors/data/service.ts';
import { findHead } from '#actors/data/changes/store.ts';
import { sweepSlice } from '#actors/data/changes/sweep.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const note = entityOf('note', { id: { type: 'string' }, title: { type: 'string', nullable: true } }, { changes: true });
const product = productOf([note]);
const SSE = 'accept:text/event-stream\n';

/** Any name is a user: the credential is the subject. */
const userOf = (subject: string): Principal => ({ ...USER, subject });
const by = (subject: string) => ({ principal: userOf(subject), authorization: `Bearer ${subject}` });

let tenant: DataTenant;
let store: MemoryStore;
/** Whose credential cannot be judged: the check throws. */
let broken: string | null = null;

function checked(authorization: string): Principal {
  const subject = authorization.slice('Bearer '.length);
  if (subject === broken) throw new Error('the check of this credential is broken');
  return userOf(subject);
}

beforeEach(async () => {
  store = new MemoryStore();
  broken = null;
  const service = dataService({
    bearers: () => ({ check: checked }),
    every: () => () => undefined,
  });
  tenant = await DataTenant.open(product, { store, service });
});

const poll = (who: string, query = '') => tenant.send('GET', `/data/changes?entity=note${query}`, undefined, by(who));
const create = async (row: object): Promise<void> => {
  expect((await tenant.send('POST', '/data/rest/note', row, by('writer'))).status).toBe(201);
};

/** The pieces of a stream, which are the test's to ask for. */
async function streamOf(who: string, query = '') {
  const asked = { ...by(who), extra: SSE };
  const { outcome } = await tenant.begin('GET', `/data/changes?entity=note${query}`, undefined, asked);
  if (isRefusal(outcome) || outcome.stream === undefined) throw new Error('no stream');
  const { pieces, left } = outcome.stream;
  const source = pieces[Symbol.asyncIterator]();
  return {
    next: async () => Buffer.from((await source.next()).value as Uint8Array).toString(),
    leave: () => left!(),
    isOver: async () => (await source.next()).done === true,
  };
}

const refusalOf = ({ status, body, headers }: Awaited<ReturnType<typeof poll>>) => [
  status,
  body.code,
  headers['Retry-After'],
];

describe('subscribers', () => {
  /** Streams count from their opening on; nothing of one has to be read. */
  const fill = async (who: string, count: number) => Promise.all(Array.from({ length: count }, () => streamOf(who)));

  test('of one caller: as many as it may have, and its polls are among them', async () => {
    const opened = await fill('ann', limits.changes.perCallerMax - 1);
    const { after } = (await poll('ann')).body;
    const waiting = poll('ann', `&after=${after}&wait=30`);
    expect(refusalOf(await poll('ann'))).toEqual([429, 'v2.changes_full', '1']);
    expect(
      isRefusal(
        (await tenant.begin('GET', '/data/changes?entity=note', undefined, { ...by('ann'), extra: SSE })).outcome,
      ),
    ).toBe(true);
    expect((await poll('bob')).status).toBe(200);
    await create({ id: 'a' });
    expect((await waiting).body.changes).toHaveLength(1);
    expect((await poll('ann')).status).toBe(200);
    for (const stream of opened) stream.leave();
  });

  test('of one tenant: as many as it may have, of any callers', async () => {
    const { perCallerMax, perTenantMax } = limits.changes;
    const opened = await Promise.all(
      Array.from({ length: perTenantMax / perCallerMax }, (_, no) => fill(`user ${no}`, perCallerMax)),
    );
    const refused = await poll('another');
    expect(refusalOf(refused)).toEqual([429, 'v2.changes_full', '1']);
    expect(refused.body.message ?? refused.body.error).toContain(`${perTenantMax} subscribers`);
    opened[0]![0]!.leave();
    // The generator ends in a later turn, once what it waits for is answered.
    await opened[0]![0]!.next();
    await opened[0]![0]!.next().catch(() => undefined);
    await expect.poll(async () => (await poll('another')).status).toBe(200);
  });
});

test('removing changes reads those that go and one that stays, and begins behind those that are gone', async () => {
  for (let no = 0; no < 60; no++) await create({ id: `n${no}`, title: 'kept' });
  let read = 0;
  const sweep = (count: number, from?: number) => {
    read = 0;
    const turn = store.begin();
    const range = turn.range.bind(turn);
    turn.range = function* (...bounds) {
      for (const row of range(...bounds)) {
        read++;
        yield row;
      }
    };
    const swept = sweepSlice(turn, { ms: 60_000, count }, tenant.clock.now(), 1000, from);
    turn.commit();
    return swept;
  };
  const { more, to } = sweep(50);
  expect([more, read]).toEqual([false, 11]);
  expect(sweep(48, to).to).toBeGreaterThan(to);
  expect(read).toBe(3);
});

test('changes beyond the count go together once they are a tenth more, not one with each write', async () => {
  const few = productOf([note], { changes: { count: 20 } });
  const service = dataService({ bearers: () => ({ check: checked }), every: () => () => undefined });
  tenant = await DataTenant.open(few, { store, service });
  const kept: number[] = [];
  for (let no = 0; no < 30; no++) {
    await create({ id: `n${no}`, title: 'kept' });
    // A sweep is a turn of its own.
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    kept.push(findHead(store.begin())!.count);
  }
  expect(kept.slice(18)).toEqual([19, 20, 21, 22, 20, 21, 22, 20, 21, 22, 20, 21]);
});

describe('a reader that is too slow', () => {
  const sweepTo = (count: number): void => {
    const turn = store.begin();
    sweepSlice(turn, { ms: 60_000, count }, tenant.clock.now(), 1000);
    turn.commit();
  };

  test('is told reset, once, with nothing of what it did not take', async () => {
    const stream = await streamOf('ann');
    expect(await stream.next()).toBe('retry: 2000\n\n');
    await create({ id: 'a', title: 'taken' });
    expect(await stream.next()).toContain('"title":"taken"');
    for (let no = 0; no < 300; no++) await create({ id: `n${no}`, title: 'never' });
    sweepTo(10);
    expect(await stream.next()).toMatch(/^id: (\d+)\nevent: reset\ndata: \{"after":\1\}\n\n$/);
    expect(await stream.isOver()).toBe(true);
  });

  test('goes on where it was while its position is kept, in pieces of a bounded size', async () => {
    const stream = await streamOf('ann');
    await stream.next();
    const title = 'x'.repeat(10_000);
    for (let no = 0; no < 50; no++) await create({ id: `n${no}`, title });
    const seen: string[] = [];
    while (seen.length < 50) {
      const piece = await stream.next();
      // A piece ends with the change that fills it.
      expect(piece.length).toBeLessThan(64 * 1024 + 2 * title.length);
      seen.push(...[...piece.matchAll(/"row":\{"id":"(n\d+)"/g)].map(([, id]) => id!));
    }
    expect(seen).toEqual(Array.from({ length: 50 }, (_, no) => `n${no}`));
    stream.leave();
  });
});

test('a slice that fails has told nothing: those who were served in it before the fault are ended, and told the change when they come back', async () => {
  const { after } = (await poll('ann')).body;
  const ann = await streamOf('ann', `&after=${after}`);
  const bob = await streamOf('bob', `&after=${after}`);
  for (const stream of [ann, bob]) await stream.next(); // the retry line
  const told = [ann.next(), bob.next()];
  await new Promise((resolve) => setImmediate(resolve)); // both wait
  broken = 'bob';
  await create({ id: 'a' });
  expect(await Promise.all(told)).toEqual(Array(2).fill('event: end\ndata: {"reason":"fault"}\n\n'));
  broken = null;
  const again = await poll('ann', `&after=${after}`);
  expect(again.body.changes).toMatchObject([{ op: 'create', id: 'a' }]);
});
