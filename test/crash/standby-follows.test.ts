/**
 * A standby follows the log while it waits: a takeover does not read what was written before, however much that was; it is killed in the middle of following, and finds a log that was cut. Every
 * acknowledged row is there.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodePair, type PairMachine } from '#test/kit/node-pair.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const SHARDS = 4;
const LEASE_MS = 3000;
const ROWS = 100_000;
const START_MS = 120_000;
/** Of each shard the newest entry is confirmed by the next one that is written, and so is what a claim before it has left. */
const BEHIND_MAX = 4 * SHARDS;

describe.runIf(hasPostgres)('a standby that follows the log', () => {
  let pair: NodePair;
  let rows = 0;
  const took: string[] = [];

  beforeAll(async () => {
    pair = await NodePair.start({ shards: SHARDS, leaseMs: LEASE_MS, hasCopies: true });
  }, 180_000);
  afterAll(() => pair.stop());

  async function headersOf(node: ProcessNode): Promise<Record<string, string>> {
    return {
      ...positionHeaders(TENANT),
      Authorization: `Bearer ${await exchange(node.listeners['gateway']!, pair.key)}`,
    };
  }

  async function bring(node: ProcessNode, count: number): Promise<void> {
    const headers = { ...(await headersOf(node)), 'Content-Type': 'application/x-ndjson' };
    for (const end = rows + count; rows < end;) {
      const lines = Array.from({ length: Math.min(20_000, end - rows) }, (_, n) => ({
        name: `row ${rows + n}`,
        token: `t-${rows + n}`,
      }));
      const url = `${node.listeners['gateway']}/data/bulk?entity=item&format=jsonl`;
      const body = lines.map((line) => JSON.stringify(line)).join('\n');
      const answer = await fetch(url, { method: 'POST', headers, body });
      expect(answer.status, await answer.text()).toBe(200);
      rows += lines.length;
    }
  }

  const metricsOf = async ({ operations }: PairMachine): Promise<string> =>
    (await fetch(`${operations}/metrics`)).text();

  async function totalOf(node: ProcessNode): Promise<number> {
    const answer = await call(node.listeners['gateway']!, 'GET', '/data/rest/item?limit=1', await headersOf(node));
    expect(answer.status).toBe(200);
    return (answer.json as { total: number }).total;
  }

  /** Kills the one that serves, and gives the other one once it does. */
  async function takeOver(node: ProcessNode, serves: Promise<ProcessNode>, what: string): Promise<ProcessNode> {
    const since = performance.now();
    expect(await node.end('SIGKILL')).toBe('SIGKILL');
    const next = await serves;
    took.push(`${what}: ${Math.round(performance.now() - since)} ms`);
    expect(await totalOf(next)).toBe(rows);
    return next;
  }

  test(`takes over as fast behind ${ROWS} rows as behind none`, { timeout: 4 * START_MS }, async () => {
    const [one, two] = pair.machines;
    let node = await pair.serve(one);
    let waits = await pair.standby(two);
    await pair.followed(two, BEHIND_MAX, 10_000);
    node = await takeOver(node, waits.serves, 'behind no rows');
    waits = await pair.standby(one);
    await bring(node, ROWS);
    await pair.followed(one, BEHIND_MAX, START_MS);
    const status = JSON.parse((await skep(`cluster status -f ${two.file} -o json`)).out) as {
      nodes: { node: string; state: string; behind: number | null; behind_s: number | null }[];
    };
    const standing = status.nodes.find(({ state }) => state === 'stands by')!;
    expect(standing).toMatchObject({ node: 'n1', behind: expect.any(Number), behind_s: expect.any(Number) });
    expect(await metricsOf(one)).toMatch(/^skep_standby_behind_entries \d+$/m);
    expect(await metricsOf(one)).toMatch(/^skep_standby_age_seconds [\d.]+$/m);
    node = await takeOver(node, waits.serves, `behind ${ROWS} rows`);
    expect(await metricsOf(one)).toMatch(/^skep_lease_left_seconds [\d.]+$/m);
    expect(await metricsOf(one)).toMatch(/^skep_log_copy_every_seconds 21600$/m);
    console.log(took.join(', '), `of a lease of ${LEASE_MS} ms`);
    expect(await node.end('SIGTERM')).toBe(0);
  });

  test('killed while it follows it goes on, and follows a log that was cut', { timeout: 4 * START_MS }, async () => {
    const [one, two] = pair.machines;
    const node = await pair.serve(one);
    rmSync(two.data, { recursive: true, force: true });
    const first = await pair.standby(two);
    // It has begun to write, and has as yet some of the entries.
    await expect.poll(() => existsSync(join(two.data, 'shards')), { timeout: START_MS, interval: 5 }).toBe(true);
    process.kill(first.pid, 'SIGKILL');
    await expect(first.serves).rejects.toThrow('SIGKILL');
    for (let n = 0; n < 3; n++) {
      await bring(node, 1000);
      const made = await skep(`cluster snapshot -f ${one.file} -o json`);
      expect(made.code, made.err).toBe(0);
    }
    const waits = await pair.standby(two);
    await pair.followed(two, BEHIND_MAX, START_MS);
    await bring(node, 1000);
    await pair.followed(two, BEHIND_MAX, START_MS);
    const next = await takeOver(node, waits.serves, 'behind a cut');
    expect(next.logged()).toContain('came back from a copy');
    expect(await next.end('SIGTERM')).toBe(0);
  });
});
