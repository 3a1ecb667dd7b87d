/**
 * Forms of a node on a log: its machine is killed and its directory is gone, or it stands still for longer than its lease, while visitors submit. Each 200 is in the database once, its key answers as before, its notice comes, its
 * tenant has one row of it; a node that was replaced acknowledges nothing. Rounds: test/kit/rounds.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadPlatform } from '#config/load.ts';
import { sessionOf } from '#runtime/cluster/log-of.ts';
import { areLeftInDatabase, submissionsStay } from '#runtime/cluster/submissions.ts';
import { eachStored, verify } from '#actors/intake/archive/store.ts';
import type { StoreSettings } from '#actors/intake/store-settings.ts';
import type { Submission } from '#actors/intake/submission.ts';
import { writeDesk } from '#test/kit/desk-forms.ts';
import { NodePair, type PairMachine } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

const ROUNDS = rounds({ suite: 2, ci: 4 });
const VISITORS = 8;
const LEASE_MS = 3000;
const unsealed = (): Promise<null> => Promise.resolve(null);
const START_MS = 60_000;

/** What visitors know: the id under each key that was answered 200, and keys without an answer. */
interface Known {
  readonly accepted: Map<string, string>;
  readonly open: Set<string>;
}

describe.runIf(hasPostgres)('forms of a node on a log', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-forms-log-'));
  const known: Known = { accepted: new Map(), open: new Set() };
  let sent = 0;
  let refused = 0;
  let chat: Receiver;
  let pair: NodePair;
  let serving: ProcessNode;
  let waiting: Promise<ProcessNode>;
  /** The machine that serves, and the one that waits. */
  let [first, second] = [null, null] as unknown as [PairMachine, PairMachine];

  beforeAll(async () => {
    chat = await startReceiver();
    const { forms, localdir } = writeDesk(root);
    const intake = `  ratelimit: { per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000 }
  notify: { enabled: true, queue_depth: 100000 }
  chat: { default_webhook: "http://127.0.0.1:${chat.port}/chat" }
  outbound: { allow_private: [127.0.0.1] }`;
    const platform = { forms, intake, localdir };
    pair = await NodePair.start({ shards: 4, leaseMs: LEASE_MS, platform, extra: () => 'jobs: { threads: 1 }' });
    [first, second] = pair.machines;
    serving = await pair.serve(first);
    waiting = (await pair.standby(second)).serves;
  }, 3 * START_MS);
  afterAll(async () => {
    await pair.stop();
    await chat.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const settings = (): StoreSettings => ({
    backend: 'postgres',
    database: { url: pair.database.primary.url, replication: 'strict', answerMs: 20_000, node: null, seal: unsealed },
    walJsonl: true,
    embeddedPath: join(root, 'none'),
    jsonlDir: join(root, 'none'),
    jsonlRotate: 'daily',
  });
  const stored = async (): Promise<Submission[]> => {
    const all: Submission[] = [];
    await eachStored(settings(), null, (one) => void all.push(one));
    return all;
  };

  /** Submits under a key, and keeps what became of it. False where no answer came. */
  async function submit(node: ProcessNode, key: string): Promise<boolean> {
    known.open.add(key);
    try {
      const body = { subject: key, email: 'ada@example.org' };
      const base = node.listeners['intake']!;
      const { status, json, text } = await call(base, 'POST', '/f/contact', { 'Idempotency-Key': key }, body);
      if (status !== 200) {
        // 500: of unknown fate, as a visitor is told.
        expect([500, 503], text).toContain(status);
        refused++;
        return status === 503;
      }
      const { id } = json as { id: string };
      expect(known.accepted.get(key) ?? id).toBe(id);
      known.accepted.set(key, id);
      known.open.delete(key);
      return true;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // an expectation
      return false;
    }
  }

  async function visit(node: ProcessNode): Promise<void> {
    while (await submit(node, `k${sent++}`));
  }

  /** Visitors until so many more were accepted; gives what waits for those whose node has gone. */
  async function visited(more: number): Promise<() => Promise<unknown>> {
    const enough = known.accepted.size + more;
    const visitors = Promise.all(Array.from({ length: VISITORS }, () => visit(serving)));
    await expect.poll(() => known.accepted.size, { interval: 1, timeout: START_MS }).toBeGreaterThanOrEqual(enough);
    return () => visitors;
  }

  /** The one that waited serves, and each visitor asks again under the old key. */
  async function takenOver(): Promise<void> {
    serving = await waiting;
    [first, second] = [second, first];
    for (const key of [...known.accepted.keys(), ...known.open]) expect(await submit(serving, key)).toBe(true);
    expect(known.open.size).toBe(0);
  }

  test(`${ROUNDS} machines burn under visitors`, { timeout: (ROUNDS + 1) * 2 * START_MS }, async () => {
    let unknown = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const over = await visited(20 + Math.floor(Math.random() * 150));
      expect(await serving.end('SIGKILL')).toBe('SIGKILL');
      rmSync(first.data, { recursive: true, force: true });
      await over();
      unknown += known.open.size;
      await takenOver();
      waiting = (await pair.standby(second)).serves;
    }
    expect(unknown).toBeGreaterThan(0);
    tally({ acknowledged: known.accepted.size, faults: ROUNDS });
  });

  test('a node that gives its place up ends well, and the other one has all', { timeout: 3 * START_MS }, async () => {
    const over = await visited(30);
    expect(await serving.end('SIGTERM')).toBe(0);
    await over();
    await takenOver();
    waiting = (await pair.standby(second)).serves;
  });

  test(
    'a node that stood still for longer than its lease acknowledges nothing',
    { timeout: 3 * START_MS },
    async () => {
      const over = await visited(20);
      process.kill(serving.pid, 'SIGSTOP');
      const before = new Set(known.accepted.keys());
      // Their requests lie in its sockets when it wakes.
      const paused = serving;
      const late = Array.from({ length: 20 }, (_, no) => submit(paused, `late${no}`));
      const next = await waiting;
      process.kill(paused.pid, 'SIGCONT');
      expect(await paused.exited).toBe(70);
      await Promise.all(late);
      await over();
      const there = new Map((await stored()).map(({ id, idempotency_key: key }) => [key, id]));
      const woken = [...known.accepted].filter(([key]) => !before.has(key));
      // A batch that was durable when it was paused may be answered on waking.
      expect(woken.filter(([key, id]) => there.get(key) !== id)).toEqual([]);
      expect(woken.filter(([key]) => key.startsWith('late'))).toEqual([]);
      expect(paused.stderr()).toMatch(/another node|exit 70/);
      waiting = Promise.resolve(next);
      await takenOver();
    },
  );

  test(
    'each 200 is there once, with its notice and its row, and the chain verifies',
    { timeout: 3 * START_MS },
    async () => {
      const all = await stored();
      const byKey = Map.groupBy(all, (one) => one.idempotency_key);
      expect([...byKey.values()].filter(({ length }) => length > 1)).toEqual([]);
      expect([...known.accepted].filter(([key, id]) => byKey.get(key)?.[0]?.id !== id)).toEqual([]);
      expect(await verify(settings())).toMatchObject({ lines: all.length, faultCount: 0 });

      const noticed = (): string[] => {
        const texts = chat.received.map(({ body }) => body).join('\n');
        return [...known.accepted.values()].filter((id) => !texts.includes(id));
      };
      await expect.poll(noticed, { timeout: START_MS, interval: 200 }).toEqual([]);

      const base = serving.listeners['gateway']!;
      const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(base, pair.key)}` };
      const references = async (): Promise<Map<string, number>> => {
        const found = new Map<string, number>();
        for (let page = 1; ; page++) {
          const answer = await call(base, 'GET', `/data/rest/ticket?limit=500&page=${page}`, headers);
          expect(answer.status, answer.text).toBe(200);
          const { data } = answer.json as { data: { reference: string }[] };
          for (const { reference } of data) found.set(reference, (found.get(reference) ?? 0) + 1);
          if (data.length < 500) return found;
        }
      };
      const missing = async (): Promise<string[]> => {
        const found = await references();
        return [...known.accepted.values()].filter((id) => !found.has(id));
      };
      await expect.poll(missing, { timeout: START_MS, interval: 200 }).toEqual([]);
      expect([...(await references())].filter(([, times]) => times > 1)).toEqual([]);
      console.log(`${known.accepted.size} acknowledged and found, ${refused} refused`);

      const loaded = loadPlatform(first.file, { env: {} });
      if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
      const { intake, ...rest } = loaded.platform;
      const onMachine = {
        ...rest,
        intake: { ...intake, storage: { ...intake.storage, backend: 'embedded' as const } },
      };
      expect(await Promise.all([loaded.platform, onMachine].map(areLeftInDatabase))).toEqual([false, true]);
      // Behind `skep cluster leave`, which says so.
      const stay = [loaded.platform, onMachine].map((one) => submissionsStay(one, sessionOf(one)));
      expect(await Promise.all(stay)).toEqual([expect.stringContaining('skep intake export --platform'), null]);
      const file = `--platform ${first.file}`;
      const said = await skep(`intake verify ${file} -o json`);
      expect(JSON.parse(said.out)).toMatchObject({ lines: all.length, rows: null, faultCount: 0 });
      const printed = await skep(`intake export ${file} --form contact`);
      expect(printed.out.trim().split('\n')).toHaveLength(all.length);
      expect((await skep(`intake rebuild ${file}`)).err).toContain('nothing to rebuild');
      const person = await skep(
        `intake person erase ada@example.org -f ${first.file} --confirm ada@example.org -o json`,
      );
      expect(JSON.parse(person.out)).toMatchObject({ forms: { contact: all.length }, left: [] });
      expect(await stored()).toEqual([]);
      expect(await areLeftInDatabase(onMachine)).toBe(false);
      expect(await submissionsStay(loaded.platform, sessionOf(loaded.platform))).toBeNull();
      expect(await verify(settings())).toMatchObject({ lines: 0, erased: all.length, faultCount: 0 });
      await serving.end('SIGTERM');
    },
  );
});
