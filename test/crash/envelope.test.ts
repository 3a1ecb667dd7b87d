/** kill -9 under long envelopes: after the start each is there whole, once, or not at all. Rounds: test/kit/rounds.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';
import { rounds, within } from '#test/kit/rounds.ts';

const ROUNDS = rounds({ suite: 2, ci: 5 });
/** Of four writes each: more than a turn has whose commit is not made ready beforehand (limits.storage.preparedCellsMin). */
const ROWS = 700;
const dir = mkdtempSync(join(tmpdir(), 'skep-envelope-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test(`an envelope is whole or not there, in ${ROUNDS} kills`, within(60_000 + ROUNDS * 20_000), async () => {
  const prepared = await startTestNode({ dir });
  const key = prepared.serviceKey;
  await prepared.stop();
  const file = writePlatformFile(dir);
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(file);
    const load = Array.from({ length: 3 }, (_, caller) => drive(node, key, `r${round}c${caller}`, acknowledged));
    // Once something was acknowledged, at any moment of what follows.
    await Promise.race(load.map(({ first }) => first));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 250));
    await node.end('SIGKILL');
    await Promise.all(load.map(({ ended }) => ended));
  }
  const node = await startProcess(file);
  const headers = await service(node, key);
  const sizes = await envelopesOf(node, headers);
  for (const [name, size] of sizes) expect(size, name).toBe(ROWS);
  for (const name of acknowledged) expect(sizes.has(name), `acknowledged ${name}`).toBe(true);
  tally({ acknowledged: acknowledged.size });
  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS);
  expect(await node.end('SIGTERM')).toBe(0);
});

interface Driver {
  /** When the first envelope was acknowledged. */
  readonly first: Promise<void>;
  readonly ended: Promise<void>;
}

function drive(node: ProcessNode, key: string, name: string, acknowledged: Set<string>): Driver {
  let told = (): void => undefined;
  const first = new Promise<void>((resolve) => (told = resolve));
  const run = async (): Promise<void> => {
    const headers = await service(node, key);
    for (let i = 0; ; i++) {
      const token = `${name}n${i}`;
      const rows = Array.from({ length: ROWS }, (_, row) => ({ name: `${token}-${row}`, token }));
      const answer = await call(node.listeners['gateway']!, 'POST', '/data/rest', headers, {
        operations: [{ data: { item: rows } }],
      });
      if (answer.status !== 200) continue;
      acknowledged.add(token);
      told();
    }
  };
  // The node was killed: what was not answered may or may not be there, but whole.
  return { first, ended: run().catch(() => undefined) };
}

async function service(node: ProcessNode, key: string): Promise<Headers> {
  return { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(node.listeners['gateway']!, key)}` };
}

/** Rows of each envelope, by its name, counted over the whole store. */
async function envelopesOf(node: ProcessNode, headers: Headers): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let offset = 0; ; offset += 5000) {
    const page = await call(
      node.listeners['gateway']!,
      'GET',
      `/data/rest/item?limit=5000&offset=${offset}&select=token`,
      headers,
    );
    const rows = (page.json as { data: { token: string }[] }).data;
    for (const { token } of rows) sizes.set(token, (sizes.get(token) ?? 0) + 1);
    if (rows.length < 5000) return sizes;
  }
}
