/** Makes the tables of a log in an empty database, and those of its nodes in one that a release without them made. */
import { Session, type SessionOptions } from './session.ts';
import { EVENT_TABLES } from './event-statements.ts';
import { HAS_NODE_TABLES, NODE_TABLES } from './node-statements.ts';
import * as sql from './statements.ts';

/** `shards` is fixed from here on. Rejects with EngineRefused where the tables are there already. */
export async function createTables(options: SessionOptions, shards: number): Promise<void> {
  const session = await Session.open(options);
  try {
    await session.inTransaction(options.answerMs, async (ask) => {
      await ask(sql.TABLES);
      for (const statement of sql.newChapter(1)) await ask(statement);
      await ask(NODE_TABLES);
      await ask(EVENT_TABLES);
      await ask(sql.SEAL_TABLE);
      for (const statement of sql.FILL) await ask(statement.replaceAll('$1', String(shards)));
    });
  } finally {
    session.close();
  }
}

/** Makes what is missing; does nothing where the tables are there. Two callers wait for each other. Rejects with EngineRefused where there is no log, or its user may not make tables. */
export async function createNodeTables(session: Session, lockMs: number): Promise<void> {
  const [row] = await session.read<{ readonly exists: boolean }>({
    name: '',
    text: HAS_NODE_TABLES,
    values: [],
  });
  if (row!.exists) return;
  await session.inTransaction(lockMs, async (ask) => {
    await ask('select from skep_cluster for update');
    await ask(NODE_TABLES);
    await ask(EVENT_TABLES);
  });
}
