/** Every second factor of a user at once: codes of an app, recovery codes, passkeys. */
import { readPasskeys, resetSecondFactors } from '../passkey/store.ts';
import { deleteTotp, findTotp } from './store.ts';
import type { Reader, Turn } from '../store.ts';

/** Whether a login of the user asks for a second factor. */
export function hasSecondFactor(reader: Reader, user: string): boolean {
  const totp = findTotp(reader, user);
  if (totp?.enabled === true && totp.unconfirmed !== true) return true;
  return readPasskeys(reader, user).some(({ second_factor }) => second_factor);
}

/** Stages the end of all of them, for a user who has lost the app or the key. Passkeys stay ways to log in. */
export function resetFactors(turn: Turn, user: string): void {
  deleteTotp(turn, user);
  resetSecondFactors(turn, user);
}
