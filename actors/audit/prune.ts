/**
 * Old records go by whole sealed segments, oldest first. A signed record says which, before a byte of them is removed; their hashes
 * stay in the tiles and their manifests beside them, so that the rest of the log still verifies.
 */
import type { AuditEvent } from '#actors/protocol/audit.ts';
import type { AuditLog } from './audit-log.ts';
import { takenMs } from './record.ts';
import { TILE_WIDTH, manifestPath, readManifest, segmentFirst, segmentPath, tilePath } from './store.ts';
import type { LogFiles, Manifest } from './store.ts';

/** What the pruning of one segment leaves behind in the log. */
export type PruneEvent = (log: AuditLog, data: Readonly<Record<string, unknown>>) => AuditEvent;

/** Prunes segments whose last record was taken before a time (milliseconds since the epoch); how many segments went. */
export async function pruneLog(log: AuditLog, beforeMs: number, eventOf: PruneEvent): Promise<number> {
  let pruned = 0;
  for (const manifest of await sealedSegments(log.files)) {
    const [last] = await log.records(manifest.last, 1);
    if (last === undefined || !(takenMs(recordOf(last)) < beforeMs)) break;
    const { first, size, sha256, root } = manifest;
    const event = eventOf(log, { first, last: manifest.last, sha256, size, root });
    const { fate, index } = await log.append([event], 'strict');
    if (fate !== 'kept' || index === null) break;
    await log.published(index + 1);
    if ((log.head?.size ?? 0) <= index) break; // it was refused meanwhile: nothing is signed
    await removeSegment(log, manifest);
    pruned++;
  }
  return pruned;
}

/** Manifests of the segments that are there, oldest first. */
async function sealedSegments(files: LogFiles): Promise<Manifest[]> {
  const found: Manifest[] = [];
  for (const first of await firstsOf(files)) {
    const bytes = await files.read(manifestPath(first));
    const manifest = bytes === null ? null : readManifest(bytes.toString());
    if (manifest === null) break;
    found.push(manifest);
  }
  return found;
}

/** First records of the segments that are there, in order. */
async function firstsOf(files: Pick<LogFiles, 'names'>): Promise<number[]> {
  const firsts = (await files.names('segments')).map((name) => segmentFirst(`segments/${name}`));
  return firsts.filter((first) => first !== null).toSorted((a, b) => a - b);
}

/** The index of the oldest record that is still there. */
export async function firstKept(files: Pick<LogFiles, 'names'>): Promise<number> {
  return (await firstsOf(files))[0] ?? 0;
}

const recordOf = (entry: Buffer): { id: string } => JSON.parse(entry.toString()) as { id: string };

/** The segment last: as long as it is there, the next round finds what is left. Bundles go that hold nothing of its neighbours. */
async function removeSegment(log: AuditLog, { first, size }: Manifest): Promise<void> {
  const old = await blobsOf(log, first, size);
  if (old.size > 0) {
    // The same data may be that of a later record.
    const kept = await blobsOf(log, size, log.head!.size);
    for (const name of old) if (!kept.has(name)) await log.files.remove(`blob/${name}`);
  }
  // Everything before it is pruned: a bundle that begins there goes with its end.
  for (let index = Math.floor(first / TILE_WIDTH); (index + 1) * TILE_WIDTH <= size; index++)
    await log.files.remove(tilePath({ level: 'entries', index, width: TILE_WIDTH }));
  await log.files.remove(segmentPath(first));
}

/** Names of the blobs of records `from` ≤ i < `to`. */
async function blobsOf(log: AuditLog, from: number, to: number): Promise<Set<string>> {
  const names = new Set<string>();
  for (let at = from; at < to; at += TILE_WIDTH)
    for (const entry of await log.records(at, Math.min(TILE_WIDTH, to - at))) {
      const { data_sha256: name } = JSON.parse(entry.toString()) as { data_sha256?: string };
      if (name !== undefined) names.add(name);
    }
  return names;
}
