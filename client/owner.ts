/** Whose credential a token is, read without asking the node: for what this machine keeps of each user, and not for any right. */

/** Bytes of the signature behind the payload of a PASETO `v4.public`. */
const SIGNATURE_BYTES = 64;

/** The user or service of a token, and on whose behalf; null for a token of another kind. */
export function subjectOf(token: string): string | null {
  const [version, purpose, body = ''] = token.split('.');
  if (version !== 'v4' || purpose !== 'public') return null;
  // A letter for each byte: what is not ASCII reads wrong, and always in the same way.
  const text = atob(body.replaceAll('-', '+').replaceAll('_', '/'));
  const { type, sub, act } = JSON.parse(text.slice(0, -SIGNATURE_BYTES)) as Payload;
  return JSON.stringify([type, sub, act]);
}

interface Payload {
  readonly type?: unknown;
  readonly sub?: unknown;
  /** The administrator of an impersonation. */
  readonly act?: unknown;
}
