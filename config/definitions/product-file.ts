/** `product.yaml`: name, tokens, sessions, sign-in providers, roles, accounts, outbound hosts, the static key. Source: docs/contract/data-definitions.md §3. */
import * as z from 'zod';
import { parseDuration } from '#config/values/duration.ts';
import { limits } from '../limits.ts';
import * as kit from '../schema-kit.ts';
import { changeGroupsSection } from './change-groups.ts';
import { channelsSection } from './channels-section.ts';
import { languageTag, MAIL_LANGUAGE } from './mails.ts';
import { accountsSection } from './accounts-section.ts';
import { oauthSection } from './oauth-section.ts';
import { grantsSection } from './grants.ts';
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
  name: kit.pattern(slug, 'the product segment of its positions: lower-case letters, digits, _ and -', 'atlas').meta({
    about: 'the name of the product',
  }),
  token: kit
    .entry({
      claims: z
        .record(claim, z.unknown())
        .refine((claims) => Buffer.byteLength(JSON.stringify(claims)) <= limits.identity.claimsBytesMax)
        .meta({
          description: `a map of claims, at most ${limits.identity.claimsBytesMax} bytes of JSON`,
          example: '{ plan: gold }',
          about: 'claims that every token of its users carries',
        })
        .optional(),
      expiry: z
        .string()
        .refine(isTokenLife)
        .meta({
          description: 'a duration in Go notation from a second to a day',
          example: '15m',
          about: 'how long a token of a user lives',
        })
        .optional(),
    })
    .optional()
    .meta({ about: 'tokens of its users' }),
  sessions: kit
    .entry({
      mode: kit
        .oneOf(['managed', 'stateless'])
        .optional()
        .meta({ about: 'sessions are kept on the server and can be ended, or are in tokens alone' }),
      max: kit.whole(1, 1_000_000).optional().meta({ about: 'how many a user may have at once' }),
      on_limit: kit
        .oneOf(['reject', 'evict_oldest'])
        .optional()
        .meta({ about: 'what happens at the next login: it is refused, or the oldest session ends' }),
    })
    .optional()
    .meta({ about: 'sessions of its users' }),
  oauth: oauthSection.optional().meta({ about: 'sign-in with accounts of elsewhere' }),
  roles: rolesSection.optional().meta({ about: 'the roles that administrators may give; any unless set' }),
  grants: grantsSection.optional().meta({ about: 'what roles may do with entities that have no rule for it' }),
  passkeys: passkeysSection.optional().meta({ about: 'turns passkeys on' }),
  accounts: accountsSection.optional().meta({ about: 'how people get a user' }),
  outbound: kit
    .entry({
      hosts: kit
        .list(kit.text('a host name', 'api.example.org'), 'host names')
        .optional()
        .meta({ about: 'hosts that endpoints of the BFF may call' }),
    })
    .optional()
    .meta({ about: 'calls to other servers' }),
  mails: kit
    .entry({
      language: z
        .string()
        .refine((tag) => languageTag(tag) === tag)
        .meta({ description: 'a language tag (BCP 47) in its usual spelling', example: MAIL_LANGUAGE })
        .optional()
        .meta({ about: `the language of mails to people who have named none; ${MAIL_LANGUAGE} unless set` }),
    })
    .optional()
    .meta({ about: 'mails to its users' }),
  changes: kit
    .entry({
      keep: kit
        .duration()
        .refine((text) => (parseDuration(text) ?? Infinity) <= limits.changes.keepMsMax)
        .meta({
          description: 'a duration in Go notation, at most 720h',
          example: '24h',
          about: 'how long a change is kept for subscribers that come back; 24h unless set',
        })
        .optional(),
      count: kit
        .whole(1, limits.changes.countMax)
        .optional()
        .meta({ about: `how many changes a tenant keeps; ${limits.changes.count} unless set` }),
      groups: changeGroupsSection
        .optional()
        .meta({ about: 'consumer groups, whose place in the changes of an entity the tenant keeps' }),
    })
    .optional()
    .meta({ about: 'how far back subscribers of changes can go on, and which of them have their place kept' }),
  channels: channelsSection
    .optional()
    .meta({ about: 'what callers tell each other while they are connected; nothing of it is kept' }),
  static_api_key: kit
    .entry({
      secret: kit.secret('the static key').meta({ about: 'what a caller shows' }),
      roles: kit
        .list(kit.text('the name of a role', 'tenant_viewer'), 'roles')
        .meta({ about: 'the roles that rules see' }),
    })
    .optional()
    .meta({ about: 'one key that lists and exports of every tenant take in place of a bearer' }),
});
