/** Removes sets that retention does not keep, then parts that no set names any more. */
import { limits } from '#config/limits.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { partName } from './encryption.ts';
import { readManifest, type PartRef } from './manifest.ts';
import type { BackupPlace } from './place.ts';
import { readListPart, type Reading } from './read-part.ts';
import { keptSets, type Keep } from './retention.ts';

/** Removes the manifests of sets that are not kept, and gives how many. A set without its manifest is none; its parts are left to a sweep. */
export async function retireSets(place: BackupPlace, keep: Keep): Promise<number> {
  const ids = await place.sets();
  const kept = keptSets(ids, keep);
  const gone = ids.filter((id) => !kept.has(id));
  for (const id of gone) await place.removeSet(id);
  return gone.length;
}

/**
 * Removes parts that no set names and that were not stored lately: a set may be on its way that names them. A manifest or list that cannot be
 * read stops the sweep before it removes a part, for it may name any.
 */
export async function sweepParts(place: BackupPlace, nowMs: number, pace: Pace): Promise<number> {
  const used = await usedParts(place, pace);
  let removed = 0;
  for await (const { name, storedMs } of place.parts()) {
    if (!used.has(name) && storedMs < nowMs - limits.backup.unusedPartMs) {
      await place.removePart(name);
      removed++;
    }
    if (pace.over) await pace.rest();
  }
  return removed;
}

async function usedParts(place: BackupPlace, pace: Pace): Promise<Set<string>> {
  const used = new Set<string>();
  for (const id of await place.sets()) {
    const text = await place.readSet(id);
    if (text === null) continue; // removed meanwhile
    const { encryption, tenants, trees } = readManifest(text, id, place.where);
    const from: Reading = { place, encryption, decrypt: null };
    const seen = ({ sha256 }: PartRef): void => void used.add(partName(sha256, encryption));
    for (const { rows } of tenants) seen(rows);
    for (const { list } of [...tenants, ...trees]) {
      // Suffixes of other readers: a list names the same files to all sets that share it.
      const mark = `${list.sha256} ${encryption?.suffix ?? ''}`;
      if (used.has(mark)) continue;
      used.add(mark).add(list.sha256);
      for await (const file of readListPart(from, list, `a list of set ${id}`)) {
        seen(file);
        if (pace.over) await pace.rest();
      }
    }
  }
  return used;
}
