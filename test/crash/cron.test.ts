/**
 * kill -9 around a run of a cron trigger: whenever the node dies, each time has written its row at most once, the last one has written
 * one, and a row that was seen is there. Rounds: SKEP_CRASH_CRON.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { callControl } from '#runtime/control.ts';
import { setClock, writeCronShop } from '#test/kit/cron-shop.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';

const ROUNDS = rounds({ suite: 5, ci: 6 }, 'SKEP_CRASH_CRON');
const EVERY_MS = 300_000;
/** From before the time to after its run: the node is ready some 100 ms after its clock was set, on a machine with much else to do a second or more, and is due then. */
const LEAD_MS = 1500;
const LATER_LEAD_MS = 1000;
/** How much later than the one before a death comes that was too early to meet the run's end, and how much sooner one that was too late. */
const LATER = { factor: 1.4, ms: 100 };
const SOONER = { factor: 0.6, ms: 50 };

/** The run takes a while, so that deaths meet it; a tenth of what a script may take, for a machine with much else to do. */
const SCRIPT = `on: { cron: "*/5 * * * *" }
script:
  role: clerk
  source: |
    let sum = 0;
    for (let i = 0; i < 1e6; i++) sum += i;
    db.create('note', { due: request.data.due, trigger: request.trigger, as: String(sum) });
    return null;
`;
const files = { 'triggers/nightly.yaml': SCRIPT, 'triggers/closing.yaml': '', 'triggers/denied.yaml': '' };

interface Listed {
  readonly name: string;
  readonly next_at: string | null;
  readonly waiting: number;
}

test(`${ROUNDS} deaths around a run`, { timeout: 900_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-cron-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const wish = { localdir: writeCronShop(dir, files), extra: 'jobs: { threads: 1 }' };
  const prepared = await startTestNode({ ...wish, dir });
  const nightly = async (): Promise<Listed> =>
    ((await prepared.node.ask(TENANT, 'data', 'trigger.list', null)) as Listed[]).find(
      ({ name }) => name === 'nightly',
    )!;
  await expect.poll(async () => (await nightly()).next_at).toBeTypeOf('string');
  const firstMs = Date.parse((await nightly()).next_at!);
  await prepared.stop();
  const file = writePlatformFile(dir, wish);
  const data = prepared.platform.storage.dir;
  const dueOf = (round: number): string => new Date(firstMs + round * EVERY_MS).toISOString();

  async function notes(base: string): Promise<string[]> {
    const headers = {
      ...positionHeaders(TENANT),
      Authorization: `Bearer ${await exchange(base, prepared.serviceKey)}`,
    };
    const { json } = await call(base, 'GET', '/data/rest/note?limit=500', headers);
    return (json as { data: { due: string }[] }).data.map(({ due }) => due);
  }

  const seen = new Set<string>();
  let [early, late] = [0, 0];
  /** From readiness to a death: first to the end of the first run, then to and fro around that of the others, since machines differ. */
  let waitMs = 0;
  let leadMs = LEAD_MS;
  for (let round = 1; round <= ROUNDS; round++) {
    setClock(data, firstMs + round * EVERY_MS - leadMs);
    const node = await startProcess(file);
    const readyMs = performance.now();
    const hasRun = async (): Promise<boolean> => (await notes(node.listeners['gateway']!)).length > 0;
    if (round === 1) await expect.poll(hasRun, { timeout: 60_000, interval: 20 }).toBe(true);
    if (round === 1) waitMs = performance.now() - readyMs;
    else await sleep(waitMs);
    const before = await notes(node.listeners['gateway']!);
    expect(await node.end('SIGKILL')).toBe('SIGKILL');
    const had = seen.size;
    for (const due of before) seen.add(due);
    if (before.length > had) {
      late++;
      // The time was over before the node was ready.
      if (waitMs < SOONER.ms) leadMs += LATER_LEAD_MS;
      waitMs = Math.max(0, waitMs * SOONER.factor - SOONER.ms);
    } else {
      early++;
      waitMs = waitMs * LATER.factor + LATER.ms;
    }
  }
  expect([early > 0, late > 0], `${early} before the run's end, ${late} after it`).toEqual([true, true]);

  const lastDue = dueOf(ROUNDS + 2);
  const everyTime = Array.from({ length: ROUNDS + 3 }, (_, round) => dueOf(round));
  /** What was missed until an instant is staged, and has run: a time that comes while an earlier run waits is left out. */
  async function nothingWaits(untilMs: number): Promise<boolean> {
    const { result } = (await callControl(data, 'trigger.list', { tenant: TENANT })) as { readonly result: Listed[] };
    const { next_at: next, waiting } = result.find(({ name }) => name === 'nightly')!;
    return waiting === 0 && next !== null && Date.parse(next) >= untilMs;
  }
  for (const [startMs, wanted] of [
    [firstMs + (ROUNDS + 1) * EVERY_MS + 60_000, ''],
    [Date.parse(lastDue) - LEAD_MS, lastDue],
  ] as const) {
    setClock(data, startMs);
    const node = await startProcess(file);
    const newest = async (): Promise<string> => (await notes(node.listeners['gateway']!)).toSorted().at(-1) ?? '';
    const isThere = async (): Promise<boolean> => (await newest()) >= wanted && (await nothingWaits(startMs));
    await expect.poll(isThere, { timeout: 30_000, interval: 200 }).toBe(true);
    const found = await notes(node.listeners['gateway']!);
    expect(found.toSorted()).toEqual([...new Set(found)].toSorted());
    expect([...seen].filter((due) => !found.includes(due))).toEqual([]);
    expect(found.filter((due) => !everyTime.includes(due))).toEqual([]);
    await node.end('SIGTERM');
  }
});
