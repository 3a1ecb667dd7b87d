/** How a user can log in: a password, passkeys. */
import type { Work } from '#actors/host/work.ts';
import type { UserRecord } from '../store.ts';
import { passkeysOf } from './enabled.ts';
import { readPasskeys } from './store.ts';

/** How many ways there are; passkeys count where the product has them. */
export function waysIn(work: Work, { id, password_hash }: UserRecord): number {
  const passkeys = passkeysOf(work) === null ? 0 : readPasskeys(work.turn(), id).length;
  return (password_hash === '' ? 0 : 1) + passkeys;
}
