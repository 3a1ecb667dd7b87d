/** What is being done to several rows beside the grid. It concerns rows that were picked in the page, which no address names. */
import { useState } from 'react';

export type Kind = 'change' | 'delete';

export interface Act {
  readonly kind: Kind;
  readonly ids: readonly string[];
}

export interface Acts {
  /** Null where nothing is. */
  readonly now: Act | null;
  readonly begin: (act: Act) => void;
  readonly close: () => void;
  /** Another thing is opened: what is not under way makes room. */
  readonly yield: () => void;
  readonly setBusy: (isBusy: boolean) => void;
}

/** `view`: a name of what is shown; another view ends what is not under way. */
export function useAct(view: string): Acts {
  const [of, setOf] = useState<{ readonly view: string; readonly act: Act } | null>(null);
  const [isBusy, setBusy] = useState(false);
  return {
    now: of !== null && (isBusy || of.view === view) ? of.act : null,
    begin: (act) => {
      if (!isBusy) setOf({ view, act });
    },
    close: () => setOf(null),
    yield: () => {
      if (!isBusy) setOf(null);
    },
    setBusy,
  };
}
