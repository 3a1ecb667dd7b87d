/** The keys of a log for a store beside its entries. */
import type { LogSeal } from './seal.ts';

/** Asks once; where that fails, the next call asks again. Null of a log that is not sealed. */
export function askedSeal(ask: () => Promise<LogSeal | null>): () => Promise<LogSeal | null> {
  let asked: Promise<LogSeal | null> | null = null;
  return () => {
    const answer = asked ?? ask();
    asked = answer;
    answer.catch(() => (asked = null));
    return answer;
  };
}
