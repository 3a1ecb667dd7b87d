/**
 * The place of the node that serves is given up by command: handed over to one that follows, under load, and back again by a node that goes on as the standby in the same process; or taken from one
 * that is dead. Every acknowledged row is there.
 * Reads are confirmed by rounds to the database here.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadPlatform, startNode, type RunningNode, type StartOptions } from '#runtime/embed.ts';
import { TakeoverClients } from '#bench/kit/takeover-clients.ts';
import { NodePair, readiness, type PairMachine } from '#test/kit/node-pair.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { drive, emptyLedger, verify } from './row-ledger.ts';

const SHARDS = 4;
const LEASE_MS = 10_000;
const CALLERS = 8;
const START_MS = 60_000;
const BEHIND_MAX = 1_000_000;

describe.runIf(hasPostgres)('a place that is given up by command', () => {
  const ledger = emptyLedger();
  let pair: NodePair;

  beforeAll(async () => {
    pair = await NodePair.start({ shards: SHARDS, leaseMs: LEASE_MS, reads: 'confirmed' });
  }, 180_000);
  afterAll(() => pair.stop());

  const run = (words: string, { file }: PairMachine) => skep(`cluster ${words} -f ${file} -o json`);

  /** Callers write until the node does not answer; resolves when so many more rows are acknowledged. */
  async function underLoad(node: ProcessNode, name: string): Promise<{ readonly over: Promise<unknown> }> {
    const enough = ledger.created.size + 60;
    const callers = Array.from({ length: CALLERS }, (_, no) => drive(node, pair.key, ledger, `${name}c${no}`));
    await expect.poll(() => ledger.created.size, { timeout: START_MS }).toBeGreaterThan(enough);
    return { over: Promise.all(callers) };
  }

  test(
    'a node hands over under load, waits in the same process, and takes the place back',
    { timeout: 4 * START_MS },
    async () => {
      const [one, two] = pair.machines;
      const first = await pair.serve(one);
      const alone = await run('drain', one);
      expect([alone.code, alone.err]).toEqual([1, expect.stringContaining('no other node waits')]);
      const waits = await pair.standby(two);
      await pair.followed(two, BEHIND_MAX);
      const wrong = await run('drain n2', two);
      expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('n2 does not serve the log: n1 does')]);
      const { over } = await underLoad(first, 'over');
      const drained = await run('drain n1', two);
      expect(drained.code, drained.err).toBe(0);
      expect(JSON.parse(drained.out)).toMatchObject({ from: 'n1', to: 'n2' });
      await over;
      const second = await waits.serves;
      await verify(second, pair.key, ledger);
      await pair.followed(one, BEHIND_MAX);
      await pair.ready(one);
      expect(await readiness(one)).toContain('standby, n2 serves');
      const { over: more } = await underLoad(second, 'back');
      const followers = new TakeoverClients([one.gateway, two.gateway], [{ name: TENANT, key: pair.key }], 1);
      await followers.servedBy(1, START_MS);
      followers.begin();
      expect(JSON.parse((await run('drain', one)).out)).toMatchObject({ from: 'n2', to: 'n1' });
      await more;
      // Each was answered by one of them, or not taken: a node that gives its place answers what it took, and one that has it not yet does not listen.
      expect((await followers.servedBy(0, START_MS)).refused).toBe(0);
      await followers.stop();
      expect([followers.acknowledged > 0, await followers.lost()]).toEqual([true, 0]);
      await expect.poll(() => servingLines(first), { timeout: START_MS }).toHaveLength(2);
      const back = { ...first, listeners: servingLines(first)[1]! };
      await verify(back, pair.key, ledger);
      await pair.followed(two, BEHIND_MAX);
      expect(await second.end('SIGTERM')).toBe(0);
      expect(await first.end('SIGTERM')).toBe(0);
      tally({ acknowledged: ledger.created.size });
    },
  );

  test(
    'a program with a node in it hears of the word, and is a standby behind it',
    { timeout: 4 * START_MS },
    async () => {
      const [one, two] = pair.machines;
      const platform = loadPlatform(one.file, { set: { 'log.level': 'silent' } });
      const waited: string[] = [];
      const again = Promise.withResolvers<RunningNode>();
      const options: StartOptions = {
        onStandby: (serving) => waited.push(serving),
        onHandOver: (node, heir) => {
          expect([node, heir]).toEqual([embedded, 'n2']);
          again.resolve(node.stop(0).then(() => startNode(platform, options)));
        },
      };
      const embedded = await startNode(platform, options);
      onTestFinished(async () => (await again.promise).stop(0));
      expect(waited).toEqual([]);
      const waits = await pair.standby(two);
      await pair.followed(two, BEHIND_MAX);
      const drained = await run('drain n1', two);
      expect(drained.code, drained.err).toBe(0);
      const second = await waits.serves;
      await expect.poll(() => waited, { timeout: START_MS }).toEqual(['n2']);
      expect(await second.end('SIGTERM')).toBe(0);
      const headers = { ...positionHeaders(TENANT), Authorization: '' };
      const { gateway } = (await again.promise).addresses;
      headers.Authorization = `Bearer ${await exchange(gateway!, pair.key)}`;
      expect((await call(gateway!, 'GET', '/data/rest/item?limit=1', headers)).status).toBe(200);
    },
  );

  test('a node that is dead is fenced by its name, and one that beats is not', { timeout: 4 * START_MS }, async () => {
    const [one, two] = pair.machines;
    const first = await pair.serve(one);
    const waits = await pair.standby(two);
    await pair.followed(two, BEHIND_MAX);
    expect((await run('fence n1 --confirm n2', two)).code).toBe(2);
    const unknown = await run('fence n3 --confirm n3', two);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('no node n3 is left to fence')]);
    const lives = await run('fence n1 --confirm n1', two);
    expect([lives.code, lives.err]).toEqual([1, expect.stringContaining('n1 lives')]);
    const { over } = await underLoad(first, 'fenced');
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    await over;
    const fenced = await run('fence n1 --confirm n1', two);
    expect(fenced.code, fenced.err).toBe(0);
    expect(JSON.parse(fenced.out)).toMatchObject({ node: 'n1', served: true, lives: 1 });
    const second = await waits.serves;
    await verify(second, pair.key, ledger);
    const gateway = second.listeners['gateway']!;
    const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(gateway, pair.key)}` };
    const read = async (): Promise<number> => (await call(gateway, 'GET', '/data/rest/item?limit=1', headers)).status;
    expect(await read()).toBe(200);
    await pair.database.primary.kill();
    expect(await read()).toBe(503);
    expect(await second.end('SIGKILL')).toBe('SIGKILL');
  });
});

/** Listeners of each time that a process said it serves. */
function servingLines(node: ProcessNode): Readonly<Record<string, string>>[] {
  return node
    .logged()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"msg":"serving"'))
    .map((line) => (JSON.parse(line) as { listeners: Record<string, string> }).listeners);
}
