/** Certificates that nodes share, over a vault in memory: what one node gains the others have, and of two that order one has its order fail. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { AcmeFault } from '#runtime/acme/fault.ts';
import { FRESH } from '#runtime/acme/next-action.ts';
import { OwnPapers } from '#runtime/acme/own-papers.ts';
import { fallbackPair, keyPem } from '#runtime/acme/paper.ts';
import { pairPlace } from '#runtime/acme/places.ts';
import { writePrivately } from '#runtime/acme/private-file.ts';
import { SharedPapers } from '#runtime/acme/shared-papers.ts';
import { openBench, type VaultBench } from '#test/actors/vault/bench.ts';
import { DIRECTORY, FAILED, NOW, SITE, papersCases, scratch } from './papers.cases.ts';

const clock = new SimulatedClock(NOW);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const said: string[] = [];

/** Nodes of one log: each has a directory of its own. `opened` counts the calls for which the vault was opened. */
async function nodes() {
  const bench = await openBench();
  const count = { opened: 0 };
  const node = (dataDir = scratch()) => ({ dataDir, papers: papersOf(bench, dataDir, count) });
  return { bench, count, node, first: node(), second: node() };
}

function papersOf({ barrier, store }: VaultBench, dataDir: string, count = { opened: 0 }): SharedPapers {
  return new SharedPapers({
    store,
    unsealed: (run) => {
      count.opened++;
      return run(barrier);
    },
    dataDir,
    names: [SITE, 'b.example.org'],
    clock,
    log: { ...silent, error: (_, text) => void said.push(text) },
  });
}

describe('in a vault', async () => {
  const benches = new Map<string, VaultBench>();
  const spare = await Promise.all(Array.from({ length: 4 }, () => openBench()));
  papersCases((dir) => {
    if (!benches.has(dir)) benches.set(dir, spare.pop()!);
    return papersOf(benches.get(dir)!, dir);
  });
});

const fileOf = (dataDir: string): string => readFileSync(pairPlace(dataDir, SITE), 'utf8');

test('what one node gains comes into the files of another one, and what it remembers too', async () => {
  const { bench, first, second } = await nodes();
  await first.papers.recall();
  const pair = await fallbackPair(NOW);
  await first.papers.put(SITE, pair);
  await first.papers.remember(SITE, FAILED);
  expect(Object.fromEntries(await second.papers.fetch())).toEqual({ [SITE]: FAILED });
  expect(fileOf(second.dataDir)).toBe(pair);
  const key = keyPem(await first.papers.account(DIRECTORY));
  expect(keyPem(await second.papers.account(DIRECTORY))).toBe(key);
  for (const secret of ['PRIVATE KEY', pair.slice(100, 140), 'it is down'])
    expect(bench.store.dump()).not.toContain(secret);
});

test('a look that finds nothing new opens no vault and reads no pair', async () => {
  const { bench, count, first, second } = await nodes();
  await first.papers.put(SITE, await fallbackPair(NOW));
  await second.papers.fetch();
  const before = count.opened;
  for (let no = 0; no < 5; no++) await second.papers.fetch();
  expect(count.opened).toBe(before);
  bench.store.down = true;
  await expect(second.papers.fetch()).rejects.toThrow('taken away');
  expect(existsSync(pairPlace(second.dataDir, SITE))).toBe(true);
});

test('a token of the node that serves is answered by the others while it is offered, for its name', async () => {
  const { first, second } = await nodes();
  await first.papers.recall();
  const withdraw = await first.papers.offer(SITE, 'token-1', 'token-1.print');
  await second.papers.look();
  const answers = (): unknown[] =>
    [
      [SITE, 'token-1'],
      [SITE, 'token-2'],
      ['b.example.org', 'token-1'],
    ].map(([name, token]) => second.papers.offered(name!, token!));
  expect(answers()).toEqual(['token-1.print', null, null]);
  await withdraw();
  await second.papers.look();
  expect(answers()).toEqual([null, null, null]);
});

