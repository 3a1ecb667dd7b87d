/** Writes one after the other, as the page shows them. They end when the page that began them is left. */
import { useEffect, useRef, useState } from 'react';
import { oneByOne, restOf, type Outcome } from './one-by-one.ts';

export interface Run<T> {
  /** Null until they have begun. */
  readonly so: Outcome<T> | null;
  readonly isRunning: boolean;
  /** Ends with what came of it. */
  readonly begin: (items: readonly T[], act: (item: T) => Promise<unknown>) => Promise<Outcome<T>>;
  /** Tries what was refused or not begun once more, by the act of before; what was done before counts on. */
  readonly again: (asTold: (item: T, error: Error) => T) => Promise<Outcome<T>>;
  readonly stop: () => void;
}

export function useOneByOne<T>(): Run<T> {
  const [so, setSo] = useState<Outcome<T> | null>(null);
  const [isRunning, setRunning] = useState(false);
  const isStopped = useRef(false);
  const stop = (): void => void (isStopped.current = true);
  useEffect(() => {
    isStopped.current = false;
    return stop;
  }, []);
  const acts = useRef<(item: T) => Promise<unknown>>(() => Promise.resolve());
  const run = async (items: readonly T[], done: readonly T[]): Promise<Outcome<T>> => {
    isStopped.current = false;
    setSo({ done, refused: [], left: items, halt: null });
    setRunning(true);
    const told = (now: Outcome<T>): boolean => {
      setSo(now);
      return !isStopped.current;
    };
    try {
      return await oneByOne(items, acts.current, told, done);
    } finally {
      setRunning(false);
    }
  };
  const begin: Run<T>['begin'] = (items, act) => {
    acts.current = act;
    return run(items, []);
  };
  const again: Run<T>['again'] = (asTold) => (so === null ? run([], []) : run(restOf(so, asTold), so.done));
  return { so, isRunning, begin, again, stop };
}
