/** A data directory of its own for each test, removed after it. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import { openArchive, type Archive, type ArchiveOptions } from '#storage/archive.ts';

export function place(): string {
  const directory = mkdtempSync(join(tmpdir(), 'skep-storage-'));
  // Again when something came in between: an archive that failed does not wait for the segment that it was making ready.
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return directory;
}

/** Opens the archive of `dataDir` as a node would: the next epoch, all earlier journals replayed. A fault fails the test. */
export function openAt(dataDir: string, options: Partial<ArchiveOptions> = {}): Promise<Archive> {
  return openArchive({
    dataDir,
    shards: [0, 1],
    replay: findJournals(dataDir),
    epoch: nextEpoch(dataDir),
    name: 'test',
    onFatal: (error) => {
      throw error;
    },
    ...options,
    limits: { segmentBytes: 64 * 1024, freeBytesMin: 1, ...options.limits },
  });
}

export const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
export const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value).toString('latin1');
