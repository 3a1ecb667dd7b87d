/** Makes the tables of submissions where they are missing: by `skep cluster init`, and at the first start of an intake over them. */
import type { Session } from '#storage/log-engine/postgres/session.ts';
import * as sql from './postgres-statements.ts';

/** Whether they are there. Rejects with OutcomeUnknown. */
export async function hasSubmissionTables(session: Session): Promise<boolean> {
  const [row] = await session.read<{ readonly exists: boolean }>({ name: '', text: sql.HAS_TABLES, values: [] });
  return row!.exists;
}

/** Does nothing where the tables are there. Rejects with EngineRefused where the user may not make them, and with OutcomeUnknown. */
export async function createSubmissionTables(session: Session, lockMs: number): Promise<void> {
  if (await hasSubmissionTables(session)) return;
  await session.inTransaction(lockMs, async (ask) => {
    await ask(sql.LOCK);
    await ask(sql.TABLES);
  });
}
