/**
 * A node whose writes are acknowledged by a log in a PostgreSQL with a synchronous standby: killed under load, without its LMDB, on another machine. Every acknowledged row is there.
 * Rounds: test/kit/rounds.ts.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { drive, emptyLedger, verify } from './row-ledger.ts';

const ROUNDS = rounds({ suite: 2, ci: 3 });
const CALLERS = 12;
const SHARDS = 4;
const START_MS = 60_000;

describe.runIf(hasPostgres)('a node over a log in a database', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-log-'));
  const [here, there] = [join(root, 'here'), join(root, 'there')];
  const ledger = emptyLedger();
  let pair: PostgresPair;
  let key: string;
  let file: string;
  let storage: string;

  beforeAll(async () => {
    pair = await PostgresPair.start();
    const { url } = pair.primary;
    storage = `journal: { driver: postgres, url: "${url}" }`;
    await createTables({ url, replication: 'strict', answerMs: 20_000 }, SHARDS);
    for (const dir of [here, there]) mkdirSync(dir);
    const prepared = await startTestNode({ dir: here, storage });
    key = prepared.serviceKey;
    await prepared.stop();
    file = writePlatformFile(here, { storage });
  }, 180_000);
  afterAll(async () => {
    await pair.stop();
    rmSync(root, { recursive: true, force: true });
  });

  /** Callers write until the node is gone; resolves when so many more rows are acknowledged. */
  async function underLoad(
    node: ProcessNode,
    name: string,
    more: number,
  ): Promise<{ readonly over: Promise<unknown> }> {
    const enough = ledger.created.size + more;
    const callers = Array.from({ length: CALLERS }, (_, no) => drive(node, key, ledger, `${name}c${no}`));
    await expect.poll(() => ledger.created.size, { timeout: START_MS }).toBeGreaterThan(enough);
    return { over: Promise.all(callers) };
  }

  test(`no acknowledged row is lost in ${ROUNDS} kills`, { timeout: ROUNDS * 2 * START_MS }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const node = await startProcess(file);
      await verify(node, key, ledger);
      const { over } = await underLoad(node, `r${round}`, 100);
      expect(await node.end('SIGKILL')).toBe('SIGKILL');
      await over;
    }
    const node = await startProcess(file);
    await verify(node, key, ledger);
    expect(await node.end('SIGTERM')).toBe(0);
    tally({ acknowledged: ledger.created.size });
  });

  test('a node without its LMDB is rebuilt from the log alone', { timeout: 4 * START_MS }, async () => {
    const victim = await startProcess(file);
    const { over } = await underLoad(victim, 'rebuilt', 100);
    await victim.end('SIGKILL');
    await over;
    expect(existsSync(join(here, 'data', 'journal'))).toBe(false);
    rmSync(join(here, 'data', 'shards'), { recursive: true });
    rmSync(join(here, 'data', 'epoch'));
    const node = await startProcess(file);
    await verify(node, key, ledger);
    const { over: later } = await underLoad(node, 'behind it', 20);
    await node.end('SIGKILL');
    await later;
    tally({ acknowledged: ledger.created.size });
  });

  test(
    'while the standby is away nothing is acknowledged, and the node says so; it goes on by itself',
    { timeout: 4 * START_MS },
    async () => {
      const node = await startProcess(file);
      const { over } = await underLoad(node, 'waits', 20);
      const readyz = async (): Promise<string> =>
        (await call(node.listeners['operations']!, 'GET', '/readyz', { Accept: 'application/json' })).text;
      await pair.standby.kill();
      await expect.poll(readyz, { timeout: START_MS }).toContain('does not acknowledge');
      const acknowledged = ledger.created.size;
      expect(await readyz()).toContain('log of host-0');
      expect(ledger.created.size).toBe(acknowledged);
      await pair.standby.start();
      await expect.poll(() => ledger.created.size, { timeout: START_MS }).toBeGreaterThan(acknowledged + 20);
      await expect.poll(readyz, { timeout: START_MS }).toBe('{"ready":true,"degraded":[]}');
      await node.end('SIGKILL');
      await over;
      expect(node.logged()).toContain('does not acknowledge');
    },
  );

  test(
    'another machine goes on when the first one is gone, and the first one after it',
    { timeout: 4 * START_MS },
    async () => {
      const first = await startProcess(file);
      const { over } = await underLoad(first, 'first', 100);
      await first.end('SIGKILL');
      await over;
      // It waits for the lease of the first one: two machines know nothing of each other's locks.
      const other = writePlatformFile(there, { storage, extra: 'cluster: { lease: 3s }' });
      const second = await startProcess(other);
      // Rows come with the log, and the bytes of a product from its checkout.
      expect(await skep(`tenant provision -f ${other} --tenant ${TENANT}`)).toMatchObject({ code: 0 });
      await verify(second, key, ledger);
      const { over: later } = await underLoad(second, 'second', 100);
      expect(await second.end('SIGTERM')).toBe(0);
      await later;
      const last = await startProcess(file);
      await verify(last, key, ledger);
      expect(await last.end('SIGTERM')).toBe(0);
      console.log(`${ledger.created.size} rows acknowledged and found`);
      tally({ acknowledged: ledger.created.size });
    },
  );
});
