/**
 * The threads of a node that waits while another one serves its log: started, with their code loaded, and not opened, so that none of them holds anything of the log or of the directory. When the node
 * has its place each is given its own; a kind of which none is there then is started in the ordinary way.
 */
import { placeCount } from '#config/places.ts';
import type { Platform } from '#config/platform.ts';
import { childrenOf, type ChildRow } from './children.ts';
import { Spare, type SparePorts } from './spare.ts';
import type { Thread } from './thread.ts';

export interface ParkedPorts extends Omit<SparePorts, 'greet' | 'spawn' | 'use'> {
  readonly platform: Platform;
  spawn(row: ChildRow): Thread;
}

/** Threads that have connections of their own to the database of the log. */
const CONNECTS: ReadonlySet<ChildRow['name']> = new Set(['tenant-host', 'intake-writer']);

interface Place {
  readonly row: ChildRow;
  readonly spare: Spare;
}

export class Parked {
  readonly #ports: ParkedPorts;
  readonly #places: Place[] = [];

  constructor(ports: ParkedPorts) {
    this.#ports = ports;
  }

  /** Starts one thread for each place of the node; again where they are started it does nothing. `names`: of these kinds alone. */
  start(names: readonly ChildRow['name'][] | null): void {
    if (this.#places.length > 0) return;
    const hosts = placeCount(this.#ports.platform);
    for (const row of childrenOf(this.#ports.platform))
      if (names === null || names.includes(row.name))
        for (let no = 0; no < (row.count === 'one' ? 1 : hosts); no++) this.#places.push(this.#placeOf(row, no));
    for (const { spare } of this.#places) spare.warm();
  }

  /** Whether each place has a thread that has loaded its code. */
  get isReady(): boolean {
    return this.#places.length > 0 && this.#places.every(({ spare }) => spare.isReady);
  }

  /** The node's place is given to it next: its hosts and intake connect to the database of the log. What does not work now is done when they are opened. */
  soon(): void {
    for (const { row, spare } of this.#places)
      if (CONNECTS.has(row.name)) void spare.channel?.ask('thread.soon', null).catch(() => undefined);
  }

  /** One of a kind, which is the caller's from then on; null where there is none. */
  take(row: ChildRow): Thread | null {
    for (const [at, place] of this.#places.entries())
      if (place.row.name === row.name) {
        this.#places.splice(at, 1);
        return place.spare.stop();
      }
    return null;
  }

  /** Gives up all that are left, for the caller to end. */
  stop(): Thread[] {
    return this.#places.splice(0).flatMap(({ spare }) => spare.stop() ?? []);
  }

  #checkouts(): string[] {
    return [...new Set(this.#ports.platform.hives.tenant.flatMap(({ meta: { localdir } }) => localdir ?? []))];
  }

  #placeOf(row: ChildRow, no: number): Place {
    const name = row.count === 'one' ? row.name : `host-${no}`;
    const use = {
      name: `waiting ${name}`,
      meaning: 'this standby takes longer to serve when its turn comes, since the thread is started then',
    };
    const greet = ({ channel }: Thread): Promise<unknown> => channel.ask('thread.await', this.#checkouts());
    const spare = new Spare({ ...this.#ports, use, greet, spawn: () => this.#ports.spawn(row) });
    return { row, spare };
  }
}
