/** The secret that only the gateway knows. Spec: docs/contract/intake.md §6.1: constant-time comparison or 403. */
import { hash, timingSafeEqual } from 'node:crypto';

export type GatewayCheck = (shown: string | undefined) => boolean;

/** A check of the header's value; without a configured secret every request passes. */
export function gatewayCheck(secret: string): GatewayCheck {
  if (secret === '') return () => true;
  const expected = digest(secret);
  return (shown) => timingSafeEqual(digest(shown ?? ''), expected);
}

/** Digests have one length, whatever the caller sent. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
