/** Hosts of a process, each over one shard and in a room of its own. */
import type { Machine } from '#test/simulation/machine/machine.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';
import type { ClusterHost } from './host.ts';
import { across } from './link.ts';

export interface HostRoomsParts {
  readonly world: World;
  readonly machine: Machine;
  readonly name: string;
  readonly rate: number;
  /** Runs in the room of the host. Null where the shard has another owner. */
  readonly opens: (shard: number) => Promise<ClusterHost | null>;
}

interface HostRoom {
  readonly room: Room;
  host: ClusterHost | null;
}

export class HostRooms {
  readonly #parts: HostRoomsParts;
  readonly #rooms = new Map<number, HostRoom>();

  constructor(parts: HostRoomsParts) {
    this.#parts = parts;
  }

  get hosts(): ClusterHost[] {
    return [...this.#rooms.values()].flatMap(({ host }) => host ?? []);
  }

  get rooms(): Room[] {
    return [...this.#rooms.values()].map(({ room }) => room);
  }

  /** Whether the shard is this process's. Never resolves where the room is killed meanwhile. */
  async open(shard: number): Promise<boolean> {
    const { machine, name, opens, rate, world } = this.#parts;
    const room = machine.start(`${name} host ${shard}`);
    room.rate = rate;
    const opened: HostRoom = { room, host: null };
    this.#rooms.set(shard, opened);
    opened.host = await across(world, room, () => opens(shard));
    return opened.host !== null;
  }

  /** Takes no more calls; what was taken is durable when it resolves. Never resolves where the room is killed meanwhile. */
  async seal(shard: number): Promise<void> {
    const { room, host } = this.#rooms.get(shard) ?? { room: null, host: null };
    if (room !== null && host !== null) await across(this.#parts.world, room, () => host.seal());
  }

  /** In order: what was taken is durable, and the shard is given up. */
  async close(shard: number): Promise<void> {
    const { room, host } = this.#rooms.get(shard) ?? { room: null, host: null };
    if (room === null || host === null) return this.kill(shard);
    await across(this.#parts.world, room, () => host.close());
    if (this.#rooms.get(shard)?.room === room) this.kill(shard);
  }

  /** The thread ends where it is. */
  kill(shard: number): void {
    const opened = this.#rooms.get(shard);
    this.#rooms.delete(shard);
    if (opened?.room.alive === true) this.#parts.machine.endThread(opened.room);
  }
}
