/** Writes one after the other, as the page shows them. They end when the page that began them is left. */
import { useEffect, useRef, useState } from 'react';
import { oneByOne } from './one-by-one.ts';
import type { Outcome } from './one-by-one.ts';

export interface Run<T> {
  /** Null until they have begun. */
  readonly so: Outcome<T> | null;
  readonly isRunning: boolean;
  /** Ends with what came of it. */
  readonly begin: (items: readonly T[], act: (item: T) => Promise<unknown>) => Promise<Outcome<T>>;
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
  const begin: Run<T>['begin'] = async (items, act) => {
    isStopped.current = false;
    setSo({ done: [], refused: [], left: items, halt: null });
    setRunning(true);
    const told = (now: Outcome<T>): boolean => {
      setSo(now);
      return !isStopped.current;
    };
    try {
      return await oneByOne(items, act, told);
    } finally {
      setRunning(false);
    }
  };
  return { so, isRunning, begin, stop };
}
