/**
 * Three nodes on one log, of which two run hosts of the one that serves: the door of each sends a tenant's requests to the node that has its host, and not by the one that serves, while nothing is to be decided there.
 * Spec: docs/how-to/several-doors.md.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { serviceHeaders } from '#test/crash/carried/clients.ts';
import { NodePair, type PairMachine } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { call, type Answer, type Headers } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LEASE_MS = 8000;
const PLACES = 6;
const SHARDS = 12;
const START_MS = 60_000;
/** Of a test: each of its waits has its own, so that what did not come is told. */
const LONG_MS = 240_000;
const LOOK_MS = 500;
/** Far below the lease, and far above the time of any request. */
const STILL_MS = 2000;
const LINES = 20_000;
const FURTHER = Array.from({ length: 11 }, (_, no) => `acme:shop:dev:t${no}`);
const NAMES = ['n1', 'n2', 'n3'] as const;
type Name = (typeof NAMES)[number];

describe.runIf(hasPostgres)('doors of three nodes', () => {
  let pair: NodePair;
  let serving: ProcessNode;
  let machines: Readonly<Record<Name, PairMachine>>;
  /** A tenant of which each node runs the host, with headers and a row. */
  const on = {} as Record<Name, { readonly tenant: string; readonly headers: Headers; readonly row: string }>;

  beforeAll(async () => {
    pair = await NodePair.start({
      shards: SHARDS,
      leaseMs: LEASE_MS,
      hosts: 2,
      places: PLACES,
      hasLinks: true,
      further: FURTHER,
    });
    const [n1, n2] = pair.machines;
    machines = { n1, n2, n3: await pair.another('n3') };
    serving = await pair.serve(n1);
    for (const name of ['n2', 'n3'] as const) await pair.standby(machines[name]);
    for (const end = performance.now() + START_MS; ;) {
      const nodes = (await shards()).map(({ node }) => node);
      if (NAMES.every((name) => nodes.filter((node) => node === name).length === SHARDS / NAMES.length)) break;
      if (performance.now() > end) throw new Error(`the shards run on ${nodes.join(', ')}`);
      await sleep(LOOK_MS);
    }
    for (const [tenant, key] of [[TENANT, pair.key], ...pair.keys] as const) {
      const name = await nodeOf(tenant);
      if (on[name] !== undefined) continue;
      const headers = await serviceHeaders(n1.gateway, tenant, key);
      const made = await call(n1.gateway, 'POST', '/data/rest/item', headers, { name: 'a row', token: 'a row' });
      on[name] = { tenant, headers, row: (made.json as { data: { id: string }[] }).data[0]!.id };
    }
  }, LONG_MS);
  afterAll(() => pair?.stop());

  async function shards(): Promise<{ readonly shard: number; readonly node: Name }[]> {
    const { code, err, out } = await skep(`cluster shards -f ${pair.machines[0].file} -o json`);
    expect(code, err).toBe(0);
    return JSON.parse(out) as { shard: number; node: Name }[];
  }

  async function status(
    tenant: string,
  ): Promise<{ readonly shard: number; readonly today: { readonly requests: number } }> {
    const { code, err, out } = await skep(`tenant status ${tenant} -f ${pair.machines[0].file} -o json`);
    expect(code, err).toBe(0);
    return JSON.parse(out) as { shard: number; today: { requests: number } };
  }

  async function nodeOf(tenant: string): Promise<Name> {
    const { shard } = await status(tenant);
    return (await shards())[shard]!.node;
  }

  const read = (door: Name, of: Name): Promise<Answer> =>
    call(machines[door].gateway, 'GET', `/data/rest/item/id/${on[of].row}`, on[of].headers);
  const write = (door: Name, of: Name, name: string): Promise<Answer> =>
    call(machines[door].gateway, 'POST', '/data/rest/item', on[of].headers, { name, token: name });

  async function metric(door: Name, name: string): Promise<number> {
    const text = await (await fetch(`${machines[door].operations}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  /** Each door is told with a request of a tenant whose host another node runs. A place that was moved may bring about that others are shared out anew, so it is looked at where they are now. */
  async function known(): Promise<void> {
    const missing = async (): Promise<number[]> => {
      for (const door of NAMES) for (const of of NAMES) expect((await read(door, of)).status).toBe(200);
      const nodes = await Promise.all(NAMES.map((of) => nodeOf(on[of].tenant)));
      const away = nodes.filter((node) => node !== 'n1').length;
      return Promise.all(
        (['n2', 'n3'] as const).map(async (door) => away - (await metric(door, 'skep_link_tenants_known'))),
      );
    };
    await expect.poll(missing, { timeout: START_MS, interval: LOOK_MS }).toEqual([0, 0]);
    // The links to the nodes that have the hosts are there.
    await sleep(500);
  }

  test(
    'while the node that serves stands still, doors of the others answer for every tenant whose host one of them runs',
    { timeout: LONG_MS },
    async () => {
      await known();
      const before = await metric('n2', 'skep_link_requests_here_total');
      process.kill(serving.pid, 'SIGSTOP');
      const waiting = read('n2', 'n1');
      try {
        const answered = Promise.all(
          (['n2', 'n3'] as const).flatMap((door) =>
            (['n2', 'n3'] as const).flatMap((of) => [read(door, of), write(door, of, `${door}-${of}`)]),
          ),
        );
        const statuses = await Promise.race([answered.then((all) => all.map((one) => one.status)), sleep(STILL_MS)]);
        expect(statuses).toEqual([200, 201, 200, 201, 200, 201, 200, 201]);
        expect(await Promise.race([waiting.then(({ status: is }) => is), sleep(100)])).toBe(undefined);
      } finally {
        process.kill(serving.pid, 'SIGCONT');
      }
      expect((await waiting).status).toBe(200);
      // Those at its own door, and those that the door of n3 sent.
      expect((await metric('n2', 'skep_link_requests_here_total')) - before).toBe(4);
      for (const door of NAMES)
        for (const of of ['n2', 'n3'] as const) {
          const { json } = await call(machines[door].gateway, 'GET', '/data/rest/item?orderby=name', on[of].headers);
          expect((json as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual([
            'a row',
            `n2-${of}`,
            `n3-${of}`,
          ]);
        }
    },
  );

  test(
    'what doors answer without the node that serves is counted there, to the last request',
    { timeout: LONG_MS },
    async () => {
      await known();
      const { tenant } = on.n2;
      // What was answered before is counted by then.
      await sleep(2 * limits.cluster.link.countsMs);
      const before = (await status(tenant)).today.requests;
      for (let no = 0; no < 20; no++) for (const door of NAMES) expect((await read(door, 'n2')).status).toBe(200);
      const since = async (): Promise<number> => (await status(tenant)).today.requests - before;
      await expect.poll(since, { timeout: START_MS / 2 }).toBe(60);
    },
  );

  test(
    'a tenant that is suspended is refused at each door, and served again when it is resumed',
    { timeout: LONG_MS },
    async () => {
      const { tenant } = on.n2;
      for (const [verb, wanted] of [
        ['suspend', 403],
        ['resume', 200],
      ] as const) {
        await known();
        const { code, err } = await skep(`tenant ${verb} ${tenant} -f ${machines.n1.file}`);
        expect(code, err).toBe(0);
        for (const door of NAMES) expect([door, (await read(door, 'n2')).status]).toEqual([door, wanted]);
        if (wanted === 403) expect((await read('n3', 'n2')).json).toMatchObject({ code: 'tenant_suspended' });
        if (wanted === 403) await skep(`tenant resume ${tenant} -f ${machines.n1.file}`);
      }
    },
  );

  test(
    'long bodies cross in both directions: lines that one door takes come out of another one',
    { timeout: LONG_MS },
    async () => {
      await known();
      const { headers } = on.n3;
      const lines = Array.from({ length: LINES }, (_, no) =>
        JSON.stringify({ name: `line ${no}`, token: `l${no}` }),
      ).join('\n');
      const imported = await call(machines.n2.gateway, 'POST', '/data/bulk?entity=item&format=jsonl', headers, lines);
      expect(imported.json).toMatchObject({ imported: LINES });
      const exported = await call(
        machines.n2.gateway,
        'PATCH',
        `/data/bulk?entity=item&format=jsonl&limit=${2 * LINES}`,
        headers,
      );
      expect(exported.text.match(/"line \d+"/g)).toHaveLength(LINES);
    },
  );

  test(
    'a file that comes in at one door is there at each, also when its host has gone home',
    { timeout: LONG_MS },
    async () => {
      await known();
      const bytes = randomBytes(3_000_000);
      const form = new FormData();
      form.append('id', 'scanned');
      form.append('title', 'a scan');
      form.append('scan', new File([bytes], 'scan.bin'));
      const { headers, tenant } = on.n3;
      const made = await fetch(`${machines.n2.gateway}/data/rest/paper`, { method: 'POST', headers, body: form });
      const text = await made.text();
      expect(made.status, text).toBe(201);
      const downloaded = async (door: Name): Promise<boolean> => {
        const path = `/data/rest/paper/id/scanned?download=true&field=scan`;
        return Buffer.from(await (await fetch(`${machines[door].gateway}${path}`, { headers })).arrayBuffer()).equals(
          bytes,
        );
      };
      for (const door of NAMES) expect([door, await downloaded(door)]).toEqual([door, true]);
      const { shard } = await status(tenant);
      for (const to of ['n1', 'n3'] as const) {
        const { code, err } = await skep(`cluster move ${shard} ${to} -f ${machines.n1.file}`);
        expect(code, err).toBe(0);
        for (const door of NAMES) expect([to, door, await downloaded(door)]).toEqual([to, door, true]);
      }
    },
  );

  test('a host that goes home is asked there', { timeout: LONG_MS }, async () => {
    await known();
    const { shard } = await status(on.n2.tenant);
    const { code, err } = await skep(`cluster move ${shard} n1 -f ${machines.n1.file}`);
    expect(code, err).toBe(0);
    const before = await metric('n2', 'skep_link_requests_here_total');
    for (const door of NAMES) expect((await read(door, 'n2')).status).toBe(200);
    expect(await metric('n2', 'skep_link_requests_here_total')).toBe(before);
  });

  test(
    'an operator sees the nodes and what has happened to them, and has the places shared out anew',
    { timeout: LONG_MS },
    async () => {
      const { file } = machines.n1;
      const shown = async <T>(verb: string): Promise<T> => {
        const { code, err, out } = await skep(`cluster ${verb} -f ${file} -o json`);
        expect(code, err).toBe(0);
        return JSON.parse(out) as T;
      };
      const nodes = await shown<{ node: string; state: string; carries: string | null }[]>('nodes');
      const there = nodes.filter(({ state }) => state !== 'ended'); // the one that made the log has
      expect(
        there
          .toSorted((a, b) => a.node.localeCompare(b.node))
          .map(({ node, state, carries }) => [node, state, carries]),
      ).toEqual([
        ['n1', 'serves', null],
        ['n2', 'stands by', 'n1'],
        ['n3', 'stands by', 'n1'],
      ]);
      // The test before this one has wished a place of n2 to n1.
      const planned = await shown<{ from: string; to: string; shards: number[] }[]>('rebalance --dry-run');
      expect(planned.every(({ from, to, shards: those }) => from !== to && those.length === SHARDS / PLACES)).toBe(
        true,
      );
      await shown('rebalance');
      expect(await shown('rebalance --dry-run')).toEqual([]);
      expect((await skep(`cluster rebalance --dry-run -f ${file}`)).out).toContain('nothing moves');
      const told = await shown<{ node: string; event: string }[]>('events');
      for (const line of ['n1 serves', 'n2 runs hosts for n1', 'n3 runs hosts for n1'])
        expect(told.map(({ node, event }) => `${node} ${event}`)).toContain(line);
      const opened = told.filter(({ node, event }) => node === 'n2' && event.startsWith('opens shards'));
      expect(opened.length).toBeGreaterThanOrEqual(2);
    },
  );
});
