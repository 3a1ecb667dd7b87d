/** What a node has beside its door, its hosts and its rates. */
import type { Archive } from '#storage/archive.ts';
import type { Channel, Port } from '#actors/protocol/channel.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Room } from '#test/simulation/machine/room.ts';

/** The other rooms of a node, and what hosts have beside their orders (`whole/`). */
export interface Company {
  /** Tenants beside those of the door. */
  readonly entries: readonly TenantEntry[];
  /** Opens what runs in a thread, in its room. */
  open(kind: ThreadName, port: Port, room: Room, pulse: Int32Array): void;
  /** A host has opened its archive, in its room. Closing what this gives closes the archive. */
  opened(room: Room, archive: Archive, channel: Channel): { close(): Promise<void> };
}
