/**
 * Brings a file into memory, as PostgreSQL's pg_prewarm does. A thread that reads a page of LMDB's map which is not in memory waits for
 * the disk, and so do all tenants of that thread (LMDB's map has no read-ahead: environment.ts). Here one of libuv's threads waits instead.
 */
import { open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { limits } from '#config/limits.ts';

/**
 * Reads the file through, and again every `everyMs` until `signal`, because operating systems drop pages that were not used for a while.
 * Resolves after the first time. A file that would take more than its share of the free memory is not read. Never rejects: a disk that
 * fails is reported where its pages are needed.
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
      // During the pause the journal's syncs have the disk and libuv's threads to themselves.
      await setTimeout(performance.now() - began, undefined, { ref: false });
    }
  } finally {
    await file.close();
  }
}
