/**
 * Audit logs of nodes on one log in a database outlive the machines: one that serves is killed with all its directory, stopped for longer than its lease, or ended in order, and the other one goes on with the same
 * logs. Each event whose change was acknowledged is in the log once, and no checkpoint that a watcher saw is contradicted. Contract: docs/contract/audit.md §5.4.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCheckpoint } from '#storage/segment/checkpoint.ts';
import { Fringe } from '#storage/segment/fringe.ts';
import { leafHash } from '#storage/segment/hash.ts';
import { readLine } from '#storage/segment/line.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { verifyConsistency } from '#storage/segment/proof.ts';
import { NodePair, type PairMachine } from '#test/kit/node-pair.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LEASE_MS = 3000;
const LOG = 'tenant/acme/shop/dev/main';
const PATH = `/audit/logs/${encodeURIComponent(LOG)}`;
const ROWS_PER_ROUND = 60;
const START_MS = 120_000;
const MORE_MS = 40_000;
const PERSON = { login: 'admin@main.example', password: 'correct horse battery' };

interface Told {
  readonly action: string;
  readonly target: string;
  readonly source: string;
  readonly source_seq: number;
}

/** Callers of the node that serves: they write rows and records, and a watcher keeps every checkpoint. */
class Callers {
  /** Ids of rows that were answered 201, and targets of records that were answered 200. */
  readonly rows: string[] = [];
  readonly direct: string[] = [];
  /** Root by size, of every checkpoint that was seen. */
  readonly seen = new Map<number, string>();
  /** Answers other than success, and how often each came; 0 where none did. */
  readonly others = new Map<string, number>();
  readonly #key: string;
  #gateway = '';
  #headers: Record<string, string> = {};
  #admin: Record<string, string> = {};
  #runs = true;
  #next = 0;
  #busy: Promise<void>[] = [];

  constructor(key: string) {
    this.#key = key;
  }

