/**
 * A node on a log in a PostgreSQL whose shards are copied into a bucket: the log is cut under load, the node is killed, also in the middle of a copy, and starts without its stores. Every
 * acknowledged row is there. Rounds: test/kit/rounds.ts.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogStatus, ShardStatus } from '#runtime/cluster/shards.ts';
import type { Finding } from '#runtime/doctor/finding.ts';
import { readPieceName } from '#storage/shard-copy/piece-name.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { S3_KEYS, startS3, type S3Server } from '#test/kit/s3-server.ts';
import { tally } from '#test/kit/tally.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { drive, emptyLedger, verify } from './row-ledger.ts';

const ROUNDS = rounds({ suite: 2, ci: 2 });
const CALLERS = 8;
const SHARDS = 3;
const START_MS = 60_000;

describe.runIf(hasPostgres)('a node whose log is cut behind copies of its shards', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-cut-'));
  const ledger = emptyLedger();
  let pair: PostgresPair;
  let s3: S3Server;
  let key: string;
  let file: string;

  beforeAll(async () => {
    [pair, s3] = await Promise.all([PostgresPair.start(), startS3('copies')]);
    const { url } = pair.primary;
    await createTables({ url, replication: 'strict', answerMs: 20_000 }, SHARDS);
    const bucket = `url: "127.0.0.1:${s3.port}", bucket: copies, usessl: false, accesskey: ${S3_KEYS.access}, secretkey: ${S3_KEYS.secret}`;
    const storage = `history: 24h, journal: { driver: postgres, url: "${url}", snapshots: { s3: { ${bucket} } } }`;
    const prepared = await startTestNode({ dir: root, storage });
    key = prepared.serviceKey;
    await prepared.stop();
    file = writePlatformFile(root, { storage });
  }, 180_000);
  afterAll(async () => {
    await Promise.all([pair.stop(), s3.stop()]);
    rmSync(root, { recursive: true, force: true });
  });

  const loseStores = (): void => rmSync(join(root, 'data', 'shards'), { recursive: true, force: true });
  const status = async (): Promise<readonly ShardStatus[]> =>
    (JSON.parse((await skep(`cluster status -f ${file} -o json`)).out) as LogStatus).shards;
  /** Of each shard: whether its pieces in the bucket lead on from one another, and to what was let go. */
  function assertHistory(shards: readonly ShardStatus[]): void {
    const names = [...s3.objects.keys()].map((name) => name.slice(name.indexOf('history/')));
    const pieces = names.flatMap((name) => readPieceName(name) ?? []);
    expect(pieces.length).toBeGreaterThan(0);
    for (const { shard, trimmed } of shards) {
      const own = pieces.filter((piece) => piece.shard === shard).toSorted((a, b) => a.from - b.from);
      if (own.length === 0) continue; // its first copies are the ones that it keeps
      expect(own.slice(1).map(({ from }) => from)).toEqual(own.slice(0, -1).map(({ to }) => to + 1));
      expect(own.at(-1)!.to).toBeGreaterThanOrEqual(trimmed);
    }
  }
  /** Names of the items of the tenant as it was, by the command, beside the node that serves. */
  async function namesAt(at: string): Promise<ReadonlySet<string>> {
    const [as, into] = ['acme:shop:dev:sleeping', join(root, 'then')];
    for (const line of [`restore -f ${file} ${TENANT} --at ${at} --as ${as}`, `export -f ${file} ${as} --to ${into}`]) {
      const { code, err } = await skep(`tenant ${line}`);
      expect(code, err).toBe(0);
    }
    const lines = readFileSync(join(into, 'entities', 'item.jsonl'), 'utf8')
      .trim()
      .split('\n');
    return new Set(lines.map((line) => (JSON.parse(line) as { readonly name: string }).name));
  }
  const firstEntries = async (): Promise<number> =>
    Number((await pair.primary.sql('select count(*) as n from skep_log where seq < 3'))[0]!['n']);

  /** Callers write until the node is gone; resolves when so many more rows are acknowledged. */
  async function underLoad(node: ProcessNode, name: string, more: number): Promise<{ over: Promise<unknown> }> {
    const callers = Array.from({ length: CALLERS }, (_, no) => drive(node, key, ledger, `${name}c${no}`));
    await moreRows(more);
    return { over: Promise.all(callers) };
  }

  function moreRows(more: number): Promise<void> {
    const enough = ledger.created.size + more;
    return expect.poll(() => ledger.created.size, { timeout: START_MS }).toBeGreaterThan(enough);
  }

  test(
    'the log is cut under load, and a node without its stores has every row',
    { timeout: 6 * START_MS },
    async () => {
      const node = await startProcess(file);
      expect(await firstEntries()).toBeGreaterThan(0);
      const { over } = await underLoad(node, 'cut', 20);
      for (let n = 0; n < 3; n++) {
        const made = await skep(`cluster snapshot -f ${file} -o json`);
        expect(made.code, made.err).toBe(0);
        await moreRows(20);
      }
      expect(await node.end('SIGKILL')).toBe('SIGKILL');
      await over;
      const shards = await status();
      expect(shards.every(({ copy, trimmed }) => copy !== null && trimmed > 0)).toBe(true);
      expect(shards.reduce((sum, { behind }) => sum + behind, 0)).toBeGreaterThan(0);
      loseStores();
      const again = await startProcess(file);
      expect(again.logged()).toContain('came back from a copy');
      await verify(again, key, ledger);
      // Chapters go as soon as no shard needs them: here those of the first start.
      await skep(`cluster snapshot -f ${file}`);
      expect(await firstEntries()).toBe(0);
      expect(await again.end('SIGTERM')).toBe(0);
      const { out } = await skep(`cluster check -f ${file} -o json`);
      const found = (JSON.parse(out) as Finding[]).find(({ check }) => check === 'snapshots')!;
      expect([found.state, found.detail]).toEqual(['ok', expect.stringContaining('3 copies in http://127.0.0.1')]);
      tally({ acknowledged: ledger.created.size });
    },
  );

  test(
    `killed in the middle of copies, ${ROUNDS} times, nothing is lost`,
    { timeout: ROUNDS * 3 * START_MS },
    async () => {
      let then = { at: '', names: [] as string[] };
      for (let round = 0; round < ROUNDS; round++) {
        const node = await startProcess(file);
        await verify(node, key, ledger);
        const { over } = await underLoad(node, `r${round}`, 20);
        const making = skep(`cluster snapshot -f ${file}`);
        await moreRows(5 * round);
        if (round === 0) then = { names: [...ledger.created.keys()], at: new Date().toISOString() };
        expect(await node.end('SIGKILL')).toBe('SIGKILL');
        await Promise.all([over, making]);
        loseStores();
      }
      const node = await startProcess(file);
      await verify(node, key, ledger);
      for (const way of ['out', 'history'])
        expect(existsSync(join(root, 'data', 'shard-copies', `${way}-0`))).toBe(false);
      assertHistory(await status());
      // What was answered by an instant between two kills, and nothing of behind the second one.
      const names = await namesAt(then.at);
      expect(then.names.filter((name) => !names.has(name))).toEqual([]);
      expect([...names].filter((name) => /^r[1-9]/.test(name))).toEqual([]);
      expect(await node.end('SIGTERM')).toBe(0);
      tally({ acknowledged: ledger.created.size });
    },
  );

  test(
    'copies that fail harm no write; without any of them the start says what to do',
    { timeout: 4 * START_MS },
    async () => {
      const node = await startProcess(file);
      const kept = new Map(s3.objects);
      s3.objects.clear();
      const { over } = await underLoad(node, 'fails', 10);
      await s3.stop();
      const failed = await skep(`cluster snapshot -f ${file}`);
      expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('shard 0: the S3 store')]);
      await moreRows(10);
      expect(node.logged()).toContain('Nothing is lost and writes go on');
      await node.end('SIGKILL');
      await over;
      loseStores();
      const start = startProcess(file);
      await expect(start).rejects.toThrow(/shard \d: there is no store .* start again/s);
      s3 = await startS3('copies', { port: s3.port });
      for (const [name, object] of kept) s3.objects.set(name, object);
      const again = await startProcess(file);
      await verify(again, key, ledger);
      expect(await again.end('SIGTERM')).toBe(0);
      console.log(`${ledger.created.size} rows acknowledged and found`);
      tally({ acknowledged: ledger.created.size });
    },
  );
});
