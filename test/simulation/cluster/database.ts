/** The database of a run: the log engine in memory, whose steps are events of the world. It keeps what it has shown of the log, for the judge. */
import { MemoryNodes } from '#test/storage/log-engine/memory-nodes.ts';
import type { MemoryServer } from '#test/storage/log-engine/memory-server.ts';
import { CALM, MemoryLog, type MemoryEngine } from '#test/storage/log-engine/memory.ts';
import type { LogEntry } from '#storage/log-engine/port.ts';
import { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';
import type { Link } from './link.ts';
import { SHARDS, type ClusterSettings } from './settings.ts';

export class SimulatedDatabase {
  readonly room = new Room('database');
  readonly log: MemoryLog;
  readonly #world: World;
  /** By shard, the newest entry that was seen at each position: those that were let go are here still. */
  readonly #seen = SHARDS.map((): LogEntry[] => []);
  readonly #looked: (readonly LogEntry[])[] = SHARDS.map(() => []);
  #backup: MemoryServer | null = null;

  constructor(world: World, { entryBytesMax, standbySlow }: ClusterSettings) {
    this.#world = world;
    this.log = new MemoryLog({
      shards: SHARDS.length,
      random: () => world.random.next(),
      chances: { ...CALM, standbySlow, waitCancelled: 0.002 },
      entryBytesMax,
      schedule: (step) =>
        void world.after(world.random.next(), this.room, 'database', () => {
          step();
          this.#look();
        }),
    });
  }

  engine(link: Link, answerMs: number): MemoryEngine {
    return this.log.connect(link.via(answerMs));
  }

  nodes(link: Link, answerMs: number): MemoryNodes {
    return new MemoryNodes(this.log, undefined, link.via(answerMs));
  }

  /** The standby takes over with what it has. */
  failOver(): void {
    this.#world.note('the standby of the database takes over');
    this.log.takeOver();
    this.#look();
  }

  /** The standby is away for so long: nothing is acknowledged meanwhile. */
  withoutStandby(ms: number, then: () => void): void {
    this.log.isStandbyAway = true;
    this.#world.after(ms, this.room, 'the standby is back', () => {
      this.log.isStandbyAway = false;
      then();
      this.log.wake();
    });
  }

  calm(): void {
    this.log.chances = CALM;
    this.log.isStandbyAway = false;
    this.log.wake();
  }

  /** Everything as of now. */
  copy(): MemoryServer {
    return this.log.primary.takeOver();
  }

  /** A copy of everything, as of now unless another one is given, that is put back later. */
  backUp(copy = this.copy()): void {
    this.#backup = copy;
  }

  get hasBackup(): boolean {
    return this.#backup !== null;
  }

  putBack(): void {
    this.#world.note('the database is put back from a copy');
    this.log.putBack(this.#backup!);
    for (const no of SHARDS) this.#looked[no] = [];
    for (const [no, entries] of this.#seen.entries()) entries.length = this.log.primary.row(no).tail;
    this.#look();
  }

  /** All entries of a shard from the first on. */
  entriesOf(shard: number): readonly LogEntry[] {
    return this.#seen[shard]!.slice(0, this.log.primary.row(shard).tail);
  }

  #look(): void {
    for (const no of SHARDS) {
      const { entries } = this.log.primary.row(no);
      if (entries === this.#looked[no]) continue;
      this.#looked[no] = entries;
      const seen = this.#seen[no]!;
      for (let at = entries.length - 1; at >= 0 && seen[entries[at]!.seq - 1] !== entries[at]; at--)
        seen[entries[at]!.seq - 1] = entries[at]!;
    }
  }
}
