/**
 * Two nodes on one log, of which the one that stands by runs hosts of the one that serves. Callers of every tenant write all the time; either node is killed, stopped for longer than its lease, or handed over: every
 * acknowledged row is there, each place is served again within its bound, and callers meet 503 with `Retry-After: 1` and nothing else.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { NodePair, type PairMachine, type Waiting } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { Clients, serviceHeaders } from '#test/crash/carried/clients.ts';

const LEASE_MS = 4000;
const PLACES = 4;
const SHARDS = 8;
const START_MS = 60_000;
/** Behind a lease: the look that finds it over, and the shards that open elsewhere, on a machine with other work. */
const MORE_MS = 16_000;
const PASSWORD = 'correct horse battery';
const ROOT = { login: 'root@example.org', password: PASSWORD };
const FURTHER = Array.from({ length: 8 }, (_, no) => `acme:shop:dev:t${no}`);

describe.runIf(hasPostgres)('hosts on two nodes', () => {
  let pair: NodePair;
  let keys: ReadonlyMap<string, string>;
  let serving: ProcessNode;
  let waits: Waiting;
  let clients: Clients;

  beforeAll(async () => {
    pair = await NodePair.start({
      shards: SHARDS,
      leaseMs: LEASE_MS,
      hosts: 2,
      places: PLACES,
      hasLinks: true,
      further: FURTHER,
      extra: () => 'audit: { enabled: true, name: audit.example }\n',
      people: [{ tenant: CONTROL_PLANE, ...ROOT, roles: ['superadmin'] }],
    });
    keys = new Map([[TENANT, pair.key], ...pair.keys]);
    serving = await pair.serve(pair.machines[0]);
  }, 180_000);
  afterAll(async () => {
    await clients?.stop();
    await pair.stop();
  });

  /** The name of the node that has each shard open, by the log. */
  async function owners({ file }: PairMachine): Promise<string[]> {
    const { code, err, out } = await skep(`cluster shards -f ${file} -o json`);
    expect(code, err).toBe(0);
    return (JSON.parse(out) as { node: string }[]).map(({ node }) => node);
  }

  const counted = async (machine: PairMachine, name: string): Promise<number> =>
    (await owners(machine)).filter((node) => node === name).length;

  /** Requests at the doors of a node that stands by which went to hosts that it carries. */
  async function answeredHere({ operations }: PairMachine): Promise<number> {
    const text = await (await fetch(`${operations}/metrics`)).text();
    return Number(/^skep_link_requests_here_total (\d+)$/m.exec(text)?.[1]);
  }

  async function carries(machine: PairMachine, name: string): Promise<void> {
    await expect.poll(() => counted(machine, name), { timeout: START_MS, interval: 250 }).toBe(SHARDS / 2);
  }

  /** Callers met the refusal and nothing else, and were served. */
  function expectRefusedOnly(): void {
    expect(clients.strange).toEqual([]);
    expect(clients.acknowledged).toBeGreaterThan(0);
  }

  test('places go to the node that stands by, under load', { timeout: 3 * START_MS }, async () => {
    const [one, two] = pair.machines;
    clients = new Clients(one.gateway, keys);
    await clients.well(START_MS);
    expect(await counted(one, 'n1')).toBe(SHARDS);
    clients.begin();
    waits = await pair.standby(two);
    await carries(one, 'n2');
    clients.second = two.gateway;
    await clients.well(START_MS);
    expectRefusedOnly();
    expect(await clients.lost(one.gateway)).toEqual([]);
    expect(await clients.lost(two.gateway)).toEqual([]);
    expect(await answeredHere(two)).toBeGreaterThan(0);
  });

  test('an operator has a place run where it is wanted, and back', { timeout: 3 * START_MS }, async () => {
    const [one, two] = pair.machines;
    clients.begin();
    const shard = (await owners(one)).findIndex((node, no) => node === 'n1' && no % PLACES > 0);
    for (const [from, to] of [
      ['n1', 'n2'],
      ['n2', 'n1'],
    ]) {
      const { code, err, out } = await skep(`cluster move ${shard} ${to} -f ${one.file} -o json`);
      expect(code, err).toBe(0);
      expect(JSON.parse(out)).toEqual({ shard, place: shard % PLACES, from, to });
      expect((await owners(one))[shard]).toBe(to);
    }
    const before = await answeredHere(two);
    await clients.well(START_MS);
    expectRefusedOnly();
    expect(await answeredHere(two)).toBeGreaterThan(before);
    expect(await clients.lost(one.gateway)).toEqual([]);
    const refused = await skep(`cluster move ${shard} n3 -f ${one.file}`);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('n3 carries no hosts now')]);
  });

  test(
    'a tenant on a carried place has all that it had: keys of changes, its superadmin, its events',
    { timeout: 3 * START_MS },
    async () => {
      const [one, two] = pair.machines;
      for (const [tenant, key] of keys) {
        const headers = await serviceHeaders(one.gateway, tenant, key);
        const keyed = { ...headers, 'Idempotency-Key': `carried-${tenant.length}-0123456789abcdef` };
        const name = `keyed-${tenant.replaceAll(':', '-')}`;
        const made = await call(one.gateway, 'POST', '/data/rest/item', keyed, { name, token: name });
        expect(made.status, made.text).toBe(201);
        const again = await call(two.gateway, 'POST', '/data/rest/item', keyed, { name, token: name });
        expect([again.status, again.json]).toEqual([201, made.json]);
      }
      const login = await call(one.gateway, 'POST', '/auth/login', positionHeaders(CONTROL_PLANE), ROOT);
      expect(login.status, login.text).toBe(200);
      const token = (login.json as { access_token: string }).access_token;
      const root = { ...positionHeaders(CONTROL_PLANE), Authorization: `Bearer ${token}` };
      for (const tenant of keys.keys()) {
        const admin = { email: 'ann@example.org', password: PASSWORD };
        const path = `/superadmin/registry/tenants/${tenant}/provision`;
        const provisioned = await call(one.gateway, 'POST', path, root, { admin });
        expect(provisioned.status, provisioned.text).toBe(200);
        const log = `/audit/logs/${encodeURIComponent(`tenant/${tenant.replaceAll(':', '/')}`)}/records?limit=100`;
        const listed = async (): Promise<number> => {
          const { json, status } = await call(one.gateway, 'GET', log, root);
          return status === 200 ? (json as { records: unknown[] }).records.length : 0;
        };
        await expect.poll(listed, { timeout: START_MS }).toBeGreaterThan(0);
      }
    },
  );

  test(
    'a backup is made on the machine of the node that serves, whichever runs the host',
    { timeout: 3 * START_MS },
    async () => {
      const [one] = pair.machines;
      for (const tenant of keys.keys()) {
        const to = join(pair.root, `${tenant.replaceAll(':', '-')}.skep`);
        const made = await skep(`tenant backup ${tenant} --to ${to} -f ${one.file} -o json`);
        expect(made.code, made.err).toBe(0);
        expect(existsSync(to)).toBe(true);
      }
      expectRefusedOnly();
      await carries(one, 'n2');
    },
  );

  test('the carrier is stopped in order: its places come home', { timeout: 3 * START_MS }, async () => {
    const [one, two] = pair.machines;
    clients.second = null;
    clients.begin();
    process.kill(waits.pid, 'SIGTERM');
    await waits.serves.catch(() => undefined);
    await clients.well(START_MS);
    expect(await counted(one, 'n1')).toBe(SHARDS);
    expectRefusedOnly();
    waits = await pair.standby(two);
    await carries(one, 'n2');
  });

  test('the carrier is killed: its places are served again within its lease', { timeout: 3 * START_MS }, async () => {
    const [one, two] = pair.machines;
    clients.begin();
    process.kill(waits.pid, 'SIGKILL');
    await waits.serves.catch(() => undefined);
    const began = performance.now();
    await clients.well(START_MS);
    expect(performance.now() - began).toBeLessThan(LEASE_MS + MORE_MS);
    await expect.poll(() => counted(one, 'n1'), { timeout: START_MS }).toBe(SHARDS);
    expectRefusedOnly();
    expect(await clients.lost(one.gateway)).toEqual([]);
    waits = await pair.standby(two);
    await carries(one, 'n2');
  });

  test(
    'the carrier stands still for longer than its lease: it is ended, and answers for nothing when it wakes',
    { timeout: 3 * START_MS },
    async () => {
      const [one, two] = pair.machines;
      clients.begin();
      process.kill(waits.pid, 'SIGSTOP');
      await clients.well(START_MS);
      await expect.poll(() => counted(one, 'n1'), { timeout: START_MS }).toBe(SHARDS);
      process.kill(waits.pid, 'SIGCONT');
      await expect(waits.serves).rejects.toThrow();
      await sleep(LEASE_MS / 4);
      expectRefusedOnly();
      expect(await clients.lost(one.gateway)).toEqual([]);
      waits = await pair.standby(two);
      await carries(one, 'n2');
    },
  );

  test(
    'the node that serves is killed: the carrier ends its hosts and takes the place',
    { timeout: 3 * START_MS },
    async () => {
      const [, two] = pair.machines;
      clients.begin();
      clients.door = two.gateway;
      const began = performance.now();
      await serving.end('SIGKILL');
      serving = await waits.serves;
      await clients.well(START_MS);
      expect(performance.now() - began).toBeLessThan(LEASE_MS + 2 * MORE_MS);
      expect(await counted(two, 'n2')).toBe(SHARDS);
      expectRefusedOnly();
      expect(await clients.lost(two.gateway)).toEqual([]);
    },
  );

  test('the place is handed over to a node that carries', { timeout: 3 * START_MS }, async () => {
    const [one, two] = pair.machines;
    waits = await pair.standby(one);
    await carries(two, 'n1');
    await pair.ready(one);
    clients.begin();
    clients.door = one.gateway;
    const drained = await skep(`cluster drain n2 -f ${two.file} -o json`);
    expect(drained.code, drained.err).toBe(0);
    await waits.serves;
    await clients.well(START_MS);
    expectRefusedOnly();
    await clients.stop();
    expect(await clients.lost(one.gateway)).toEqual([]);
    await carries(one, 'n2'); // the node that gave it up goes on as the one that carries
  });
});
