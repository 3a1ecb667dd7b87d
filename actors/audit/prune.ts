/**
 * Old records are removed as whole sealed segments, oldest first. A signed record names them before a byte of them is removed; their hashes stay in
 * the tiles and their manifests beside them, so that the rest of the log still verifies. The records of prunings grow old and are removed as well:
 * each names everything pruned so far, so the newest one suffices, and it is removed only after a newer one is signed.
 */
import type { AuditEvent } from '#actors/protocol/audit.ts';
import type { AuditLog } from './audit-log.ts';
import { isEvidenceOnly, prunedSoFar } from './prune-evidence.ts';
import { takenMs } from './record.ts';
import { TILE_WIDTH, joinSpans, manifestPath, readManifest, segmentFirst, segmentPath, tilePath } from './store.ts';
import type { LogFiles, Manifest, Span } from './store.ts';

/** The event that records a pruning in the log. */
export type PruneEvent = (log: AuditLog, data: Readonly<Record<string, unknown>>) => AuditEvent;

/** Prunes segments whose last record was taken before a time (milliseconds since the epoch); gives how many segments were removed. */
export async function pruneLog(log: AuditLog, beforeMs: number, eventOf: PruneEvent): Promise<number> {
  let gone = 0;
  let pruned: readonly Span[] | null = null;
  for await (const run of dueRuns(log, beforeMs)) {
    pruned = joinSpans([...(pruned ?? (await prunedSoFar(log, run[0]!.first))), ...run]);
    if (!(await appendSigned(log, eventOf(log, dataOf(run.at(-1)!, pruned))))) break;
    for (const manifest of run) await removeSegment(log, manifest);
    gone += run.length;
  }
  return gone;
}

/** The content of a pruning's record: the segment that caused it, and everything that is pruned with it. */
function dataOf({ first, last, sha256, size, root }: Manifest, all: readonly Span[]) {
  return { first, last, sha256, size, root, all };
}

/** Appends the event; true when a checkpoint covers it. */
async function appendSigned(log: AuditLog, event: AuditEvent): Promise<boolean> {
  const { fate, index } = await log.append([event], 'strict');
  if (fate !== 'kept' || index === null) return false;
  await log.published(index + 1);
  return (log.head?.size ?? 0) > index; // false: the log was refused meanwhile and signs nothing
}

/**
 * Old segments that are removed under one record, oldest first. A run ends with a segment that holds more than records of prunings: those alone are
 * no reason to write another record, so an idle log stops growing.
 */
async function* dueRuns(log: AuditLog, beforeMs: number): AsyncGenerator<readonly Manifest[]> {
  let run: Manifest[] = [];
  for (const manifest of await sealedSegments(log.files)) {
    const [last] = await log.records(manifest.last, 1);
    if (last === undefined || !(takenMs(recordOf(last)) < beforeMs)) return;
    run.push(manifest);
    if (await isEvidenceOnly(log, manifest)) continue;
    yield run;
    run = [];
  }
}

/** Manifests of the existing segments, oldest first. */
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

/** First record numbers of the existing segments, in order. */
async function firstsOf(files: Pick<LogFiles, 'names'>): Promise<number[]> {
  const firsts = (await files.names('segments')).map((name) => segmentFirst(`segments/${name}`));
  return firsts.filter((first) => first !== null).toSorted((a, b) => a - b);
}

/** The number of the oldest existing record. */
export async function firstKept(files: Pick<LogFiles, 'names'>): Promise<number> {
  return (await firstsOf(files))[0] ?? 0;
}

const recordOf = (entry: Buffer): { id: string } => JSON.parse(entry.toString()) as { id: string };

/** Removes the segment file last: while it exists, the next round finds the rest. Bundles go when they hold nothing of its neighbours. */
async function removeSegment(log: AuditLog, { first, size }: Manifest): Promise<void> {
  const old = await blobsOf(log, first, size);
  if (old.size > 0) {
    // A later record may refer to the same data.
    const kept = await blobsOf(log, size, log.head!.size);
    for (const name of old) if (!kept.has(name)) await log.files.remove(`blob/${name}`);
  }
  // Everything before it is pruned: a bundle that begins there is removed with its end.
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
