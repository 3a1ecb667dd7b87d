/** What a log keeps of the keys that seal it (../../log-seal/): the number of each, and a mark that tells another key from it and says nothing of it. */
import type { Asked } from './cluster.ts';
import { Session } from './session.ts';
import { SEAL_TABLE } from './statements.ts';

const HAS_TABLE = `select to_regclass('skep_seal') is not null as exists`;
const MARKS = `select key, mark from skep_seal order by key`;
/** A mark that is there stays as it is, and its row is written, so that the acknowledgement waits for the copies. */
const ADD = `insert into skep_seal (key, mark) values ($1, $2) on conflict (key) do update set mark = skep_seal.mark returning key`;

/** By number; none of a log that is not sealed. Rejects with OutcomeUnknown and EngineRefused. */
export async function sealMarks(asked: Asked): Promise<ReadonlyMap<number, Buffer>> {
  const session = asked instanceof Session ? asked : await Session.open(asked);
  try {
    const [row] = await session.read<{ readonly exists: boolean }>({ name: '', text: HAS_TABLE, values: [] });
    if (!row!.exists) return new Map();
    const rows = await session.read<{ readonly key: number; readonly mark: Buffer }>({
      name: '',
      text: MARKS,
      values: [],
    });
    return new Map(rows.map(({ key, mark }) => [key, mark]));
  } finally {
    if (session !== asked) session.close();
  }
}

/** Does nothing where the key has a mark. Rejects as `sealMarks`. */
export async function addSealMark(session: Session, lockMs: number, key: number, mark: Buffer): Promise<void> {
  const [row] = await session.read<{ readonly exists: boolean }>({ name: '', text: HAS_TABLE, values: [] });
  if (!row!.exists)
    await session.inTransaction(lockMs, async (ask) => {
      await ask('select from skep_cluster for update');
      await ask(SEAL_TABLE);
    });
  await session.change({ name: '', text: ADD, values: [key, mark] });
}
