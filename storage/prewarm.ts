/**
 * Brings a file into memory, as PostgreSQL's pg_prewarm does: who reads a page of LMDB's map that is not there waits for the disk, and
 * every tenant of his thread with him (no page is read ahead there: environment.ts). Here one of libuv's threads waits.
 */
import { open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { limits } from '#config/limits.ts';

/**
 * Reads the file through, and again every `everyMs` until `signal`, for systems take pages back that nobody has touched for a while.
 * Resolves after the first time. A file that would take more than its share of the memory that is free stays as it is. Never rejects: a
 * disk that does not answer shows where its pages are needed.
 */
export async function prewarm(
  path: string,
  signal: AbortSignal,
  everyMs: number = limits.storage.prewarmEveryMs,
): Promise<void> {
  await readThrough(path, signal).catch(() => undefined);
  if (!signal.aborted) void again(path, signal, everyMs);
}

async function again(path: string, signal: AbortSignal, everyMs: number): Promise<void> {
  const rested = await setTimeout(everyMs, true, { signal, ref: false }).catch(() => false);
  if (rested) await prewarm(path, signal, everyMs);
}

async function readThrough(path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > process.availableMemory() * limits.storage.prewarmMemoryShare) return;
    const piece = Buffer.allocUnsafeSlow(limits.storage.prewarmPieceBytes);
    for (let at = 0; at < size && !signal.aborted; at += piece.length) {
      const began = performance.now();
      await file.read(piece, 0, piece.length, at);
      // The journal's syncs have disk and threads to themselves for as long.
      await setTimeout(performance.now() - began, undefined, { ref: false });
    }
  } finally {
    await file.close();
  }
}
