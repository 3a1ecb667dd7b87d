/** One tenant of a set as a file of `skep tenant backup`, so that `skep tenant restore` brings it beside today's. */
import { rm } from 'node:fs/promises';
import type { Pace } from '#storage/backup/pace.ts';
import { KIND, type BackupHeader, type BackupTotals, type Kind } from '#storage/backup/format.ts';
import { readFrames } from '#storage/backup/frame-reader.ts';
import { FrameWriter } from '#storage/backup/frame-writer.ts';
import { takeBlob } from '#storage/backup/take.ts';
import type { SetTenant } from './manifest.ts';
import { fetchPart, readListPart, readPart, type Reading } from './read-part.ts';

/** Writes the file. Throws BackupFault, which names the part, where a part is missing or altered; then no file is left behind. */
export async function writeTenantFile(from: Reading, tenant: SetTenant, path: string, pace: Pace): Promise<void> {
  const rows = `${path}.rows`;
  try {
    await fetchPart(from, tenant.rows, `the rows of ${tenant.key}`, rows);
    await FrameWriter.whole(path, (writer) => copyFrames(from, tenant, rows, writer, pace));
  } finally {
    await rm(rows, { force: true });
  }
}

/** The frames of the rows, dated; before the last one come the files, which the rows' part leaves to the set. */
async function copyFrames(from: Reading, tenant: SetTenant, rows: string, writer: FrameWriter, pace: Pace) {
  for await (const { kind, payload } of readFrames(rows)) {
    if (kind === KIND.header) {
      const header = JSON.parse(payload.toString()) as BackupHeader;
      await writer.addJson(KIND.header, { ...header, made_at: tenant.made_at });
    } else if (kind === KIND.trailer) {
      const totals = JSON.parse(payload.toString()) as BackupTotals;
      await writer.addJson(KIND.trailer, { ...totals, ...(await copyFiles(from, tenant, writer, pace)) });
    } else await writer.add(kind as Kind, payload);
  }
}

async function copyFiles(from: Reading, { key, list }: SetTenant, writer: FrameWriter, pace: Pace) {
  const totals = { blobs: 0, blob_bytes: 0 };
  for await (const file of readListPart(from, list, `the list of the files of ${key}`)) {
    const { sha256, store, bytes: size } = file;
    const kept = { read: () => readPart(from, file, `a file of ${key}`) };
    await takeBlob(kept, { ...(store !== undefined && { store }), sha256, size }, writer, pace);
    totals.blobs++;
    totals.blob_bytes += size;
  }
  return totals;
}
