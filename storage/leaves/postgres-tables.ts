/** Makes the tables of leaves where they are missing: by `skep cluster init`, and at the first start that keeps audit logs in the database. */
import type { Session } from '#storage/log-engine/postgres/session.ts';
import * as sql from './postgres-statements.ts';

/** Does nothing where the tables are there, and whole. Rejects with EngineRefused where the user may not make them, and with OutcomeUnknown. */
export async function createLeafTables(session: Session, lockMs: number): Promise<void> {
  const [row] = await session.read<{ readonly exists: boolean }>({ name: '', text: sql.ARE_WHOLE, values: [] });
  if (row!.exists) return;
  await session.inTransaction(lockMs, async (ask) => {
    await ask(sql.LOCK);
    await ask(sql.TABLES);
  });
}
