/** Makes the tables of a log in an empty database. */
import { Session } from './session.ts';
import type { SessionOptions } from './session.ts';
import * as sql from './statements.ts';

/** `shards` is fixed from here on. Rejects with EngineRefused where the tables are there already. */
export async function createTables(options: SessionOptions, shards: number): Promise<void> {
  const session = await Session.open(options);
  try {
    await session.inTransaction(options.answerMs, async (ask) => {
      await ask(sql.TABLES);
      for (const statement of sql.newChapter(1)) await ask(statement);
      for (const statement of sql.FILL) await ask(statement.replaceAll('$1', String(shards)));
    });
  } finally {
    session.close();
  }
}