  async begin(node: ProcessNode): Promise<void> {
    this.#gateway = node.listeners['gateway']!;
    const service = await exchange(this.#gateway, this.#key);
    this.#headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${service}` };
    const login = await call(this.#gateway, 'POST', '/auth/login', positionHeaders(TENANT), PERSON);
    expect(login.status, login.text).toBe(200);
    const { access_token } = login.json as { access_token: string };
    this.#admin = { ...positionHeaders(TENANT), Authorization: `Bearer ${access_token}` };
    this.#runs = true;
    this.#busy = [this.#write(), this.#write(), this.#record('one'), this.#record('two'), this.#watch()];
  }

  async end(): Promise<void> {
    this.#runs = false;
    await Promise.all(this.#busy);
  }

  async #ask(method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const answer = await call(this.#gateway, method, path, headers, body).catch(() => null);
    const status = answer?.status ?? 0;
    if (status < 200 || status > 299) {
      const what = `${method} ${status} ${status === 0 ? '' : answer!.text.slice(0, 200)}`;
      this.others.set(what, (this.others.get(what) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return null;
    }
    return answer;
  }

  async #write(): Promise<void> {
    while (this.#runs) {
      const name = `row-${this.#next++}`;
      const answer = await this.#ask('POST', '/data/rest/item', this.#headers, { name, token: name });
      if (answer !== null) this.rows.push((answer.json as { data: [{ id: string }] }).data[0].id);
    }
  }

  async #record(name: string): Promise<void> {
    while (this.#runs) {
      const target = `direct-${this.#next++}`;
      const record = { action: 'test.direct', target, source: `test/${name}`, source_seq: this.#next };
      const answer = await this.#ask('POST', `${PATH}/records`, this.#headers, record);
      if (answer !== null) this.direct.push(target);
    }
  }

  async #watch(): Promise<void> {
    while (this.#runs) await this.look();
  }

  /** The size of the newest checkpoint, whose root is kept; null where none came. */
  async look(): Promise<number | null> {
    const answer = await this.#ask('GET', `${PATH}/checkpoint`, this.#admin);
    const checkpoint = answer === null ? null : readCheckpoint(Buffer.from(answer.text));
    if (checkpoint === null) return null;
    const root = Buffer.from(checkpoint.root).toString('base64');
    expect(this.seen.get(checkpoint.size) ?? root).toBe(root);
    this.seen.set(checkpoint.size, root);
    return checkpoint.size;
  }

  /** The newest checkpoint continues one that was seen: the proof that the node gives is verified. */
  async prove(from: number): Promise<void> {
    let to = 0;
    await expect
      .poll(async () => (to = (await this.look()) ?? 0), { timeout: MORE_MS, interval: 20 })
      .toBeGreaterThan(from);
    const answer = await call(this.#gateway, 'GET', `${PATH}/proof/consistency?from=${from}&to=${to}`, this.#admin);
    expect(answer.status, answer.text).toBe(200);
    const proof = (answer.json as { proof: string[] }).proof.map((hash) => Buffer.from(hash, 'base64'));
    const roots = [from, to].map((size) => Buffer.from(this.seen.get(size)!, 'base64'));
    expect(verifyConsistency(from, to, roots[0]!, roots[1]!, proof)).toBe(true);
  }

  /** Waits until so many more rows and records were acknowledged, and a checkpoint was seen. */
  async more(count: number): Promise<void> {
    const [rows, direct] = [this.rows.length + count, this.direct.length + count];
    await expect
      .poll(() => this.rows.length >= rows && this.direct.length >= direct && this.newest > 0, {
        timeout: MORE_MS,
        interval: 20,
      })
      .toBe(true);
  }

  get newest(): number {
    return Math.max(0, ...this.seen.keys());
  }
}

/** Entries of a log on a disk, in order. */
async function entriesIn(machine: PairMachine): Promise<readonly Buffer[]> {
  const files = readOnlyFiles(join(machine.data, 'audit/logs', LOG));
  const entries: Buffer[] = [];
  for (const name of (await files.names('segments')).filter((one) => one.endsWith('.log')).toSorted()) {
    const bytes = (await files.read(`segments/${name}`))!;
    for (let at = 0; at < bytes.length;) {
      const { entry, end } = readLine(bytes, at)!;
      entries.push(entry);
      at = end;
    }
  }
  return entries;
}

/** Sizes at which a checkpoint that was seen is not one of this log. */
function contradicted(entries: readonly Buffer[], { seen }: Callers): number[] {
  const fringe = new Fringe();
  const others = new Set(seen.keys());
  for (const entry of entries) {
    fringe.push(leafHash(entry), () => undefined);
    if (seen.get(fringe.size) === Buffer.from(fringe.root()).toString('base64')) others.delete(fringe.size);
  }
  return [...others];
}

function missing(events: readonly Told[], { rows, direct }: Callers): string[] {
  const created = new Set(events.filter(({ action }) => action === 'data.item.create').map(({ target }) => target));
  const told = new Set(events.filter(({ action }) => action === 'test.direct').map(({ target }) => target));
  return [...rows.filter((id) => ![...created].some((t) => t.endsWith(id))), ...direct.filter((one) => !told.has(one))];
}

describe.runIf(hasPostgres)('audit logs across nodes', () => {
  let pair: NodePair;
  let keys: string;

  const start = async (): Promise<void> => {
    keys = mkdtempSync(join(tmpdir(), 'skep-audit-keys-'));
    const people = [{ tenant: TENANT, ...PERSON, roles: ['tenant_admin'] }];
    const extra = (): string =>
      `audit: { enabled: true, name: audit.example, key_dir: ${keys}, backend: { kind: postgres } }\n`;
    pair = await NodePair.start({ shards: 4, leaseMs: LEASE_MS, people, extra });
  };
  const stop = async (): Promise<void> => {
    await pair.stop();
    rmSync(keys, { recursive: true, force: true });
  };

  describe('with records in the database', () => {
    beforeAll(start, 180_000);
    afterAll(stop);

    test(
      'each acknowledged event is there once, whatever becomes of the machines',
      { timeout: 6 * START_MS },
      async () => {
        const [one, two] = pair.machines;
        const callers = new Callers(pair.key);
        let node = await pair.serve(one);
        let waits = await pair.standby(two);
        await callers.begin(node);
        await callers.more(ROWS_PER_ROUND);

        // The machine burns under writers.
        expect(await node.end('SIGKILL')).toBe('SIGKILL');
        rmSync(one.data, { recursive: true, force: true });
        node = await waits.serves;
        await callers.end();
        let before = callers.newest;
        await callers.begin(node);
        await callers.more(ROWS_PER_ROUND);
        await callers.prove(before);

        // One with an empty disk takes over from one whose disk stays.
        waits = await pair.standby(one);
        await node.end('SIGKILL');
        node = await waits.serves;
        await callers.end();
        before = callers.newest;
        await callers.begin(node);
        await callers.more(ROWS_PER_ROUND);
        await callers.prove(before);

        // It comes back with what it had, and takes over from one that is stopped, and wakes.
        waits = await pair.standby(two);
        process.kill(node.pid, 'SIGSTOP');
        const next = await waits.serves;
        process.kill(node.pid, 'SIGCONT');
        expect(await node.exited).toBe(70);
        await callers.end();
        before = callers.newest;
        await callers.begin(next);
        await callers.more(ROWS_PER_ROUND);
        await callers.prove(before);

        // It is stopped in order, and the other one goes on.
        waits = await pair.standby(one);
        expect(await next.end('SIGTERM')).toBe(0);
        const last = await waits.serves;
        await callers.end();
        before = callers.newest;
        await callers.begin(last);
        await callers.more(ROWS_PER_ROUND);
        await callers.prove(before);
        await callers.end();
        // What waits in outboxes comes.
        await expect
          .poll(async () => (await callers.look())! >= callers.rows.length + callers.direct.length, {
            timeout: START_MS,
          })
          .toBe(true);
        expect(await last.end('SIGTERM')).toBe(0);

        const entries = await entriesIn(one);
        const events = entries.map((entry) => JSON.parse(entry.toString()) as Told);
        expect(contradicted(entries, callers)).toEqual([]);
        expect(missing(events, callers)).toEqual([]);
        const numbers = events.map(({ source, source_seq }) => `${source} ${source_seq}`);
        expect(new Set(numbers).size).toBe(numbers.length);
        console.log(
          JSON.stringify({
            seen: callers.seen.size,
            rows: callers.rows.length,
            direct: callers.direct.length,
            others: Object.fromEntries(callers.others),
            events: events.length,
          }),
        );
        const key = join(keys, 'audit', LOG, 'signing-key.pub.pem');
        const verified = await skep(`audit verify ${join(one.data, 'audit/logs', LOG)} --key ${key} --json`);
        expect(JSON.parse(verified.out), verified.out).toMatchObject({ verdict: 'good', unsigned: 0 });
      },
    );

    test(
      'while the database is away who appends gets 503, the node goes on, and then all is there',
      { timeout: 2 * START_MS },
      async () => {
        const [one] = pair.machines;
        const node = await pair.serve(one);
        const gateway = node.listeners['gateway']!;
        const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(gateway, pair.key)}` };
        const append = (number: number) =>
          call(gateway, 'POST', `${PATH}/records`, headers, {
            action: 'test.away',
            target: `away-${number}`,
            source: 'test/away',
            source_seq: number,
          });
        expect((await append(1)).status).toBe(200);
        await pair.database.primary.kill();
        const refused = await append(2);
        expect([refused.status, (refused.json as { code: string }).code]).toEqual([503, 'audit.unavailable']);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        await pair.database.primary.start();
        // The record that was waited for is taken: its number says so.
        await expect
          .poll(async () => (await append(2)).status, { timeout: START_MS, interval: 100 })
          .toSatisfy((status) => status === 200 || status === 409);
        await expect.poll(async () => (await append(3)).status, { timeout: START_MS, interval: 100 }).toBe(200);
        expect(await node.end('SIGTERM')).toBe(0);
        const told = (await entriesIn(one)).map((entry) => JSON.parse(entry.toString()) as Told);
        const away = told.filter(({ action }) => action === 'test.away').map(({ target }) => target);
        expect(away).toEqual(['away-1', 'away-2', 'away-3']);
      },
    );
  });
});
