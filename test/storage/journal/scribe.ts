/** Writes journals for tests and reads them back. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal, type Journal, type JournalOptions } from '#storage/journal/journal.ts';
import { recordWrites, type JournalWrite } from '#storage/journal/record.ts';
import { readJournal } from '#storage/journal/replay.ts';
import { bytes, place, text } from '#test/storage/place.ts';

export function open(options: Partial<JournalOptions> = {}): Promise<Journal> {
  return openJournal({
    dataDir: place(),
    epoch: 7,
    name: 'test',
    segmentBytes: 8192,
    onFatal: (error) => {
      throw error;
    },
    ...options,
  });
}

export const put = (key: string, value: string): JournalWrite => ({ key, value: bytes(value) });
export const del = (key: string): JournalWrite => ({ key, value: null });

export function durable(journal: Journal, number: number): Promise<void> {
  return new Promise((resolve) => journal.whenDurable(number, resolve));
}

/** Appends one flush of records, each with a value of `size` bytes, and waits for it. */
export async function flush(journal: Journal, records: number, size = 40): Promise<void> {
  for (let i = 0; i < records; i++) journal.append(0, [put(`k${journal.last + 1}`, 'v'.repeat(size))]);
  await durable(journal, journal.last);
}

/** The records on disk as `number:shard:key=value;key` */
export function lines(directory: string): string[] {
  return Array.from(readJournal(directory), (record) => {
    const writes = Array.from(recordWrites(record), ({ key, value }) =>
      value === null ? key : `${key}=${text(value)}`,
    );
    return `${record.number}:${record.shard}:${writes.join(';')}`;
  });
}

export function numbers(directory: string): number[] {
  return Array.from(readJournal(directory), ({ number }) => number);
}

export function segments(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.segment'))
    .sort()
    .map((name) => join(directory, name));
}

/** Where in the file record `number` begins. */
export function placeOfRecord(directory: string, path: string, number: number): number {
  const file = readFileSync(path);
  for (const record of readJournal(directory)) {
    if (record.number === number) return file.indexOf(record.payload) - 28;
  }
  throw new Error(`no record ${number}`);
}
