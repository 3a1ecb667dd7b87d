/**
 * What clients of all nodes were told. Each shard has counts; a write raises one of them by one, and gives it a number that this write alone has: so an answer says which write it has seen, and all writes of a
 * count are in one order. A read shows every write that was acknowledged before it began, and nothing that the log does not have in the end.
 */
import { COUNTS, SHARDS } from './settings.ts';

export interface Shown {
  readonly count: number;
  /** 0 before the first write. */
  readonly id: number;
}

/** A count of a shard. */
export interface Place {
  readonly shard: number;
  readonly no: number;
}

const at = ({ shard, no }: Place): number => shard * COUNTS.length + no;
const nameOf = ({ shard, no }: Place): string => `count ${no} of shard ${shard}`;
const ofAll = <T>(make: () => T): T[] => SHARDS.flatMap(() => COUNTS.map(make));

export class Ledger {
  readonly #acknowledged = ofAll(() => new Map<number, number>());
  readonly #shown = ofAll(() => new Map<number, number>());
  readonly #newest = ofAll(() => 0);
  /** `torn`: databases that were put back and lacked a part of what a store had. */
  readonly reached = { reads: 0, readsRefused: 0, waited: 0, torn: 0 };
  acknowledged = 0;
  #drawn = 0;

  draw(): number {
    return ++this.#drawn;
  }

  /** The newest write of a count that was acknowledged. */
  newest(place: Place): number {
    return this.#newest[at(place)]!;
  }

  acknowledges(place: Place, { count, id }: Shown): void {
    const known = this.#acknowledged[at(place)]!;
    if (known.has(count)) throw new Error(`${nameOf(place)}: write ${count} is acknowledged a second time`);
    known.set(count, id);
    this.acknowledged++;
    this.#newest[at(place)] = Math.max(this.newest(place), count);
  }

  /** An answer that rests on no record of its own. `before`: the newest write that was acknowledged when it began. */
  answers(place: Place, before: number, { count, id }: Shown, node: string): void {
    this.reached.reads++;
    if (count < before)
      throw new Error(`${node} answers with write ${count} in ${nameOf(place)}, and ${before} was acknowledged before`);
    this.#shown[at(place)]!.set(count, id);
  }

  /** `ids`: those that the log has of each count of a shard. Gives how many of its writes no client was told of. */
  judge(shard: number, ids: readonly (readonly number[])[]): number {
    let untold = 0;
    for (const no of COUNTS) {
      const place = { shard, no };
      this.#compare(place, 'acknowledged', this.#acknowledged[at(place)]!, ids[no]!);
      this.#compare(place, 'shown', this.#shown[at(place)]!, ids[no]!);
      untold += ids[no]!.length - this.#acknowledged[at(place)]!.size;
    }
    return untold;
  }

  #compare(place: Place, what: string, known: ReadonlyMap<number, number>, ids: readonly number[]): void {
    for (const [count, id] of known)
      if (count > 0 && ids[count - 1] !== id)
        throw new Error(
          `${nameOf(place)}: write ${count} was ${what} as ${id}, and the log has ${ids[count - 1]} there`,
        );
  }
}
