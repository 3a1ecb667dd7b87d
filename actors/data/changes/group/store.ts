/** The places of consumer groups: how far each has acknowledged the changes of its entity. */
import { TABLES } from '#storage/catalogue.ts';
import { unlessDamaged } from '#storage/fault.ts';
import { beyond } from '#storage/key.ts';
import type { Lookup, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import { untuple } from '#storage/untuple.ts';
import type { PrincipalType } from '#actors/protocol/principal.ts';

export interface GroupPlace {
  /** Every change up to here is acknowledged. */
  readonly after: number;
  /** The entity that the group followed then. */
  readonly entity: string;
  /** When it was acknowledged, in milliseconds, and by which caller. */
  readonly at: number;
  readonly type: PrincipalType;
  readonly subject: string;
}

const places = new Table<GroupPlace>('change_place', TABLES.change_place);

export const findPlace = (reader: Lookup, group: string): GroupPlace | undefined => places.get(reader, group);
export const putPlace = (turn: Turn, group: string, place: GroupPlace): void => places.put(turn, place, group);
export const dropPlace = (turn: Turn, group: string): void => places.del(turn, group);

/** The groups that have a place, by name: no more than may be declared. */
export function placedGroups(reader: Lookup): string[] {
  const from = places.key();
  const found: string[] = [];
  for (const { key } of reader.range(from, beyond(from))) found.push(untuple(key.slice(from.length))![0] as string);
  return found;
}

/** As `findPlace`, of work that is about other groups as well: a damaged record hurts its own alone. */
export const readablePlace = (reader: Lookup, group: string): GroupPlace | undefined =>
  unlessDamaged(() => findPlace(reader, group));

/** The changes behind the places are not those of this tenant's log: it was restored or moved. Each place is too old from now on. */
export function endPlaces(turn: Turn): void {
  for (const group of placedGroups(turn)) {
    const place = readablePlace(turn, group);
    if (place !== undefined) putPlace(turn, group, { ...place, after: 0 });
  }
}
