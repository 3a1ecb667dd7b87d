/** Chapters of the log: the next one is begun, and those of which nothing is needed any more are dropped whole. */
import type { Session } from './session.ts';
import * as sql from './statements.ts';

/** Appends wait behind a lock that waits, so it does not wait long; what is not dropped now is dropped by the next call. */
const LOCK_MS = 500;

/** How many chapters went. */
export async function dropChapters(session: Session): Promise<number> {
  await beginChapter(session);
  const rows = await session.read<{ readonly chapter: number }>({ name: '', text: sql.CHAPTERS, values: [] });
  let dropped = 0;
  for (const { chapter } of rows) if (await dropChapter(session, chapter)) dropped++;
  return dropped;
}

/** Begins the next chapter where the present one has an entry. */
function beginChapter(session: Session): Promise<void> {
  return session.inTransaction(LOCK_MS, async (ask) => {
    const [row] = (await ask('select chapter from skep_cluster for update')) as { readonly chapter: number }[];
    const { chapter } = row!;
    if ((await ask(`select from ${sql.chapterTable(chapter)} limit 1`)).length === 0) return;
    for (const statement of sql.newChapter(chapter + 1)) await ask(statement);
    await ask(`update skep_cluster set chapter = ${chapter + 1}`);
  });
}

/** A writer may have begun an append to it before the next one was begun: no append runs while the log is locked, and only then is it looked through. */
function dropChapter(session: Session, chapter: number): Promise<boolean> {
  return session.inTransaction(LOCK_MS, async (ask) => {
    await ask('lock table only skep_log in access exclusive mode');
    const [row] = (await ask(sql.isNeeded(chapter))) as { readonly needed: boolean }[];
    if (row!.needed) return false;
    await ask(`drop table ${sql.chapterTable(chapter)}`);
    return true;
  });
}
