/** What decides the durability of a peer's SQLite, as far as the file itself says. */
import { readFileSync } from 'node:fs';

/** Where a file's header says how it is written: 1 a rollback journal, 2 a write-ahead log (sqlite.org/fileformat2.html, "File format version numbers"). */
const WRITE_VERSION = 18;
const WAL = 2;

/**
 * `synchronous` belongs to a connection: neither Platformatic's mapper nor Directus sets it, so it is what the driver was compiled with.
 * `walSynchronous`: what that is where there is a write-ahead log.
 */
export function sqliteSettings(file: string, walSynchronous: 'FULL' | 'NORMAL'): string {
  const isWal = readFileSync(file)[WRITE_VERSION] === WAL;
  const [mode, synchronous] = isWal ? ['WAL', walSynchronous] : ['rollback', 'FULL'];
  return `journal ${mode}, synchronous ${synchronous} (the driver's default)`;
}
