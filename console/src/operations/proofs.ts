/** Proofs of sets as the log of the node has them, and what is known of a set by them. Pure. */
import type { AuditRecord } from '../audit/shapes.ts';

export interface Proof {
  readonly seq: number;
  readonly at: string;
  readonly set: string;
  readonly parts: number | null;
  readonly isRestored: boolean;
  /** Why it was not restored; null where that was not wished, or it was. */
  readonly why: string | null;
}

export const proofsOf = (records: readonly AuditRecord[]): readonly Proof[] =>
  records.map(({ seq, ts, target, data = {} }) => {
    const { parts, restored, not_restored: why } = data;
    return {
      seq,
      at: ts,
      set: target,
      parts: typeof parts === 'number' ? parts : null,
      isRestored: restored === true,
      why: typeof why === 'string' ? why : null,
    };
  });

/** `read`: each part was; `proven`: it was restored, too. */
export function stateOf(
  { id, fault }: { readonly id: string; readonly fault: string | null },
  proofs: readonly Proof[],
): 'faulty' | 'proven' | 'read' | 'good' {
  if (fault !== null) return 'faulty';
  const own = proofs.filter(({ set }) => set === id);
  return own.some(({ isRestored }) => isRestored) ? 'proven' : own.length > 0 ? 'read' : 'good';
}
