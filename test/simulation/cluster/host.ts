/** A host's thread on a log in a database: the real archive over the real journals of an engine, and answers that leave as the real host lets them. */
import type { Platform } from '#config/platform.ts';
import { openArchive, type Archive } from '#storage/archive.ts';
import { engineJournals } from '#storage/engine-journals/engine-journals.ts';
import { ShardStopped, StorageFull } from '#storage/fault.ts';
import type { LogEngine } from '#storage/log-engine/port.ts';
import type { Store } from '#storage/port.ts';
import { whenAllowed } from '#actors/host/allowed.ts';
import type { Call } from '#actors/host/call.ts';
import type { Service } from '#actors/host/service.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { answersBy, mayClaimBy } from '#runtime/cluster/lease-cell.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';
import { countIn, countKey } from './judge.ts';
import type { Ledger, Place, Shown } from './ledger.ts';
import { COUNTS, type ClusterSettings } from './settings.ts';

const TENANT = 7;
const KEYS = ['a', 'b', 'c', 'd', 'e'];
const PAUSE_MS = 300;
/** Rows of limits.storage, small: sweeps begin soon, and little may wait. */
const LIMITS = { sweepCells: 8, sweepCalmCellsMax: 4, sweepWaitsMax: 2, followGatherMs: 40, freeBytesMin: 1 };
const WAITING_BYTES_MAX = 4000;
const FREE_BYTES = 1e15;

type MainAsk = Parameters<typeof answersBy>[2];

export interface HostParts {
  readonly settings: ClusterSettings;
  readonly world: World;
  readonly ledger: Ledger;
  readonly node: string;
  readonly dataDir: string;
  readonly shards: readonly number[];
  readonly engine: LogEngine;
  /** Null where no other node can take the place: an auditor's. */
  readonly cell: SharedArrayBuffer | null;
  /** Whether this node serves, by a beat that begins behind the call: main's. */
  readonly confirms: () => Promise<boolean>;
  readonly wallMs: () => number;
  /** Ends the process. */
  readonly onFatal: (error: Error) => void;
}

export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

const REPLY = { kind: 'reply' } as Reply;
const UNAVAILABLE = { kind: 'refusal' } as Refusal;
const SERVICE = { unavailable: () => UNAVAILABLE } as unknown as Service;

/** Of hosts that were opened, in this process. */
let opened = 0;

export class ClusterHost {
  /** A host that was opened later has a higher one. */
  readonly no = ++opened;
  readonly archive: Archive;
  readonly room: Room;
  readonly #parts: HostParts;
  readonly #stores: ReadonlyMap<number, Store>;
  readonly #answers: ReturnType<typeof answersBy>;
  isClosing = false;
  unanswered = 0;

  constructor(parts: HostParts, archive: Archive) {
    this.#parts = parts;
    this.archive = archive;
    this.room = parts.world.here();
    this.#stores = new Map(parts.shards.map((no) => [no, archive.store(no, TENANT)]));
    this.#answers = answersBy(parts.cell, clusterOf(parts), mainOf(parts));
  }

  get shards(): readonly number[] {
    return this.#parts.shards;
  }

  /** Raises a count of a shard, and writes some rows beside it. Its answer leaves when its record is durable, whatever the lease says. */
  write(shard: number): void {
    const { ledger, world } = this.#parts;
    const { random } = world;
    const place = { shard, no: random.pick(COUNTS) };
    const key = countKey(place.no);
    try {
      const store = this.#stores.get(shard)!;
      const turn = store.begin();
      const shown: Shown = { count: countIn(turn.get(key)).count + 1, id: ledger.draw() };
      turn.put(key, Buffer.from(`${shown.count} ${shown.id}`));
      for (let i = random.below(4); i > 0; i--) {
        const row = random.pick(KEYS);
        const size = random.chance(0.15) ? 150 + random.below(400) : random.below(20);
        if (random.chance(0.1)) turn.del(row);
        else turn.put(row, Buffer.from(`${shown.id}${'.'.repeat(size)}`));
      }
      turn.commit();
      this.unanswered++;
      store.whenDurable(turn.newest, () => {
        this.unanswered--;
        if (!this.room.alive) return;
        world.note(
          `${this.#parts.node} acknowledges ${shown.count}, ${shown.id}, in count ${place.no} of shard ${shard}`,
        );
        ledger.acknowledges(place, shown);
      });
    } catch (error) {
      this.#refuses(error as Error);
    }
  }

  /** Reads each count in a turn of its own: one that waits for a record keeps no other. */
  reads(holdMs: number): void {
    for (const shard of this.shards) for (const no of COUNTS) this.#read({ shard, no }, holdMs);
  }

  /** What it has read leaves a while later, when what it saw is durable and no other node can have overtaken it. */
  #read(place: Place, holdMs: number): void {
    const before = this.#parts.ledger.newest(place);
    try {
      const store = this.#stores.get(place.shard)!;
      const turn = store.begin();
      const shown = countIn(turn.get(countKey(place.no)));
      turn.abort();
      setTimeout(() => store.whenDurable(turn.newest, () => void this.#leaves(place, before, shown)), holdMs);
    } catch (error) {
      this.#refuses(error as Error);
    }
  }

  async #leaves(place: Place, before: number, shown: Shown): Promise<void> {
    const { ledger, node } = this.#parts;
    const outcome = await whenAllowed(this.#answers, SERVICE, {} as Call, REPLY);
    if (!this.room.alive) return;
    if (outcome === REPLY) ledger.answers(place, before, shown, node);
    else ledger.reached.readsRefused++;
  }

  #refuses(error: Error): void {
    if (!(error instanceof StorageFull) && !(error instanceof ShardStopped) && !this.isClosing) throw error;
    this.#parts.ledger.reached.waited++;
  }

  /** Takes no more calls; what was taken is durable when this resolves. */
  async seal(): Promise<void> {
    this.isClosing = true;
    await this.archive.seal();
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.archive.close();
  }
}

const clusterOf = ({ settings: { reads, leaseMs } }: HostParts): Platform['cluster'] => ({
  reads,
  lease: `${leaseMs / 1000}s`,
  files: 'own',
  carry: false,
});
const mainOf = ({ confirms }: HostParts): MainAsk => ({ ask: confirms }) as unknown as MainAsk;

/** As a host opens its shards: behind the stores that came back from copies. Null where another node was faster. */
export async function openClusterHost(parts: HostParts): Promise<ClusterHost | null> {
  const { cell, dataDir, engine, node, onFatal, settings, shards, wallMs } = parts;
  const { putsMax, readBytesMax } = settings;
  const archive = await openArchive({
    dataDir,
    shards,
    epoch: 0,
    name: node,
    replay: [],
    onFatal,
    freeBytes: () => FREE_BYTES,
    limits: { ...LIMITS, commitPutsMax: putsMax, freeSpaceCheckMs: 1e9 },
    journals: engineJournals({
      engine,
      owner: node,
      bounds: { gatherMax: 4, putsMax },
      readBytesMax,
      opensMax: 2,
      waitingBytesMax: WAITING_BYTES_MAX,
      pause,
      ...(cell !== null && { mayClaim: mayClaimBy(cell, clusterOf(parts), mainOf(parts)) }),
      now: wallMs,
    }),
    onLost: (shard) => onFatal(new Error(`shard ${shard} is lost`)),
  });
  return archive.stats().stopped.size > 0 ? null : new ClusterHost(parts, archive);
}
