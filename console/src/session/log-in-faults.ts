/** What to say of a log in that did not succeed. */
import { isSkepError } from '@skep/client';
import type { Words } from '../words/en.ts';

/** What a second step asks for. `publicKey`: what a passkey is asked with. */
export interface SecondStep {
  readonly publicKey: unknown;
  readonly takesCode: boolean;
}

/** Null where something else is missing than a second factor. */
export function secondStepOf(error: unknown): SecondStep | null {
  if (!isSkepError(error, 'mfa_required')) return null;
  const { publicKey = null, methods } = error.details as { publicKey?: unknown; methods?: readonly string[] };
  return { publicKey, takesCode: publicKey === null || (methods ?? []).includes('otp') };
}

/** What the browser throws for a passkey (Web Authentication level 3). */
const ofPasskey: Readonly<Record<string, (words: Words['logIn']) => string>> = {
  NotAllowedError: ({ passkeyDeclined }) => passkeyDeclined,
  SecurityError: ({ passkeyElsewhere }) => passkeyElsewhere,
};

/** `byPasskey`: whether a passkey was shown, and no password. */
export function faultOf(error: unknown, { logIn, places }: Words, byPasskey = false): string {
  const step = secondStepOf(error);
  if (step !== null) return step.publicKey === null ? logIn.otpWanted : logIn.passkeyWanted;
  if (error instanceof DOMException) return ofPasskey[error.name]?.(logIn) ?? error.message;
  if (!isSkepError(error)) return String(error);
  if (error.code === 'webauthn_disabled') return logIn.noPasskeys;
  if (error.code === 'invalid_credentials') return byPasskey ? logIn.passkeyUnknown : logIn.wrong;
  if (error.status === 429) return logIn.tooMany;
  if (error.status === 404) return places.operatorsOnly;
  if (error.status === 400) return places.noTenant;
  return `${error.message} (${error.code})`;
}
