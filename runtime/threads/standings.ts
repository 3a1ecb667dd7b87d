/** How the tenants of a host stand with their operators (actors/protocol/standing.ts). */
import type { TenantEntry } from '#actors/protocol/topics.ts';

interface Standing {
  isReadOnly: boolean;
}

export const isSuspended = ({ standing }: Pick<TenantEntry, 'standing'>): boolean => standing === 'suspended';

/** What activations read at every turn: one object for a tenant that was woken, which changes when its operators change it. */
export class Standings {
  readonly #byNo = new Map<number, Standing>();

  of({ no, standing }: TenantEntry): Readonly<Standing> {
    let kept = this.#byNo.get(no);
    if (kept === undefined) this.#byNo.set(no, (kept = { isReadOnly: standing === 'read-only' }));
    return kept;
  }

  change({ no, standing }: TenantEntry): void {
    const kept = this.#byNo.get(no);
    if (kept !== undefined) kept.isReadOnly = standing === 'read-only';
  }

  forget(no: number): void {
    this.#byNo.delete(no);
  }
}
