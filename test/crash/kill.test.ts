/**
 * kill -9 under mixed load, again and again on one store: every acknowledged create is there once, none is half there, every
 * acknowledged submission too. Rounds: test/kit/rounds.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import type { Headers } from '#test/kit/test-node.ts';
import { rounds } from '#test/kit/rounds.ts';

const ROUNDS = rounds({ suite: 5, ci: 15 });
const CALLERS = 24;
const dir = mkdtempSync(join(tmpdir(), 'skep-crash-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Ledger {
  /** Names whose create was answered 201, with the id. */
  readonly created: Map<string, string>;
  /** Newest acknowledged stock by id, and the one that was under way. */
  readonly stock: Map<string, { acknowledged: number; tried: number }>;
  /** Ids of submissions answered 200. */
  readonly submitted: Set<string>;
}

test(`no acknowledged write is lost in ${ROUNDS} kills`, { timeout: 60_000 + ROUNDS * 10_000 }, async () => {
  const prepared = await startTestNode({ dir });
  const key = prepared.serviceKey;
  await prepared.stop();
  const file = writePlatformFile(dir);
  const ledger: Ledger = { created: new Map(), stock: new Map(), submitted: new Set() };
  const starts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(file);
    starts.push(node.startMs);
    await verify(node, key, ledger);
    const load = Array.from({ length: CALLERS }, (_, caller) => drive(node, key, ledger, `r${round}c${caller}`));
    await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 700));
    await node.end('SIGKILL');
    await Promise.all(load);
  }
  const node = await startProcess(file);
  starts.push(node.startMs);
  await verify(node, key, ledger);
  expect(await node.end('SIGTERM')).toBe(0);
  tally({ acknowledged: ledger.created.size + ledger.submitted.size });
  expect(ledger.created.size).toBeGreaterThan(ROUNDS);
  console.log(
    `${ledger.created.size} creates, ${ledger.submitted.size} submissions; slowest start ${Math.round(Math.max(...starts))} ms`,
  );
});

/** One caller: creates, updates of its own rows and submissions, until the node is gone. */
async function drive(node: ProcessNode, key: string, ledger: Ledger, name: string): Promise<void> {
  const gateway = node.listeners['gateway']!;
  try {
    const headers = await service(gateway, key);
    for (let i = 0; ; i++) {
      const rowName = `${name}n${i}`;
      const created = await call(gateway, 'POST', '/data/rest/item', headers, { name: rowName, token: `t-${rowName}` });
      if (created.status === 201) ledger.created.set(rowName, (created.json as { data: { id: string }[] }).data[0]!.id);
      const id = ledger.created.get(rowName);
      if (id !== undefined) await restock(gateway, headers, ledger, id, i + 1);
      const body = { name: rowName, email: 'a@example.org' };
      const submitted = await call(gateway, 'POST', '/f/contact', {}, body);
      if (submitted.status === 200) ledger.submitted.add((submitted.json as { id: string }).id);
    }
  } catch {
    // the node was killed: what was not answered may or may not be there
  }
}

async function restock(gateway: string, headers: Headers, ledger: Ledger, id: string, stock: number): Promise<void> {
  const entry = ledger.stock.get(id) ?? { acknowledged: 0, tried: 0 };
  ledger.stock.set(id, entry);
  entry.tried = stock;
  const answer = await call(gateway, 'PATCH', `/data/rest/item/id/${id}`, headers, { stock });
  if (answer.status === 200) entry.acknowledged = stock;
}

async function service(gateway: string, key: string): Promise<Headers> {
  return { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(gateway, key)}` };
}

/** Compares the whole store with the ledger: rows, every index, the kept counter. */
async function verify(node: ProcessNode, key: string, ledger: Ledger): Promise<void> {
  const gateway = node.listeners['gateway']!;
  const headers = await service(gateway, key);
  const rows = new Map<string, { id: string; name: string; token: string; stock: number }>();
  let total = 0;
  for (let offset = 0; ;) {
    const page = await call(gateway, 'GET', `/data/rest/item?limit=5000&offset=${offset}`, headers);
    expect(page.status).toBe(200);
    const envelope = page.json as { data: { id: string; name: string; token: string; stock: number }[]; total: number };
    total = envelope.total;
    for (const row of envelope.data) rows.set(row.name, row);
    offset += envelope.data.length;
    if (envelope.data.length < 5000) break;
  }
  expect(total).toBe(rows.size);
  for (const [name, id] of ledger.created) {
    const row = rows.get(name);
    expect(row?.id, `acknowledged create ${name}`).toBe(id);
    expect(row!.token).toBe(`t-${name}`);
    const stock = ledger.stock.get(id);
    if (stock !== undefined) expect([stock.acknowledged, stock.tried]).toContain(row!.stock);
  }
  await verifyIndexes(gateway, headers, [...rows.values()]);
}

/** Every fiftieth row is found by each of its indexes, exactly once. */
async function verifyIndexes(
  gateway: string,
  headers: Headers,
  rows: readonly { id: string; name: string; token: string }[],
): Promise<void> {
  for (let i = 0; i < rows.length; i += 50) {
    const row = rows[i]!;
    for (const filter of [`name=${row.name}`, `token=${row.token}`]) {
      const found = await call(gateway, 'GET', `/data/rest/item?${filter}`, headers);
      expect((found.json as { data: { id: string }[] }).data.map((hit) => hit.id)).toEqual([row.id]);
    }
  }
}
