/** Spends a code: the only place where TOTP codes and recovery codes are accepted. */
import type { Work } from '#actors/host/work.ts';
import { matchingCode } from './recovery-codes.ts';
import { deleteRecoveryCode, putTotp, readRecoveryCodes, type TotpRecord } from './store.ts';
import { acceptedStep } from './totp.ts';
import { wrongCodesOf } from './wrong-codes.ts';

/**
 * Whether `text` is a valid TOTP code or, when the factor is enabled, a recovery code of the subject. Its use is staged in the current turn: commit
 * before any await, or two callers could spend one code.
 */
export function useCode(work: Work, subject: string, totp: TotpRecord, text: string): boolean {
  const { context } = work.activation;
  const now = context.clock.now();
  const wrong = wrongCodesOf(work.activation);
  if (wrong.blocked(subject, now)) return false;
  const accepted = useTotp(work, subject, totp, text, now) || (totp.enabled && useRecoveryCode(work, subject, text));
  if (!accepted) wrong.note(subject, now);
  return accepted;
}

function useTotp(work: Work, subject: string, totp: TotpRecord, text: string, nowMs: number): boolean {
  const step = acceptedStep(totp.secret, text, nowMs, totp.last_step);
  if (step === null) return false;
  putTotp(work.turn(), subject, { ...totp, last_step: step });
  return true;
}

function useRecoveryCode(work: Work, subject: string, text: string): boolean {
  const turn = work.turn();
  const no = matchingCode(readRecoveryCodes(turn, subject), text);
  if (no === null) return false;
  deleteRecoveryCode(turn, subject, no);
  return true;
}
