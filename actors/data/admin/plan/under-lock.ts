/** One plan at a time in a tenant: the second who would apply one is told who is at it. */
import type { Work } from '#actors/host/work.ts';
import { partOf } from '../../part.ts';
import type { Turn } from './store.ts';

/** Asked in every turn before it is committed: throws where another has taken over. */
export type Guard = (turn: Turn) => void;

/** Another plan is being applied. */
export interface Held {
  readonly kind: 'held';
  readonly planId: string;
}

export async function underLock<T>(work: Work, planId: string, run: (guard: Guard) => Promise<T>): Promise<T | Held> {
  const part = partOf(work.activation);
  if (part.applying !== null) return { kind: 'held', planId: part.applying };
  part.applying = planId;
  try {
    return await run(() => undefined);
  } finally {
    part.applying = null;
  }
}
