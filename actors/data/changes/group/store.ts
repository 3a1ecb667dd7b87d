/** The places of consumer groups: how far each has acknowledged the changes of its entity. */
import { TABLES } from '#storage/catalogue.ts';
import type { Lookup, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
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

/** All of them, by name: no more than groups may be declared. */
export function allPlaces(reader: Lookup): [group: string, place: GroupPlace][] {
  const found: [string, GroupPlace][] = [];
  for (const { parts, record } of places.entriesFrom(reader, [])) found.push([parts![0] as string, record]);
  return found;
}

/** The changes behind the places are not those of this tenant's log: it was restored or moved. Each place is too old from now on. */
export function endPlaces(turn: Turn): void {
  for (const [group, place] of allPlaces(turn)) putPlace(turn, group, { ...place, after: 0 });
}
