/** `product.yaml`: name, tokens, sessions, sign-in providers, roles, accounts, outbound hosts, the static key. Source: docs/contract/data-definitions.md §3. */
import * as z from 'zod';
import { parseDuration } from '#config/values/duration.ts';
import { limits } from '../limits.ts';
import * as kit from '../schema-kit.ts';
import { accountsSection } from './accounts-section.ts';
import { oauthSection } from './oauth-section.ts';
import { rolesSection } from './roles-section.ts';
import { passkeysSection } from './passkeys-section.ts';

/** Claims that the platform sets itself (docs/contract/identity.md §3.2, docs/contract/identity-users.md §1.5). */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'iat',
  'nbf',
  'exp',
  'jti',
  'kid',
  'type',
  'tenant',
  'roles',
  'scope',
  'sid',
  'act',
  'realm',
  'is_superadmin',
]);

const claim = z
  .string()
  .min(1, 'give the claim a name')
  .refine((key) => !RESERVED_CLAIMS.has(key), 'the platform sets this claim itself: choose another name');

const slug = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Whether a duration can be a token's life: at most as long as a signing key still verifies after its rotation. */
function isTokenLife(text: string): boolean {
  const ms = parseDuration(text) ?? 0;
  return ms >= 1000 && ms <= limits.identity.tokenSecondsMax * 1000;
}

/** The form of the file. */
export const productFile = kit.entry({
  name: kit.pattern(slug, 'the product segment of its positions: lower-case letters, digits, _ and -', 'atlas'),
  token: kit
    .entry({
      claims: z
        .record(claim, z.unknown())
        .refine((claims) => Buffer.byteLength(JSON.stringify(claims)) <= limits.identity.claimsBytesMax)
        .meta({
          description: `a map of claims, at most ${limits.identity.claimsBytesMax} bytes of JSON`,
          example: '{ plan: gold }',
        })
        .optional(),
      expiry: z
        .string()
        .refine(isTokenLife)
        .meta({ description: 'a duration in Go notation from a second to a day', example: '15m' })
        .optional(),
    })
    .optional(),
  sessions: kit
    .entry({
      mode: kit.oneOf(['managed', 'stateless']).optional(),
      max: kit.whole(1, 1_000_000).optional(),
      on_limit: kit.oneOf(['reject', 'evict_oldest']).optional(),
    })
    .optional(),
  oauth: oauthSection.optional(),
  roles: rolesSection.optional(),
  passkeys: passkeysSection.optional(),
  accounts: accountsSection.optional(),
  outbound: kit
    .entry({ hosts: kit.list(kit.text('a host name', 'api.example.org'), 'host names').optional() })
    .optional(),
  static_api_key: kit
    .entry({
      secret: kit.secret('the static key'),
      roles: kit.list(kit.text('the name of a role', 'tenant_viewer'), 'roles'),
    })
    .optional(),
});
