/** Callers that write rows and submissions until their node is gone, what they were told, and the node held against that. */
import { expect } from 'vitest';
import { readLog } from '#test/kit/intake-log.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, type Headers } from '#test/kit/test-node.ts';

export interface Ledger {
  /** Names whose create was answered 201, with the id. */
  readonly created: Map<string, string>;
  /** Newest acknowledged stock by id, and the one that was under way. */
  readonly stock: Map<string, { acknowledged: number; tried: number }>;
  /** Ids of submissions answered 200. */
  readonly submitted: Set<string>;
}

export const emptyLedger = (): Ledger => ({ created: new Map(), stock: new Map(), submitted: new Set() });

/** One caller: creates, updates of its own rows and submissions, until the node is gone. */
export async function drive(node: ProcessNode, key: string, ledger: Ledger, name: string): Promise<void> {
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
export async function verify(node: ProcessNode, key: string, ledger: Ledger): Promise<void> {
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

/** Every acknowledged submission is in intake's log, and none is there twice. */
export function verifySubmissions(logDir: string, ledger: Ledger): void {
  const ids = readLog(logDir).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const kept = new Set(ids);
  expect([...ledger.submitted].filter((id) => !kept.has(id))).toEqual([]);
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
