/** What is being done to several rows beside the grid. It concerns rows that were picked in the page, or cells that were pasted, which no address names. */
import { useState } from 'react';

import type { Paste } from './paste.ts';

export type Kind = 'change' | 'delete' | 'restore';

export interface ActOnPicked {
  readonly kind: Kind;
  readonly ids: readonly string[];
}

export type Act = ActOnPicked | { readonly kind: 'paste'; readonly paste: Paste };

export interface Acts {
  /** Null where nothing is. */
  readonly now: Act | null;
  /** Of the act: another one is another number. */
  readonly no: number;
  readonly begin: (act: Act) => void;
  readonly close: () => void;
  /** Another thing is opened: what is not under way makes room. */
  readonly yield: () => void;
  readonly setBusy: (isBusy: boolean) => void;
}

/** `view`: a name of what is shown; another view ends what is not under way. */
export function useAct(view: string): Acts {
  const [of, setOf] = useState<{ readonly view: string; readonly act: Act; readonly no: number } | null>(null);
  const [isBusy, setBusy] = useState(false);
  return {
    now: of !== null && (isBusy || of.view === view) ? of.act : null,
    no: of?.no ?? 0,
    begin: (act) => {
      if (!isBusy) setOf((before) => ({ view, act, no: (before?.no ?? 0) + 1 }));
    },
    close: () => setOf(null),
    yield: () => {
      if (!isBusy) setOf(null);
    },
    setBusy,
  };
}
