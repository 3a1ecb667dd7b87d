/** A directory of files that becomes a node on a log in a PostgreSQL, and back: the verbs are killed in the middle, and every acknowledged row is there behind each way. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { drive, emptyLedger, verify } from './row-ledger.ts';

const START_MS = 60_000;
const LAUNCHER = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));

describe.runIf(hasPostgres)('from a directory of files to a log, and back', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-adopt-'));
  const copies = join(root, 'copies');
  const stores = join(root, 'data', 'shards');
  const ledger = emptyLedger();
  let pair: PostgresPair;
  let key: string;
  let storage: string;

  beforeAll(async () => {
    pair = await PostgresPair.start();
    const { url } = pair.primary;
    await createTables({ url, replication: 'strict', answerMs: 20_000 }, 8);
    mkdirSync(copies);
    storage = `journal: { driver: postgres, url: "${url}", snapshots: { to: "${copies}" } }`;
    const prepared = await startTestNode({ dir: root });
    key = prepared.serviceKey;
    await prepared.stop();
  }, 180_000);
  afterAll(async () => {
    await pair.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const onFiles = (): string => writePlatformFile(root);
  const onLog = (): string => writePlatformFile(root, { storage });

  /** Serves the file: all that was acknowledged is there; more is written, and the node stopped. */
  async function served(file: string, name: string, end: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const node = await startProcess(file);
    await verify(node, key, ledger);
    const enough = ledger.created.size + 20;
    const callers = Array.from({ length: 4 }, (_, no) => drive(node, key, ledger, `${name}c${no}`));
    await expect.poll(() => ledger.created.size, { timeout: START_MS }).toBeGreaterThan(enough);
    expect(await node.end(end)).toBe(end === 'SIGTERM' ? 0 : end);
    await Promise.all(callers);
  }

  /** Runs a verb as a process that is killed as soon as `isReached`. */
  async function killed(verb: string, file: string, isReached: () => boolean | Promise<boolean>): Promise<void> {
    const child = spawn(LAUNCHER, ['cluster', verb, '-f', file], { stdio: 'ignore' });
    const exit = once(child, 'exit');
    await expect
      .poll(async () => child.exitCode !== null || isReached(), { timeout: START_MS, interval: 1 })
      .toBe(true);
    child.kill('SIGKILL');
    await exit;
    tally({ kills: 1 });
  }

  test('adopt refuses what it cannot take whole', { timeout: 4 * START_MS }, async () => {
    await served(onFiles(), 'killed', 'SIGKILL');
    const left = await skep(`cluster adopt -f ${onLog()}`);
    expect([left.code, left.err]).toEqual([1, expect.stringContaining('holds writes that its stores may not have')]);
    await served(onFiles(), 'files');
    const placeless = writePlatformFile(root, { storage: storage.replace(/, snapshots: .*\}/, ' }') });
    expect((await skep(`cluster adopt -f ${placeless}`)).err).toContain('names no place for them');
    expect(existsSync(stores)).toBe(true);
  });

  test('adopt, killed in the middle, goes on; a node on the log has every row', { timeout: 6 * START_MS }, async () => {
    await killed('adopt', onLog(), () => globSync(join(copies, '*', '*', '*.mdb')).length > 0);
    await expect(startProcess(onLog())).rejects.toThrow('go on with it: skep cluster adopt');
    expect(existsSync(stores)).toBe(true);
    await served(onFiles(), 'untouched'); // the old directory serves until the end
    const file = onLog();
    const adopted = await skep(`cluster adopt -f ${file} -o json`);
    expect(adopted.code, adopted.err).toBe(0);
    expect([existsSync(stores), existsSync(`${stores}-of-files`)]).toEqual([false, true]);
    const again = await skep(`cluster adopt -f ${file}`);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('the log is not empty; nothing was changed')]);
    await served(file, 'log', 'SIGKILL');
    await served(file, 'log again');
    tally({ acknowledged: ledger.created.size });
  });

  test(
    'leave, killed in the middle, goes on; files have every row, and no node serves the log',
    { timeout: 6 * START_MS },
    async () => {
      const file = onLog();
      const isHeld = async (): Promise<boolean> =>
        (await pair.primary.sql("select from skep_shard where owner = 'skep cluster leave'")).length > 0;
      await killed('leave', file, isHeld);
      const left = await skep(`cluster leave -f ${file} -o json`);
      expect(left.code, left.err).toBe(0);
      await expect(startProcess(file)).rejects.toThrow('was left, and files acknowledge in its place');
      expect((await skep(`cluster leave -f ${file} -o json`)).out).toContain('"shards": 0');
      await served(onFiles(), 'back', 'SIGKILL');
      await served(onFiles(), 'back again');
      console.log(`${ledger.created.size} rows acknowledged and found`);
      tally({ acknowledged: ledger.created.size });
    },
  );
});
