/**
 * Erases the submissions of an address, those that wait for their trigger among them, a slice a commit between the turns of callers. Events of them hold
 * nothing of the person, and end by themselves. Asked again it does what a crash left.
 */
import { limits } from '#config/limits.ts';
import { commitWhenRoom, untilFree } from '#actors/host/pace/own-turns.ts';
import type { Work } from '#actors/host/work.ts';
import { foldedAddress } from '#actors/protocol/submission.ts';
import { removeSubmission, scanOldest, type StoredSubmission, type Turn } from './store.ts';

/** How many were erased. Throws TenantClosed when the host ends. */
export async function eraseSubmissions(work: Work, { address }: { readonly address: string }): Promise<number> {
  const person = foldedAddress(address);
  let erased = 0;
  if (person === '') return 0;
  for (let from: string | null = ''; from !== null;) {
    await untilFree(work);
    const turn = work.nextTurn();
    const slice: Slice = sliceOf(turn, from, person);
    for (const one of slice.found) removeSubmission(turn, one);
    erased += slice.found.length;
    from = slice.next;
    await commitWhenRoom(work);
  }
  if (erased === 0) return 0;
  work.nextTurn();
  const data = { count: erased };
  work.record(() => work.event({ outcome: 'ok', action: 'data.submission.erase', target: '', data }));
  await commitWhenRoom(work);
  return erased;
}

interface Slice {
  readonly found: readonly StoredSubmission[];
  /** The id with which the next slice begins; null at the end. */
  readonly next: string | null;
}

function sliceOf(turn: Turn, from: string, person: string): Slice {
  const found: StoredSubmission[] = [];
  let looked = 0;
  for (const one of scanOldest(turn, from)) {
    if (looked++ === limits.submissions.eraseScanRows) return { found, next: one.id };
    if (one.person === person) found.push(one);
  }
  return { found, next: null };
}
