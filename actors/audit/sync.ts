/** Copies of a log in other directories: tiles first, the checkpoint last, and only where it continues what the target has. */
import { limits } from '#config/limits.ts';
import type { AuditLog } from './audit-log.ts';
import { verifyByNode } from './key-port.ts';
import { HashReader, TILE_WIDTH, isSignedBy, readCheckpoint, tilePath, tileWidth, verifyConsistency } from './store.ts';
import type { LogFiles } from './store.ts';

/** What became of a copy. `fork`, `rollback`: the target holds another history, and it was left as it is. */
export type SyncOutcome = 'same' | 'copied' | 'fork' | 'rollback' | 'unsigned';

const LEVEL_MAX = 8;

/** Brings a target up to the log's newest checkpoint. */
export async function syncLog(log: AuditLog, target: LogFiles): Promise<SyncOutcome> {
  const { head } = log;
  if (head === undefined) return 'same';
  const before = await judgeTarget(log, target, head.size, head.root);
  if (typeof before === 'string') return before;
  for (const paths of chunks(filesBetween(before, head.size), limits.audit.tilesHeldMax)) {
    const files = await Promise.all(paths.map(async (path) => [path, await log.read(path)] as const));
    await target.save(files.flatMap(([path, bytes]) => (bytes === null ? [] : [[path, bytes] as const])));
  }
  await holdTarget(target, head.size, head.root);
  await target.save([['checkpoint', Buffer.from(head.note)]]);
  return 'copied';
}

/** The size that the target has, when the log continues it. */
async function judgeTarget(log: AuditLog, target: LogFiles, size: number, root: string): Promise<number | SyncOutcome> {
  const bytes = await target.read('checkpoint');
  if (bytes === null) return 0;
  const there = readCheckpoint(bytes);
  if (there?.origin !== log.origin || !isSignedBy(there.note, log.key.verifier, verifyByNode)) return 'unsigned';
  if (there.size > size) return 'rollback';
  if (there.size === size) return Buffer.from(there.root).toString('base64') === root ? 'same' : 'fork';
  const proof = await log.hashes(size).consistency(there.size);
  const continues = verifyConsistency(there.size, size, there.root, Buffer.from(root, 'base64'), proof);
  return continues ? there.size : 'fork';
}

/** The tiles that were copied must lead to the root: what was lost on the way would be published otherwise. */
async function holdTarget(target: LogFiles, size: number, root: string): Promise<void> {
  const hashes = new HashReader((path) => target.read(path), size);
  const found = Buffer.from(await hashes.root({ from: 0, to: size })).toString('base64');
  if (found !== root) throw new Error(`the copy has root ${found} at size ${size}, not ${root}`);
}

/** Paths of the tiles and bundles that a tree of `to` entries has and one of `from` has not. */
function* filesBetween(from: number, to: number): Generator<string> {
  for (const level of ['entries', ...Array.from({ length: LEVEL_MAX }, (_, no) => no)] as const) {
    const height = level === 'entries' ? 0 : level;
    const first = Math.floor(from / TILE_WIDTH ** (height + 1));
    for (let index = first; ; index++) {
      const place = { level, index };
      const width = tileWidth(place, to);
      if (width === 0) break;
      if (width > tileWidth(place, from)) yield tilePath({ ...place, width });
    }
  }
}

function* chunks<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
