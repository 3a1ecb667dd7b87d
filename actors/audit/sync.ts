/** Copies a log to other directories: tiles first, the checkpoint last, and only where the log continues what the target has. */
import { limits } from '#config/limits.ts';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import type { AuditLog } from './audit-log.ts';
import { judgeTarget, type Disagreement } from './judge-target.ts';
import { COSIGNED } from './cosign-round.ts';
import { HashReader, KEYS_FILE, TILE_WIDTH, readCheckpoint, tilePath, tileWidth, type LogFiles } from './store.ts';

const LEVEL_MAX = 8;

/** The result of a copy; where the two contradict each other the target is left as it was. */
export type SyncOutcome = 'same' | 'copied' | Disagreement;

/** Brings a target up to the log's newest checkpoint. */
export async function syncLog(log: AuditLog, target: LogFiles): Promise<SyncOutcome> {
  const { head, origin, files } = log;
  const before = await judgeTarget({ origin, verifier: log.key.verifier, head, files }, target);
  if (typeof before === 'string') return before;
  if (head === undefined || before === head.size) return 'same';
  for (const paths of chunks(filesBetween(before, head.size), limits.audit.tilesHeldMax))
    await copyFiles(log, target, paths);
  await copyBlobs(log, target);
  await holdTarget(target, head.size, head.root);
  // A verifier with an earlier key follows these to the present key.
  await copyFiles(log, target, [KEYS_FILE]);
  await target.save([['checkpoint', Buffer.from(head.note)]]);
  await copyCosigned(log, target, head.size);
  for (const path of filesBetween(before, head.size))
    if (isFullBundle(path)) await target.pack(path, limits.audit.packBytesMin, nextTurn);
  return 'copied';
}

/** A witness may have cosigned a newer tree meanwhile, which is not copied yet. */
async function copyCosigned(log: AuditLog, target: LogFiles, size: number): Promise<void> {
  const bytes = await log.read(COSIGNED);
  const cosigned = bytes === null ? null : readCheckpoint(bytes);
  if (cosigned !== null && cosigned.size <= size) await target.save([[COSIGNED, bytes!]]);
}

async function copyFiles(log: AuditLog, target: LogFiles, paths: readonly string[]): Promise<void> {
  const files = await Promise.all(paths.map(async (path) => [path, await log.read(path)] as const));
  await target.save(files.flatMap(([path, bytes]) => (bytes === null ? [] : [[path, bytes] as const])));
}

/** Data that was too large for its record; some may belong to a record beyond the checkpoint, which does no harm. */
async function copyBlobs(log: AuditLog, target: LogFiles): Promise<void> {
  const present = new Set(await target.names('blob'));
  const absent = (await log.files.names('blob')).filter((name) => !present.has(name) && !name.endsWith('.tmp'));
  for (const names of chunks(absent, limits.audit.blobsCopiedMax))
    await copyFiles(
      log,
      target,
      names.map((name) => `blob/${name}`),
    );
}

/** The copied tiles must lead to the root: otherwise a damaged copy would be published. */
async function holdTarget(target: LogFiles, size: number, root: string): Promise<void> {
  const hashes = new HashReader((path) => target.read(path), size);
  const found = Buffer.from(await hashes.root({ from: 0, to: size })).toString('base64');
  if (found !== root) throw new Error(`the copy has root ${found} at size ${size}, not ${root}`);
}

/** Of 256 entries: it never changes again. */
const isFullBundle = (path: string): boolean => path.startsWith('tile/entries/') && !path.includes('.p/');

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
