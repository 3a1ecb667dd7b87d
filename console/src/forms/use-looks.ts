/** Looks again at a submission that waits: a few times, each after twice the time, since each look is on record. */
import { useRef } from 'react';
import type { Query } from '@tanstack/react-query';
import type { Submission } from './shapes.ts';

const LOOKS_MAX = 5;
const FIRST_MS = 1000;

interface Looks {
  readonly refetchInterval: (query: Pick<Query<Submission | null>, 'state'>) => number | false;
  /** From now on it may wait anew. */
  readonly begin: () => void;
}

export function useLooks(): Looks {
  /** How many answers there were, and after how many of them the looks began. */
  const answers = useRef({ all: 0, before: 1 });
  return {
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      answers.current.all = dataUpdateCount;
      const looks = Math.max(0, dataUpdateCount - answers.current.before);
      return data?.outcome === 'waiting' && looks < LOOKS_MAX ? FIRST_MS * 2 ** looks : false;
    },
    begin: () => void (answers.current.before = answers.current.all + 1),
  };
}
