/** The rows of a wish as they are at one position, from one view: what `snapshot=true` begins with (docs/contract/changes.md §4.4). */
import { limits } from '#config/limits.ts';
import { PIECE_BYTES } from '#actors/protocol/stream.ts';
import { inFuel } from '#actors/kit/pace/fuel.ts';
import type { StoredRow } from '#actors/engine/rows/codec.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { frozen } from '#actors/engine/rows/frozen.ts';
import { findRows } from '#actors/engine/rows/read.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import type { Reading } from './judge.ts';
import { findHead } from './store.ts';

export interface Rows {
  readonly rows: readonly StoredRow[];
  /** Every change up to here is in the rows, and no later one. */
  readonly after: number;
}

/** 422 for more rows than a snapshot may have, 500 where they could not be read in the time of one view. */
export async function rowsAt(session: Session, { model, request, query }: Reading): Promise<Rows | Failure> {
  const most = limits.changes.snapshotRowsMax;
  const view = frozen(session);
  try {
    const head = findHead(view.session.turn());
    const found = await findRows(view.session, model, request, () => ({
      ...query,
      limit: most,
      offset: 0,
      peek: true,
    }));
    if (isFailure(found)) return found;
    if (found.more)
      return failure(422, `a snapshot has at most ${most} rows: filter more`, { parameter: 'snapshot', most });
    return { rows: found.rows, after: head?.seq ?? 0 };
  } finally {
    view.close();
  }
}

/** The rows as JSON texts, in groups of one piece's size; other turns run between two groups. */
export async function* writtenRows(
  session: Session,
  rows: readonly StoredRow[],
  write: (row: StoredRow) => string,
): AsyncGenerator<string[]> {
  let at = 0;
  while (at < rows.length) {
    const texts: string[] = [];
    let chars = 0;
    inFuel(() => {
      for (; at < rows.length && chars < PIECE_BYTES && texts.length < limits.data.sliceScanRowsMax; at++) {
        const text = write(rows[at]!);
        texts.push(text);
        chars += text.length;
      }
    });
    yield texts;
    await session.yieldTurn();
  }
}
