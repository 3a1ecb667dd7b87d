/** The claims of a provider's user that are stored (OpenID Connect Core §5.1). Pure. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';

const address = z.email().max(limits.identity.emailCharsMax);

export interface Person {
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
}

/** Null without an address that the provider has verified. Some providers write `email_verified` as a text. */
export function personOf(claims: Readonly<Record<string, unknown>>): Person | null {
  const { email, email_verified: verified } = claims;
  if (verified !== true && verified !== 'true') return null;
  const parsed = address.safeParse(email);
  if (!parsed.success) return null;
  return { email: parsed.data, firstname: nameOf(claims['given_name']), lastname: nameOf(claims['family_name']) };
}

/** A name, or null when it is longer than what is stored: a cut name would be wrong. */
function nameOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= limits.identity.nameCharsMax ? value : null;
}
