/** How a call ends: with what was answered, or with why there is no answer (docs/contract/bff.md §5). */

export type Reason = 'timeout' | 'refused' | 'status' | 'schema' | 'circuit_open';

export interface Answered {
  readonly ok: true;
  /** JSON; null where nothing was said. Shared: nobody may change it. */
  readonly value: unknown;
  /** Characters of it as it came. */
  readonly chars: number;
}

export interface Unanswered {
  readonly ok: false;
  readonly reason: Reason;
  /** Of an answer that was none. */
  readonly status?: number;
}

export type CallEnd = Answered | Unanswered;

export const unanswered = (reason: Reason, status?: number): Unanswered =>
  status === undefined ? { ok: false, reason } : { ok: false, reason, status };

/** A time that is up, unless the work was quicker. */
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
