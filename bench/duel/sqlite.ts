/** What decides the durability of a peer's SQLite, as far as the file itself tells. */
import { DatabaseSync } from 'node:sqlite';

/** `synchronous` belongs to each connection: neither Platformatic's mapper nor Directus sets it, so it is what SQLite is compiled with. */
export function sqliteSettings(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [[mode]] = database.prepare('pragma journal_mode').all().map(Object.values) as [[string]];
    return `journal_mode ${mode}, synchronous not set by it: SQLite's default, FULL`;
  } finally {
    database.close();
  }
}