test('of two nodes that both order one is refused, before anything is lost', async () => {
  const { first, second } = await nodes();
  await first.papers.recall();
  await second.papers.recall();
  await first.papers.remember(SITE, FAILED);
  await expect(second.papers.remember(SITE, FRESH)).rejects.toThrow(AcmeFault);
  await expect(first.papers.offer(SITE, 'token', 'answer')).resolves.toBeDefined();
  await expect(second.papers.put(SITE, await fallbackPair(NOW))).rejects.toThrow('another node has changed');
  expect(existsSync(pairPlace(second.dataDir, SITE))).toBe(false);
  // Now it has seen the newest state, and the other one is gone.
  await second.papers.remember('b.example.org', FRESH);
  expect(Object.fromEntries(await second.papers.fetch())).toEqual({ [SITE]: FAILED, 'b.example.org': FRESH });
});

test('a look that is under way replaces nothing that a change has found', async () => {
  const { first, second } = await nodes();
  await first.papers.recall();
  for (let no = 0; no < 20; no++)
    await Promise.all([
      first.papers.look(),
      first.papers.remember(SITE, { ...FRESH, notBeforeMs: no }),
      first.papers.look(),
    ]);
  expect((await second.papers.fetch()).get(SITE)!.notBeforeMs).toBe(19);
});

test('a node that had certificates of its own brings them along; one that comes later takes what is there', async () => {
  const { bench, first, second } = await nodes();
  const [own, other] = [await fallbackPair(NOW), await fallbackPair(NOW)];
  const before = new OwnPapers(first.dataDir, clock, silent);
  await before.put(SITE, own);
  await before.remember('b.example.org', FAILED);
  const account = keyPem(await before.account(DIRECTORY));
  await writePrivately(pairPlace(first.dataDir, 'b.example.org'), 'no pair');
  await writePrivately(pairPlace(second.dataDir, SITE), other);
  await first.papers.fetch();
  expect(first.papers.isBegun).toBe(false);
  expect(Object.fromEntries(await first.papers.recall())).toEqual({ 'b.example.org': FAILED });
  const versions = ['acme/state', `acme/pair/${SITE}`].map((path) => bench.store.entries.get(path)?.version);
  expect([first.papers.isBegun, versions[0]]).toEqual([true, versions[1]]); // all at once
  expect(keyPem(await first.papers.account(DIRECTORY))).toBe(account);
  expect(Object.fromEntries(await second.papers.recall())).toEqual({ 'b.example.org': FAILED });
  expect(fileOf(second.dataDir)).toBe(own);
  expect(keyPem(await second.papers.account(DIRECTORY))).toBe(account);
  expect(existsSync(pairPlace(second.dataDir, 'b.example.org'))).toBe(false);
});

test('a pair that cannot be used is not put in the place of one that can', async () => {
  const { bench, first, second } = await nodes();
  const pair = await fallbackPair(NOW);
  await first.papers.put(SITE, pair);
  await second.papers.fetch();
  const sealed = bench.store.entries.get(`acme/pair/${SITE}`)!;
  await first.papers.put(SITE, await fallbackPair(NOW));
  // The envelope of before in the place of the new one: another pair than the state names.
  bench.store.entries.set(`acme/pair/${SITE}`, sealed);
  await second.papers.fetch();
  expect(fileOf(second.dataDir)).toBe(pair);
  expect(said).toEqual([]);

  // An envelope of another place: it costs its own name, and not the others.
  bench.store.entries.set(`acme/pair/${SITE}`, { ...sealed, value: bench.store.entries.get('acme/state')!.value });
  await first.papers.put('b.example.org', pair);
  const third = scratch();
  await papersOf(bench, third).fetch();
  expect([existsSync(pairPlace(third, SITE)), existsSync(pairPlace(third, 'b.example.org'))]).toEqual([false, true]);
  expect(said.splice(0)).toEqual([expect.stringContaining('the certificate of a site in the vault cannot be used')]);
  await papersOf(bench, third).recall(); // orders go on
});
