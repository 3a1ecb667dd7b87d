/** A session whose reads all see one snapshot, for answers that take several turns. */
import { sessionWith, type Session } from './session.ts';
import type { Snapshot, Turn } from './store.ts';

export interface Frozen {
  readonly session: Session;
  close(): void;
}

export function frozen(live: Session): Frozen {
  const snapshot = live.snapshot();
  const turn = readOnly(snapshot);
  const shared: Snapshot = {
    newest: snapshot.newest,
    get: (key) => snapshot.get(key),
    range: (from, to, reverse) => snapshot.range(from, to, reverse),
    decoded: (key, decode) => snapshot.decoded(key, decode),
    close: () => undefined, // the whole answer closes it, not one scan
  };
  return {
    session: sessionWith(live, { frozen: true, turn: () => turn, snapshot: () => shared }),
    close: () => snapshot.close(),
  };
}

function readOnly(snapshot: Snapshot): Turn {
  const refused = (): never => {
    throw new Error('a frozen session writes nothing');
  };
  return {
    get: (key) => snapshot.get(key),
    range: (from, to, reverse) => snapshot.range(from, to, reverse),
    decoded: (key, decode) => snapshot.decoded(key, decode),
    put: refused,
    del: refused,
    dirty: false,
    newest: snapshot.newest,
    owner: null,
    frees: false,
    prepare: refused,
    commit: () => undefined,
    abort: () => undefined,
  };
}
