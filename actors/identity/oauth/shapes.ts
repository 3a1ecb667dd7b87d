/** Bodies of signing in with a provider, and of linking accounts there. Spec: docs/contract/identity-users.md §2, §8.10. */
import { z } from 'zod';
import { tokenReply } from '../user/shapes.ts';
import { limits } from '#config/limits.ts';

const { oauth, identity } = limits;

export const startReply = z.object({ authorization_url: z.string() });

/** Unknown members are refused: a misspelt `redirect_uri` would lead elsewhere. */
export const startLinkRequest = z.strictObject({ redirect_uri: z.string().max(oauth.redirectCharsMax).nullish() });

/** As the provider gave them to the product's page. */
export const finishLinkRequest = z.object({
  code: z.string().min(1).max(oauth.codeCharsMax),
  state: z.string().min(1).max(identity.userSecretCharsMax),
  /** RFC 9207. */
  iss: z.string().max(oauth.redirectCharsMax).nullish(),
});

/** An account at a provider that logs the user in. */
export const identityReply = z.object({
  provider: z.string(),
  /** The address that the provider had verified when it was linked. */
  email: z.string().nullable(),
  created_at: z.string(),
});

export type IdentityView = z.output<typeof identityReply>;

/** A guest becomes an account by it, and gets the tokens of a login. */
export const linkedReply = z.union([identityReply, ...tokenReply.options]);

export const identitiesReply = z.object({ identities: z.array(identityReply) });
