/** A place of copies with other verbs. */
import type { CopyPlace } from '#storage/shard-copy/place.ts';

export function changedPlace(place: CopyPlace, changes: Partial<CopyPlace>): CopyPlace {
  return {
    where: place.where,
    put: (name, path) => (changes.put ?? place.put.bind(place))(name, path),
    read: (name) => (changes.read ?? place.read.bind(place))(name),
    list: (shard) => (changes.list ?? place.list.bind(place))(shard),
    pieces: (shard) => (changes.pieces ?? place.pieces.bind(place))(shard),
    remove: (name) => (changes.remove ?? place.remove.bind(place))(name),
  };
}
