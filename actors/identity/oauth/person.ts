/** The claims of a provider's user that are stored (OpenID Connect Core §5.1), and whether the provider can speak for the address. Pure. */
import { z } from 'zod';
import type { OAuthProvider } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';

const address = z.email().max(limits.identity.emailCharsMax);

export interface Person {
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  /**
   * The address is the provider's own, or its domain's owner has vouched for it: only then does it identify a user who is there already. Others have
   * been verified once, by a mail to a mailbox that may have another owner today.
   */
  readonly authoritative: boolean;
}

export type Claims = Readonly<Record<string, unknown>>;

const GOOGLES = new Set(['gmail.com', 'googlemail.com']);
const APPLES = new Set(['icloud.com', 'me.com', 'mac.com', 'privaterelay.appleid.com']);

/** Some providers write true as a text, and Microsoft as a number. */
const isTrue = (value: unknown): boolean => value === true || value === 'true';
const isOne = (value: unknown): boolean => value === 1 || value === '1';

/** Null without an address that the provider has verified. */
export function personAt({ preset }: Pick<OAuthProvider, 'preset'>, claims: Claims): Person | null {
  // Microsoft's address is whatever an administrator of any directory wrote; only `xms_edov` says that its domain's owner did.
  const { email_verified: said, xms_edov: vouched } = claims;
  const verified = preset === 'microsoft' ? isTrue(vouched) || isOne(vouched) : isTrue(said);
  const parsed = address.safeParse(claims['email']);
  if (!verified || !parsed.success) return null;
  const domain = parsed.data.slice(parsed.data.lastIndexOf('@') + 1).toLowerCase();
  return {
    email: parsed.data,
    firstname: nameOf(claims['given_name']),
    lastname: nameOf(claims['family_name']),
    authoritative: speaksFor(preset, domain, claims),
  };
}

/** Whether the provider's word for an address of the domain is the word of its owner. */
function speaksFor(preset: OAuthProvider['preset'], domain: string, { hd }: Claims): boolean {
  switch (preset) {
    case undefined: // the product has chosen the issuer, and says with `link` whether it is trusted
    case 'microsoft': // `xms_edov`
      return true;
    case 'google': // `hd`: a domain that its owner has proven to Google
      return GOOGLES.has(domain) || (typeof hd === 'string' && hd !== '');
    case 'apple':
      return APPLES.has(domain);
    case 'github':
    case 'gitlab':
    case 'discord':
      return false;
  }
}

/** A name, or null when it is longer than what is stored: a cut name would be wrong. */
function nameOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= limits.identity.nameCharsMax ? value : null;
}
