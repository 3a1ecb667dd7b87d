/** Makes the tables of submissions where they are missing: by `skep cluster init`, and at the first start of an intake over them. */
import type { Session } from '#storage/log-engine/postgres/session.ts';
import * as sql from './postgres-statements.ts';

async function isTrue(session: Session, text: string): Promise<boolean> {
  const [row] = await session.read<{ readonly exists: boolean }>({ name: '', text, values: [] });
  return row!.exists;
}

/** Whether the database has submissions. Rejects with OutcomeUnknown. */
export async function hasSubmissions(session: Session): Promise<boolean> {
  return (await isTrue(session, sql.HAS_TABLES)) && isTrue(session, sql.HAS_SUBMISSIONS);
}

/** Does nothing where the tables are there, and whole. Rejects with EngineRefused where the user may not make them, and with OutcomeUnknown. */
export async function createSubmissionTables(session: Session, lockMs: number): Promise<void> {
  if (await isTrue(session, sql.ARE_WHOLE)) return;
  await session.inTransaction(lockMs, async (ask) => {
    await ask(sql.LOCK);
    await ask(sql.TABLES);
  });
}
