/** How a call ends: with its answer, or with the reason why there is none (docs/contract/bff.md §5). */

export type Reason = 'timeout' | 'refused' | 'status' | 'schema' | 'circuit_open' | 'quota';

export interface Answered {
  readonly ok: true;
  /** JSON; null for an empty answer. It is shared, so it must not be changed. */
  readonly value: unknown;
  /** Length of the answer as it came, in characters. */
  readonly chars: number;
}

export interface Unanswered {
  readonly ok: false;
  readonly reason: Reason;
  /** The status of an answer that is not a success. */
  readonly status?: number;
}

export type CallEnd = Answered | Unanswered;

export const unanswered = (reason: Reason, status?: number): Unanswered =>
  status === undefined ? { ok: false, reason } : { ok: false, reason, status };

/** The work's result, or `late` when it takes longer than `ms`. */
export async function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
