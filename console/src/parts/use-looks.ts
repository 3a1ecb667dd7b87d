/** Looks again at something that waits: a few times, each after twice the time, since each look is on record. */
import { useRef } from 'react';
import type { Query } from '@tanstack/react-query';

const LOOKS_MAX = 5;
const FIRST_MS = 1000;

interface Looks<T> {
  readonly refetchInterval: (query: Pick<Query<T>, 'state'>) => number | false;
  /** From now on it may wait anew. */
  readonly begin: () => void;
}

/** `waits`: whether an answer says that it is worth another look. */
export function useLooks<T>(waits: (data: T | undefined) => boolean): Looks<T> {
  /** How many answers there were, and after how many of them the looks began: null before the first look, since a list beside it may have asked the same before. */
  const answers = useRef<{ all: number; before: number | null }>({ all: 0, before: null });
  return {
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      const before = (answers.current.before ??= Math.max(1, dataUpdateCount));
      answers.current.all = dataUpdateCount;
      const looks = Math.max(0, dataUpdateCount - before);
      return waits(data) && looks < LOOKS_MAX ? FIRST_MS * 2 ** looks : false;
    },
    begin: () => void (answers.current.before = answers.current.all + 1),
  };
}
