/** Rows that a reader has picked, by their keys, as long as the same view is shown. */
import { useCallback, useMemo, useState } from 'react';

export interface Picked {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly clear: () => void;
  /** These rows are picked no longer. */
  readonly drop: (ids: readonly string[]) => void;
}

/** More than these are not picked one by one. A filter names more. */
export const PICKED_MAX = 100;
const NONE: ReadonlySet<string> = new Set();

/** `view`: a name of what is shown. */
export function usePicked(view: string): Picked {
  const [of, setOf] = useState<{ readonly view: string; readonly ids: ReadonlySet<string> }>({ view, ids: NONE });
  const ids = of.view === view ? of.ids : NONE;
  const toggle = useCallback(
    (id: string) =>
      setOf((before) => {
        const next = new Set(before.view === view ? before.ids : NONE);
        if (!next.delete(id) && next.size < PICKED_MAX) next.add(id);
        return { view, ids: next };
      }),
    [view],
  );
  const clear = useCallback(() => setOf({ view, ids: NONE }), [view]);
  const drop = useCallback(
    (gone: readonly string[]) =>
      setOf((before) => ({ ...before, ids: new Set([...before.ids].filter((id) => !gone.includes(id))) })),
    [],
  );
  return useMemo(() => ({ ids, toggle, clear, drop }), [ids, toggle, clear, drop]);
}
