/**
 * The client's ledger against what is stored, over HTTP: under `kill -9`, in overload, on a full and on a hanging disk. What was
 * answered 200 is in the log and in the database, what was refused is in neither, and nothing else is there.
 * docs/contract/intake.md §4.2 (write path), §9 (queue, overflow 503). Rounds: SKEP_INTAKE_CRASH_ROUNDS (1,000 by hand), test/kit/rounds.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachStored } from '#actors/intake/archive/store.ts';
import { canBreakDisk, FailingDisk } from '#test/kit/failing-disk.ts';
import { IntakeProcess, type ServedIntake } from '#test/kit/intake-process.ts';
import { readLog } from '#test/kit/intake-log.ts';
import { tally } from '#test/kit/tally.ts';
import { call } from '#test/kit/test-node.ts';
import { rounds } from '#test/kit/rounds.ts';

const ROUNDS = rounds({ suite: 4, ci: 6 }, 'SKEP_INTAKE_CRASH_ROUNDS');
const CALLERS = 48;
/** Callers outnumber the queue, so that some are shed. */
const SMALL = ['--storage-queue-depth', '16', '--storage-batch-max', '8'];
const FORM = 'id: contact\nfields:\n  name: { type: string, required: true }\n';

/** What a client knows, by the name that it sent. */
class Ledger {
  /** Name → id. */
  readonly accepted = new Map<string, string>();
  readonly refused = new Set<string>();
  /** The connection broke, or the answer left it open: it may be stored. */
  readonly unknown = new Set<string>();
  readonly statuses = new Map<number, number>();
  #sent = 0;

  /** Submits one after the other until the service is gone or `going` says no. */
  async load(served: ServedIntake, going: () => boolean): Promise<void> {
    while (going()) {
      const name = `n${this.#sent++}`;
      try {
        const { status, json } = await call(served.url, 'POST', '/f/contact', {}, { name });
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        if (status === 200) this.accepted.set(name, (json as { id: string }).id);
        else if (status === 503) this.refused.add(name);
        else this.unknown.add(name);
      } catch {
        this.unknown.add(name);
        return;
      }
    }
  }
}

/** Ids by name. */
async function inDatabase({ embedded, jsonl }: IntakeProcess): Promise<Map<string, string>> {
  const settings = { backend: 'embedded', walJsonl: true, jsonlRotate: 'daily' } as const;
  const found = new Map<string, string>();
  const paths = { embeddedPath: embedded, jsonlDir: jsonl };
  await eachStored({ ...settings, ...paths }, null, ({ id, fields }) => void found.set(fields['name'] as string, id));
  return found;
}

/** Log and database hold the same, once; all that was accepted, nothing that was refused, and nothing unheard of. */
async function assertExact(it: IntakeProcess, { accepted, refused, unknown }: Ledger): Promise<void> {
  const lines = readLog(it.jsonl);
  const log = new Map(lines.map(({ id, fields }) => [fields['name'] as string, id]));
  expect(log.size).toBe(lines.length);
  expect(await inDatabase(it)).toEqual(new Map([...log].sort((a, b) => (a[1] < b[1] ? -1 : 1))));
  expect([...accepted].filter(([name, id]) => log.get(name) !== id)).toEqual([]);
  expect([...refused].filter((name) => log.has(name))).toEqual([]);
  expect([...log.keys()].filter((name) => !accepted.has(name) && !unknown.has(name))).toEqual([]);
}

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-ledger-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const callers = (ledger: Ledger, served: ServedIntake, going: () => boolean): Promise<unknown> =>
  Promise.all(Array.from({ length: CALLERS }, () => ledger.load(served, going)));

test(`kill -9 in overload, ${ROUNDS} rounds; then an orderly end`, { timeout: ROUNDS * 20_000 + 30_000 }, async () => {
  const it = new IntakeProcess(dir, FORM);
  const ledger = new Ledger();
  for (let round = 0; round < ROUNDS; round++) {
    // The start takes in what the kill before left.
    const served = await it.serve(...SMALL);
    await assertExact(it, ledger);
    const enough = ledger.accepted.size + 1 + Math.floor(Math.random() * 300);
    const load = callers(ledger, served, () => true);
    await expect.poll(() => ledger.accepted.size, { interval: 1, timeout: 15_000 }).toBeGreaterThan(enough);
    served.signal('SIGKILL');
    expect(await served.ended).toBe('SIGKILL');
    await load;
  }
  const last = await it.serve(...SMALL);
  await assertExact(it, ledger);
  let going = true;
  const before = ledger.unknown.size;
  const load = callers(ledger, last, () => going);
  await expect.poll(() => ledger.refused.size, { timeout: 15_000 }).toBeGreaterThan(0);
  going = false;
  await load;
  tally({ acknowledged: ledger.accepted.size });
  expect(ledger.unknown.size).toBe(before);
  expect(await last.stop()).toBe(0);
  await assertExact(it, ledger);
  expect([...ledger.statuses.keys()].sort((a, b) => a - b)).toEqual([200, 503]);
});

describe.skipIf(!canBreakDisk())('a disk that fails', () => {
  let place: string;
  let disk: FailingDisk;
  let it: IntakeProcess;
  const ledger = new Ledger();
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'skep-ledger-disk-'));
    disk = new FailingDisk(place);
    it = new IntakeProcess(place, FORM, disk.env);
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test(
    'ENOSPC on the log: 503, nothing half written, and it goes on when there is room',
    { timeout: 60_000 },
    async () => {
      const served = await it.serve();
      let going = true;
      const load = callers(ledger, served, () => going);
      await expect.poll(() => ledger.accepted.size, { interval: 1 }).toBeGreaterThan(50);
      disk.fillFor('/intake/jsonl/');
      await expect.poll(() => ledger.refused.size, { interval: 1 }).toBeGreaterThan(50);
      disk.mend();
      const then = ledger.accepted.size;
      await expect.poll(() => ledger.accepted.size, { interval: 1 }).toBeGreaterThan(then + 50);
      going = false;
      await load;
      expect([...ledger.statuses.keys()].sort((a, b) => a - b)).toEqual([200, 503]);
      expect(await served.stop()).toBe(0);
      await assertExact(it, ledger);
    },
  );

  test(
    'a sync of the log that never returns: exit 70 after ten seconds, nothing acknowledged lost',
    { timeout: 60_000 },
    async () => {
      const served = await it.serve();
      const load = callers(ledger, served, () => true);
      const then = ledger.accepted.size;
      await expect.poll(() => ledger.accepted.size, { interval: 1 }).toBeGreaterThan(then + 50);
      disk.hangFor('/intake/jsonl/');
      expect(await served.ended).toBe(70);
      disk.mend();
      await load;
      const again = await it.serve();
      await assertExact(it, ledger);
      expect(await again.stop()).toBe(0);
    },
  );
});
