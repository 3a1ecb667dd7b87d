/** The second implementation of Ed25519, for offline verification: it shares no code with the one that signs. */
import { hashes, verify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import type { VerifyBytes } from '../note.ts';

hashes.sha512 = sha512;

/** Whether the signature is good; a malformed one is not. */
export const verifyByNoble: VerifyBytes = (signature, message, publicKey) => {
  try {
    return verify(signature, message, publicKey);
  } catch {
    return false;
  }
};
