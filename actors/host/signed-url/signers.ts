/**
 * The callers who sign URLs, and who they are when the URL is used: identity hands this in, as it does with sessions
 * (docs/decisions/bulk-and-files.md BU-10). A tenant without it signs nothing.
 */
import type { Principal } from '#actors/protocol/principal.ts';
import { Part } from '../part.ts';
import type { Work } from '../work.ts';

export interface Signers {
  /**
   * The text by which the caller can be found again: visible characters without `&`, `=` and `%`. Null for one whom this tenant does not keep, such
   * as a key of another tenant.
   */
  nameOf(work: Work, principal: Principal): string | null;
  /** The caller of a name as it is now, with its present roles and grants; null where its credential would count no more. */
  find(work: Work, name: string): Principal | null;
}

const NO_SIGNERS: Signers = { nameOf: () => null, find: () => null };

export const SIGNERS = new Part<Signers>('signers');

export function signersOf({ activation }: Work): Signers {
  return SIGNERS.find(activation) ?? NO_SIGNERS;
}
