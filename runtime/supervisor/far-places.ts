/** The nodes on which places may run besides this one, as the supervisor sees them (runtime/link/carrier-links.ts). */
import type { Room } from './share-places.ts';
import type { CarriedThread } from './thread.ts';

export interface FarPlaces {
  /** The nodes that may run places now, by the ids of their lives. To be called with each look: it makes and drops the links. */
  look(): readonly Room[];
  /** The life of a node that may run places now, by its name; null where it may not. */
  idOf(node: string): string | null;
  /** The name of a node, by its life. */
  nameOf(id: string): string;
  /** Starts a thread there, which loads what tenants of these checkouts serve and opens nothing; null where that does not work. */
  start(id: string, place: number, checkouts: readonly string[]): CarriedThread | null;
  /** Ends the links: threads on them are lost to this node. */
  stop(): void;
}
