/** Time-based one-time passwords (RFC 6238 over RFC 4226): SHA-1, 30 s, 6 digits, as authenticator apps take them. Pure. */
import { Secret, TOTP } from 'otpauth';
import { limits } from '#config/limits.ts';

const { stepSeconds, digits, windowSteps } = limits.mfa;
const CODE = new RegExp(`^\\d{${digits}}$`);

function totpOf(secret: Uint8Array, label = '', issuer = ''): TOTP {
  return new TOTP({
    issuer,
    label,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    algorithm: 'SHA1',
    digits,
    period: stepSeconds,
  });
}

/** The secret as a person types it into an app: base32 without padding (RFC 4648 §6). */
export function secretText(secret: Uint8Array): string {
  return totpOf(secret).secret.base32;
}

/** The `otpauth://totp/…` URI that apps read from a QR code. */
export function otpauthUri(secret: Uint8Array, label: string, issuer: string): string {
  return totpOf(secret, label, issuer).toString();
}

/**
 * The step of the code (RFC 6238 §4.2: T), at most one step from the present one; null for a wrong code, and for a step that is not after
 * `lastStep`, since a code is accepted once (§5.2). Compared in constant time.
 */
export function acceptedStep(secret: Uint8Array, code: string, nowMs: number, lastStep: number): number | null {
  if (!CODE.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: windowSteps });
  if (delta === null) return null;
  const step = Math.floor(nowMs / 1000 / stepSeconds) + delta;
  return step > lastStep ? step : null;
}
