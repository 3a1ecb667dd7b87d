/** Three nodes on one log, of which the two that stand by run hosts of the one that serves: who does what, and their faults. */
import { expect } from 'vitest';
import { NodePair, type PairMachine, type Waiting } from '#test/kit/node-pair.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

/** Three nodes start again and again here: a busy machine keeps one that serves from beating for some seconds. */
const LEASE_MS = 10_000;
export const SOON_MS = 120_000;
const NODES = 3;
/** A place has two shards, and each node two places. */
const SHARDS = 12;
const PLACES = 6;

/** A node that stands by and carries. */
export interface Carrier {
  readonly machine: PairMachine;
  readonly waits: Waiting;
}

export class Trio {
  readonly pair: NodePair;
  serving: { readonly machine: PairMachine; readonly node: ProcessNode };
  carriers: Carrier[] = [];

  private constructor(pair: NodePair, serving: Trio['serving']) {
    this.pair = pair;
    this.serving = serving;
  }

  /** One serves all places; the other two come in `join`. */
  static async start(further: readonly string[]): Promise<Trio> {
    const wish = { shards: SHARDS, places: PLACES, leaseMs: LEASE_MS, hosts: 2, hasLinks: true, further };
    const pair = await NodePair.start(wish);
    const [machine] = pair.machines;
    return new Trio(pair, { machine, node: await pair.serve(machine) });
  }

  /** A node comes and stands by. */
  async join(machine: PairMachine): Promise<void> {
    this.carriers.push({ machine, waits: await this.pair.standby(machine) });
  }

  /** Resolves when each node runs its part of the places. `more`: nodes that carry and have served. */
  async shared(...more: readonly PairMachine[]): Promise<void> {
    const nodes = [this.serving.machine, ...more, ...this.carriers.map(({ machine }) => machine)].map(
      ({ name }) => name,
    );
    const even = Object.fromEntries(nodes.toSorted().map((name) => [name, SHARDS / NODES]));
    await expect.poll(() => this.owned(), { timeout: SOON_MS, interval: 250 }).toEqual(even);
  }

  /** How many shards each node has open, by the log. */
  async owned(): Promise<Readonly<Record<string, number>>> {
    const owners = await this.owners();
    return Object.fromEntries(
      [...new Set(owners)].toSorted().map((node) => [node, owners.filter((one) => one === node).length]),
    );
  }

  /** The node that has each shard open, by the log. */
  async owners(): Promise<string[]> {
    const { code, err, out } = await skep(`cluster shards -f ${this.serving.machine.file} -o json`);
    expect(code, err).toBe(0);
    return (JSON.parse(out) as { node: string }[]).map(({ node }) => node);
  }

  /** A carrier has ended, however it did. */
  async gone(carrier: Carrier): Promise<void> {
    await carrier.waits.serves.catch(() => undefined);
    this.carriers = this.carriers.filter((one) => one !== carrier);
  }

  /** Resolves when one of the carriers serves; the one before it has ended. */
  async follows(): Promise<void> {
    const heirs = this.carriers.map(async (carrier) => ({ carrier, node: await carrier.waits.serves }));
    const { carrier, node } = await Promise.any(heirs);
    this.carriers = this.carriers.filter((one) => one !== carrier);
    this.serving = { machine: carrier.machine, node };
  }
}
