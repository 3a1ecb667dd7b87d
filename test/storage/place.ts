/** A data directory of its own for each test, removed after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import { openArchive } from '#storage/archive.ts';
import type { Archive, ArchiveOptions } from '#storage/archive.ts';

export function place(): string {
  const directory = mkdtempSync(join(tmpdir(), 'skep-storage-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
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
