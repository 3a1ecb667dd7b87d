/**
 * Two nodes on one log in a PostgreSQL with a synchronous standby: one serves, the other one waits. The first is killed, or stands still for longer than its lease, or stops in order: the other one
 * serves, with every acknowledged row, and what was overtaken answers nothing by what it knew. Rounds: test/kit/rounds.ts.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { drive, emptyLedger, verify } from './row-ledger.ts';
import { SilentLink } from './silent-link.ts';
import { freePort } from '#test/kit/free-port.ts';

const ROUNDS = rounds({ suite: 2, ci: 2 });
const CALLERS = 8;
const SHARDS = 4;
const START_MS = 60_000;
const LEASE_MS = 3000;

/** A node of the two: its file, and where its operations listener is, also while it waits. */
interface Machine {
  readonly name: string;
  readonly file: string;
  readonly operations: string;
}

describe.runIf(hasPostgres)('two nodes on one log', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-standby-'));
  const ledger = emptyLedger();
  const served: number[] = [];
  let pair: PostgresPair;
  /** Between the first machine and the database. */
  let link: SilentLink;
  let key: string;
  let machines: readonly [Machine, Machine];

  beforeAll(async () => {
    pair = await PostgresPair.start();
    const { url } = pair.primary;
    const storage = `journal: { driver: postgres, url: "${url}" }`;
    await createTables({ url, replication: 'strict', answerMs: 20_000 }, SHARDS);
    mkdirSync(join(root, 'n1'));
    const prepared = await startTestNode({ dir: join(root, 'n1'), storage });
    key = prepared.serviceKey;
    await prepared.stop();
    link = new SilentLink(pair.primary.port);
    const linked = storage.replace(`:${pair.primary.port}/`, `:${await link.open()}/`);
    machines = [await machine('n1', linked), await machine('n2', storage)];
  }, 180_000);
  afterAll(async () => {
    link.close();
    await pair.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function machine(name: string, storage: string): Promise<Machine> {
    const dir = join(root, name);
    mkdirSync(dir, { recursive: true });
    const extra = `cluster: { node: ${name}, lease: ${LEASE_MS / 1000}s }`;
    const file = writePlatformFile(dir, { storage, extra });
    const port = await freePort();
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('operations: { bind: 127.0.0.1:0 }', `operations: { bind: 127.0.0.1:${port} }`));
    return { name, file, operations: `http://127.0.0.1:${port}` };
  }

  /** Starts a node that waits; resolves when it says so, with what becomes of it. */
  async function standby({ file, operations }: Machine): Promise<{ readonly serves: Promise<ProcessNode> }> {
    const serves = startProcess(file);
    serves.catch(() => undefined);
    await expect.poll(() => readiness(operations), { timeout: START_MS }).toContain('standby, ');
    return { serves };
  }

  /** Callers write until the node is gone; resolves when so many more rows are acknowledged. */
  async function underLoad(node: ProcessNode, name: string): Promise<{ readonly over: Promise<unknown> }> {
    const enough = ledger.created.size + 60;
    const callers = Array.from({ length: CALLERS }, (_, no) => drive(node, key, ledger, `${name}c${no}`));
    await expect.poll(() => ledger.created.size, { timeout: START_MS }).toBeGreaterThan(enough);
    return { over: Promise.all(callers) };
  }

  /** Milliseconds until the other one serves. */
  async function takenOver(waits: { readonly serves: Promise<ProcessNode> }, since: number): Promise<ProcessNode> {
    const next = await waits.serves;
    served.push(Math.round(performance.now() - since));
    await verify(next, key, ledger);
    return next;
  }

  test(
    `a standby serves when the other node is killed, in ${ROUNDS} kills`,
    { timeout: ROUNDS * 3 * START_MS },
    async () => {
      let node = await startProcess(machines[0].file);
      for (let round = 0; round < ROUNDS; round++) {
        const waits = await standby(machines[(round + 1) % 2]!);
        const status = await skep(`cluster status -f ${machines[0].file}`);
        expect(status.out).toMatch(/n1 .*serves|n2 .*serves/);
        const { over } = await underLoad(node, `k${round}`);
        const since = performance.now();
        expect(await node.end('SIGKILL')).toBe('SIGKILL');
        await over;
        node = await takenOver(waits, since);
      }
      await node.end('SIGKILL');
      console.log(`served again after ${served.join(', ')} ms, of a lease of ${LEASE_MS} ms`);
      // A generous bound: the lease, the replay, and a machine that is busy with other tests.
      for (const ms of served) expect(ms).toBeLessThan(LEASE_MS + START_MS);
      tally({ acknowledged: ledger.created.size });
    },
  );

  test(
    'a node that stood still for longer than its lease ends, and one that is cut off answers no read meanwhile',
    { timeout: 2 * START_MS },
    async () => {
      const first = await startProcess(machines[0].file);
      const gateway = first.listeners['gateway']!;
      const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(gateway, key)}` };
      const read = async (): Promise<number> => (await call(gateway, 'GET', '/data/rest/item?limit=1', headers)).status;
      const waits = await standby(machines[1]);
      // Nothing is pending there: a read of what waits for the database would wait with it.
      await expect.poll(read).toBe(200);
      link.fallSilent();
      process.kill(first.pid, 'SIGSTOP');
      const since = performance.now();
      const second = await takenOver(waits, since);
      const { over: more } = await underLoad(second, 'behind');
      // It wakes, and cannot hear that another one serves: its own clock has to tell it.
      process.kill(first.pid, 'SIGCONT');
      for (let n = 0; n < 20; n++) expect(await read()).toBe(503);
      link.heal();
      expect(await first.exited).toBe(70);
      expect(first.stderr()).toMatch(/another node has taken/);
      await second.end('SIGKILL');
      await more;
    },
  );

  test(
    'a node that stops in order is followed at once, and does not come back by itself',
    { timeout: 4 * START_MS },
    async () => {
      const first = await startProcess(machines[0].file);
      const waits = await standby(machines[1]);
      const { over } = await underLoad(first, 'stopped');
      const since = performance.now();
      expect(await first.end('SIGTERM')).toBe(0);
      await over;
      const second = await takenOver(waits, since);
      const again = await standby(machines[0]);
      const { over: later } = await underLoad(second, 'goes on');
      const provision = await skep(`tenant list -f ${machines[0].file}`);
      expect(provision).toMatchObject({ code: 1 });
      const refused = performance.now();
      await second.end('SIGKILL');
      await later;
      const last = await takenOver(again, refused);
      expect(await last.end('SIGTERM')).toBe(0);
      tally({ acknowledged: ledger.created.size });
    },
  );
});

/** What `/readyz` says; '' while nothing listens. */
async function readiness(operations: string): Promise<string> {
  return fetch(`${operations}/readyz`).then(
    (answer) => answer.text(),
    () => '',
  );
}
