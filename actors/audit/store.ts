/** The only file of this room that imports the storage floor: logs on the disk, their formats, and the signed heads. */
export { LeavesAway, LeavesLost } from '#storage/leaves/port.ts';
export type { Claimed, LeafHead, LeafStore } from '#storage/leaves/port.ts';
export { openEnvironment } from '#storage/environment.ts';
export type { Environment } from '#storage/environment.ts';
export type { Durability, Fate } from '#storage/segment/appender.ts';
export { readBundle } from '#storage/segment/bundle.ts';
export { readAddCheckpoint, writeAddCheckpoint } from '#storage/segment/add-checkpoint.ts';
export type { AddCheckpoint } from '#storage/segment/add-checkpoint.ts';
export { checkpointText, readCheckpoint } from '#storage/segment/checkpoint.ts';
export type { Checkpoint } from '#storage/segment/checkpoint.ts';
export { openFiles, readOnlyFiles } from '#storage/segment/files.ts';
export type { LogFiles } from '#storage/segment/files.ts';
export type { Fringe } from '#storage/segment/fringe.ts';
export type { Growth } from '#storage/segment/growth.ts';
export { EMPTY_ROOT, leafHash } from '#storage/segment/hash.ts';
export { HashReader } from '#storage/segment/hash-reader.ts';
export { LmdbHeads } from '#storage/segment/head-store.ts';
export type { HeadStore, SignedHead } from '#storage/segment/head-store.ts';
export {
  cosignatureLine,
  cosignedAt,
  cosignedMessage,
  isSignedBy,
  readVerifierKey,
  signatureLine,
  verifierKey,
  writeNote,
} from '#storage/segment/note.ts';
export type { Verifier, VerifyBytes } from '#storage/segment/note.ts';
export {
  addSuccession,
  isSignedInSpan,
  KEYS_FILE,
  readSuccessions,
  spansOf,
  successionText,
} from '#storage/segment/succession.ts';
export type { Succession } from '#storage/segment/succession.ts';
export { verifyConsistency, verifyInclusion } from '#storage/segment/proof.ts';
export { PRUNED, joinSpans, readPruning } from '#storage/segment/pruning.ts';
export type { Pruning, Span } from '#storage/segment/pruning.ts';
export type { Signer } from '#storage/segment/publisher.ts';
export { readFringe } from '#storage/segment/read-fringe.ts';
export { LogLeft, LogRefused } from '#storage/segment/refused.ts';
export { manifestPath, readManifest, segmentFirst, segmentPath } from '#storage/segment/manifest.ts';
export type { Manifest } from '#storage/segment/manifest.ts';
export { openSegmentLog } from '#storage/segment/segment-log.ts';
export type { SegmentLog } from '#storage/segment/segment-log.ts';
export { TILE_WIDTH, parseTilePath, tilePath, tileWidth } from '#storage/segment/tile-path.ts';
