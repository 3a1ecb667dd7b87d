/**
 * Three nodes on one log, of which both that stand by run hosts of the one that serves. Callers of every tenant write all the time, at two doors; either carrier, both, the node that serves, or that one and a carrier are killed or stand still, and
 * the place is handed over while a place moves: every acknowledged row is there, once, callers meet 503 with `Retry-After: 1` and nothing else, and the places are shared out again.
 */
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callControl } from '#runtime/control.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { PairMachine } from '#test/kit/node-pair.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { Clients } from '#test/crash/carried/clients.ts';
import { SOON_MS, Trio, type Carrier } from '#test/crash/carried/trio.ts';

const FURTHER = Array.from({ length: 10 }, (_, no) => `acme:shop:dev:t${no}`);
/** Between two calls of a tenant: what the nodes do is to be seen, and not how much they bear. */
const REST_MS = 200;
/** How many of the faults, each of which takes half a minute: the seed says which ones. */
const FAULTS = rounds({ suite: 9, ci: 3 });
const TIME = { timeout: 5 * SOON_MS };

describe.runIf(hasPostgres)('hosts on three nodes', () => {
  let trio: Trio;
  let clients: Clients;

  beforeAll(async () => {
    trio = await Trio.start(FURTHER);
    const keys = new Map([[TENANT, trio.pair.key], ...trio.pair.keys]);
    clients = new Clients(trio.serving.machine.gateway, keys, REST_MS);
  }, 240_000);
  afterAll(async () => {
    await clients?.stop();
    await trio.pair.stop();
  });
  beforeEach(() => clients.begin());

  /** Clients call at the doors of machines that stay; no request is under way at another one, where it would wait for as long as that node stands still. */
  async function callAt(one: PairMachine, two: PairMachine): Promise<void> {
    clients.door = one.gateway;
    clients.second = two.gateway;
    await clients.well(SOON_MS);
  }

  /** Each tenant is served again, and callers met nothing that they should not. */
  async function served(): Promise<void> {
    await clients.well(SOON_MS);
    expect(clients.strange).toEqual([]);
    expect(await clients.lost(clients.door)).toEqual([]);
  }

  /** What has ended comes again, and gets its places. */
  async function whole(...machines: readonly PairMachine[]): Promise<void> {
    for (const machine of machines) await trio.join(machine);
    await trio.shared();
    await served();
  }

  const kill = ({ waits }: Carrier): true => process.kill(waits.pid, 'SIGKILL');

  test('places go to both nodes that stand by, under load', TIME, async () => {
    const [, two] = trio.pair.machines;
    await clients.well(SOON_MS);
    await whole(two, await trio.pair.another('n3'));
    await callAt(two, trio.carriers[1]!.machine);
    await served();
  });

  async function carrierKilled(no: number): Promise<void> {
    const carrier = trio.carriers[no]!;
    const other = trio.carriers[1 - no]!;
    await callAt(trio.serving.machine, other.machine);
    const before = await trio.owners();
    kill(carrier);
    await trio.gone(carrier);
    await served();
    const after = await trio.owners();
    expect(after).not.toContain(carrier.machine.name);
    const kept = before.flatMap((node, shard) => (node === carrier.machine.name ? [] : [[after[shard], node]]));
    for (const [now, then] of kept) expect(now).toBe(then);
    await whole(carrier.machine);
  }

  async function carrierStands(no: number): Promise<void> {
    const carrier = trio.carriers[no]!;
    await callAt(trio.serving.machine, trio.carriers[1 - no]!.machine);
    process.kill(carrier.waits.pid, 'SIGSTOP');
    await expect.poll(() => trio.owners(), { timeout: SOON_MS }).not.toContain(carrier.machine.name);
    await served();
    process.kill(carrier.waits.pid, 'SIGCONT');
    await expect(carrier.waits.serves).rejects.toThrow();
    await trio.gone(carrier);
    await whole(carrier.machine);
  }

  async function bothKilled(): Promise<void> {
    const both = [...trio.carriers];
    const { machine } = trio.serving;
    await callAt(machine, machine);
    both.forEach(kill);
    for (const carrier of both) await trio.gone(carrier);
    await served();
    expect(new Set(await trio.owners())).toEqual(new Set([machine.name]));
    await whole(...both.map((carrier) => carrier.machine));
  }

  async function servingKilled(): Promise<void> {
    const former = trio.serving;
    const [one, two] = trio.carriers as [Carrier, Carrier];
    await callAt(one.machine, two.machine);
    await former.node.end('SIGKILL');
    await trio.follows();
    await whole(former.machine);
  }

  async function servingAndCarrierKilled(no: number): Promise<void> {
    const former = trio.serving;
    const carrier = trio.carriers[no]!;
    const { machine } = trio.carriers[1 - no]!;
    await callAt(machine, machine);
    kill(carrier);
    await former.node.end('SIGKILL');
    await trio.gone(carrier);
    await trio.follows();
    await served();
    expect(new Set(await trio.owners())).toEqual(new Set([machine.name]));
    await whole(former.machine, carrier.machine);
  }

  async function servingStands(): Promise<void> {
    const former = trio.serving;
    const [one, two] = trio.carriers as [Carrier, Carrier];
    await callAt(one.machine, two.machine);
    process.kill(former.node.pid, 'SIGSTOP');
    await trio.follows();
    await served();
    process.kill(former.node.pid, 'SIGCONT');
    await former.node.exited;
    await whole(former.machine);
  }

  const faults: [string, () => Promise<void>][] = [
    ['carrier 0 is killed: its places alone move, and come back to it', () => carrierKilled(0)],
    ['carrier 1 is killed: its places alone move, and come back to it', () => carrierKilled(1)],
    ['carrier 0 stands still for longer than its lease, and is ended', () => carrierStands(0)],
    ['carrier 1 stands still for longer than its lease, and is ended', () => carrierStands(1)],
    ['both carriers are killed at once: the node that serves runs everything', bothKilled],
    ['the node that serves is killed: one carrier takes the place, the other one carries for it', servingKilled],
    ['the node that serves and carrier 0 are killed at once: the other one serves', () => servingAndCarrierKilled(0)],
    ['the node that serves and carrier 1 are killed at once: the other one serves', () => servingAndCarrierKilled(1)],
    ['the node that serves stands still for longer than its lease, and its hosts elsewhere with it', servingStands],
  ];
  const random = new Random(testSeed());
  while (faults.length > FAULTS) faults.splice(random.below(faults.length), 1);
  test.each(faults)('%s', TIME, (_name, run) => run());

  test('the place is handed over while a place moves', TIME, async () => {
    const former = trio.serving;
    const [one, two] = trio.carriers as [Carrier, Carrier];
    for (const { machine } of trio.carriers) await trio.pair.ready(machine);
    await callAt(one.machine, two.machine);
    const shard = (await trio.owners()).lastIndexOf(one.machine.name);
    // Whether it comes there or is refused since the node stops: both are well.
    const moved = callControl(join(dirname(former.machine.file), 'data'), 'cluster.move', {
      shard,
      node: two.machine.name,
    }).catch((error: unknown) => error);
    const drained = await skep(`cluster drain ${former.machine.name} -f ${former.machine.file} -o json`);
    expect(drained.code, drained.err).toBe(0);
    await moved;
    await trio.follows();
    await served();
    await trio.shared(former.machine); // the node that gave the place up goes on as one that carries
    await served();
    await clients.stop();
    expect(await clients.lost(clients.door)).toEqual([]);
  });
});
