/**
 * Which node runs which places. Pure: a place stays where it is as long as its node is there and has no more than its share, so that a node that goes moves what it had, and one that comes its
 * share and a place for each other node at most, where parts of places are rounded otherwise; what is free goes by weighted rendezvous hashing to a node that has room (D. Mosberger-Tang's form of T. Thaler, C. Ravishankar, "Using name-based mappings to increase hit rates", 1998).
 */

/** A node that may run places. */
export interface Room {
  readonly id: string;
  /** Places are shared out by it; above 0. */
  readonly weight: number;
}

/** The share of a node by weight, in places and parts of one; it runs no more than that rounded up. */
export function shareOf({ weight }: Pick<Room, 'weight'>, rooms: readonly Room[], places: number): number {
  const all = rooms.reduce((sum, room) => sum + room.weight, 0);
  return (places * weight) / all;
}

/**
 * The node of each place. `present`: where each is now; null, or a node that is not among the rooms, where it has none. `fixed`: places that stay where they are while that node is there, no
 * more of one node than its share. Throws without rooms.
 */
export function sharePlaces(
  rooms: readonly Room[],
  present: readonly (string | null)[],
  fixed: ReadonlySet<number> = new Set(),
): string[] {
  if (rooms.length === 0) throw new Error('no node runs places');
  const sharers = new Map(rooms.map((room) => [room.id, new Sharer(room, shareOf(room, rooms, present.length))]));
  const placed: (string | null)[] = present.map((id) => (id !== null && sharers.has(id) ? id : null));
  for (const sharer of sharers.values()) sharer.giveUp(placed, fixed);
  for (const [place, id] of placed.entries()) if (id === null) placed[place] = bestFor(place, sharers).take();
  return placed as string[];
}

class Sharer {
  readonly #room: Room;
  readonly #share: number;
  readonly #seed: number;
  #has = 0;

  constructor(room: Room, share: number) {
    this.#room = room;
    this.#share = share;
    this.#seed = hashOf(room.id);
  }

  /** `rounded`: a share has parts of a place, and whole ones go out first. */
  hasRoom(rounded: 'down' | 'up'): boolean {
    return this.#has < Math[rounded === 'down' ? 'floor' : 'ceil'](this.#share);
  }

  /** How much a place belongs here: the highest of all nodes has it. */
  scoreOf(place: number): number {
    return -this.#room.weight / Math.log(fractionOf(this.#seed, place));
  }

  take(): string {
    this.#has++;
    return this.#room.id;
  }

  /** Of its places those that belong here least, as far as they are more than its share. */
  giveUp(placed: (string | null)[], fixed: ReadonlySet<number>): void {
    const own = placed.flatMap((id, place) => (id === this.#room.id ? [place] : []));
    this.#has = own.length;
    const tooMany = this.#has - Math.ceil(this.#share);
    if (tooMany <= 0) return;
    const byScore = own.filter((place) => !fixed.has(place)).toSorted((a, b) => this.scoreOf(a) - this.scoreOf(b));
    for (const place of byScore.slice(0, tooMany)) {
      placed[place] = null;
      this.#has--;
    }
  }
}

function bestFor(place: number, sharers: ReadonlyMap<string, Sharer>): Sharer {
  return bestOf(place, sharers, 'down') ?? bestOf(place, sharers, 'up')!; // rounded up, the shares are all places together, or more
}

function bestOf(place: number, sharers: ReadonlyMap<string, Sharer>, rounded: 'down' | 'up'): Sharer | null {
  let best: Sharer | null = null;
  let most = -Infinity;
  for (const sharer of sharers.values()) {
    if (!sharer.hasRoom(rounded)) continue;
    const score = sharer.scoreOf(place);
    if (score <= most) continue;
    best = sharer;
    most = score;
  }
  return best;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Between 0 and 1, neither of them: the end of MurmurHash3 over the node and the place. */
function fractionOf(seed: number, place: number): number {
  let hash = seed ^ Math.imul(place + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}
