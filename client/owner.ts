/** Whose credential a token is, read without asking the node: for what this machine keeps of each user, and not for any right. */

/** Bytes of the signature behind the payload of a PASETO `v4.public`. */
const SIGNATURE_BYTES = 64;

/** The user or service of a token, and on whose behalf; null where the token cannot be read. */
export function subjectOf(token: string): string | null {
  const [version, purpose, body = ''] = token.split('.');
  if (version !== 'v4' || purpose !== 'public') return null;
  try {
    const text = atob(body.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const payload = JSON.parse(new TextDecoder().decode(bytes.subarray(0, -SIGNATURE_BYTES))) as Payload;
    return typeof payload.sub === 'string' ? JSON.stringify([payload.type, payload.sub, payload.act]) : null;
  } catch {
    return null;
  }
}

interface Payload {
  readonly type?: unknown;
  readonly sub?: unknown;
  /** The administrator of an impersonation. */
  readonly act?: unknown;
}
