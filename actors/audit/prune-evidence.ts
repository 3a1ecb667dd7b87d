/** Records of prunings: the newest one names everything that was pruned, and the next one is made from it. */
import type { AuditLog } from './audit-log.ts';
import { PRUNED, TILE_WIDTH, joinSpans, leafHash, readPruning, verifyInclusion } from './store.ts';
import type { LogFiles, Manifest, Pruning, Span } from './store.ts';

/** Whether a sealed segment holds records of prunings, and nothing else. */
export async function isEvidenceOnly(log: AuditLog, { first, size }: Manifest): Promise<boolean> {
  for (let at = first; at < size; at += TILE_WIDTH)
    for (const entry of await log.records(at, Math.min(TILE_WIDTH, size - at)))
      if (pruningOf(entry) === null) return false;
  return true;
}

/**
 * What the log, whose oldest record is number `oldest`, says was pruned: the newest record that names all of it, and those of earlier versions
 * after that one. Throws where one of them is not as it was signed, since its content is signed again.
 */
export async function prunedSoFar(log: AuditLog, oldest: number): Promise<readonly Span[]> {
  if (!(await hasPruned(log.files))) return []; // spares the first pruning a look at every record
  let spans: readonly Span[] = [];
  for await (const { index, entry } of newestFirst(log, oldest)) {
    const pruning = pruningOf(entry);
    if (pruning === null) continue;
    await assertSigned(log, index, entry);
    spans = joinSpans([...spans, ...pruning.spans]);
    if (pruning.isWhole) break;
  }
  return spans;
}

/** Whether a manifest has lost its segment. */
async function hasPruned(files: LogFiles): Promise<boolean> {
  const names = new Set(await files.names('segments'));
  return [...names].some((name) => name.endsWith('.json') && !names.has(name.replace(/json$/, 'log')));
}

async function* newestFirst(log: AuditLog, oldest: number) {
  for (let end = log.head?.size ?? 0; end > oldest;) {
    const at = Math.max(oldest, Math.floor((end - 1) / TILE_WIDTH) * TILE_WIDTH);
    const entries = await log.records(at, end - at);
    for (const [no, entry] of [...entries.entries()].toReversed()) yield { index: at + no, entry };
    end = at;
  }
}

/** Few records are records of prunings: only candidates are parsed. */
function pruningOf(entry: Buffer): Pruning | null {
  return entry.includes(PRUNED) ? readPruning(JSON.parse(entry.toString()) as Record<string, unknown>) : null;
}

async function assertSigned(log: AuditLog, index: number, entry: Buffer): Promise<void> {
  const { size, root } = log.head!;
  const hashes = await log.hashes(size).inclusion(index);
  if (!verifyInclusion(leafHash(entry), index, size, hashes, Buffer.from(root, 'base64')))
    throw new Error(`record ${index}, which says what was pruned, is not as it was signed: nothing more is pruned`);
}
