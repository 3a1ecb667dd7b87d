/** The name behind `vault:`, where a secret is referenced instead of written. */

/** The rule of actors/vault/caller/scope.ts, which cannot be imported from below; a test holds the two equal. */
export const REFERENCE_NAME = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;
export const SCHEME = 'vault:';

/** A secret as it was written, or the name of one in the vault, of the tenant that needs it. */
export type Secret = string | { readonly vault: string };
