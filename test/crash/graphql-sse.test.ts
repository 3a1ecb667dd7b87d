/** kill -9 of the node under the stock client graphql-sse, which comes back by itself with `after` in its variables: each kept row is told once. docs/contract/changes.md §10.3 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'graphql-sse';
import { expect, onTestFinished, test } from 'vitest';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';

const ROUNDS = rounds({ suite: 2, ci: 5 });
const WRITES = 25;
const SOON = { timeout: 60_000, interval: 50 };
const QUERY = 'subscription ($after: Integer) { note_changes(after: $after) { seq op id } }';

interface Told {
  readonly note_changes: { readonly seq: number; readonly op: string; readonly id: string | null };
}

test(`${ROUNDS} kills under a subscription`, { timeout: 60_000 + ROUNDS * 20_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-sse-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const wish = { localdir: writeNoteProduct(dir) };
  const prepared = await startTestNode({ ...wish, dir });
  await prepared.stop();
  const file = writePlatformFile(dir, wish);
  let node: ProcessNode = await startProcess(file);
  onTestFinished(async () => void (await node.end('SIGKILL')));
  const gateway = (): string => node.listeners['gateway']!;
  const headers = {
    ...positionHeaders(TENANT),
    Authorization: `Bearer ${await exchange(gateway(), prepared.serviceKey)}`,
  };

  const told: Told['note_changes'][] = [];
  let connections = 0;
  const variables: { after?: number } = {};
  const client = createClient({
    // Each start listens on another port.
    url: () => `${gateway()}/data/graphql`,
    headers,
    retryAttempts: 1000,
    retry: () => new Promise((resolve) => setTimeout(resolve, 50)),
    on: { connected: () => void connections++ },
  });
  onTestFinished(() => client.dispose());
  const faults: unknown[] = [];
  client.subscribe<Told>(
    { query: QUERY, variables },
    {
      next: ({ data, errors }) => {
        if (data == null) faults.push(errors);
        else {
          variables.after = data.note_changes.seq;
          told.push(data.note_changes);
        }
      },
      error: (error) => void faults.push(error),
      complete: () => void faults.push('complete'),
    },
  );
  await expect.poll(() => told.length, SOON).toBe(1);

  for (let round = 0; round < ROUNDS; round++) {
    const writing = Array.from({ length: WRITES }, async (_, no) => {
      const row = { title: `${round} ${no}`, open: true };
      await call(gateway(), 'POST', '/data/rest/note', headers, row).catch(() => undefined);
    });
    await Promise.race(writing);
    const killed = node.end('SIGKILL');
    await Promise.all([killed, ...writing]);
    node = await startProcess(file);
    await expect.poll(() => connections, SOON).toBeGreaterThan(round + 1);
    const { status } = await call(gateway(), 'POST', '/data/rest/note', headers, { title: `${round} end`, open: true });
    expect(status).toBe(201);
  }
  const { json } = await call(gateway(), 'GET', '/data/rest/note?limit=1000&fields=id', headers);
  const kept = (json as { data: { id: string }[] }).data.map(({ id }) => id).toSorted();
  tally({ acknowledged: kept.length });
  expect(kept.length).toBeGreaterThanOrEqual(2 * ROUNDS);
  const created = () => told.flatMap(({ op, id }) => (op === 'create' ? [id!] : []));
  await expect.poll(() => created().length, SOON).toBeGreaterThanOrEqual(kept.length);
  expect(created().toSorted()).toEqual(kept);
  const seqs = told.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  expect(faults).toEqual([]);
});
