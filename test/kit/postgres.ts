/** PostgreSQL in this process, which takes it seconds to start: one for all the files that the process runs, empty for each of them. */
import { PGlite } from '@electric-sql/pglite';

let started: Promise<PGlite> | null = null;

/** The database without tables, and with its settings as they were. */
export async function emptyPostgres(): Promise<PGlite> {
  const database = await (started ??= PGlite.create());
  for (const statement of ['rollback', 'reset all', 'drop schema public cascade', 'create schema public'])
    await database.exec(statement);
  return database;
}
