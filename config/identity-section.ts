/** The platform's `identity:` keys. Source: docs/contract/identity-users.md §1.4 (password reset, magic link). */
import * as z from 'zod';
import { defaults } from './defaults.ts';
import { limits } from './limits.ts';
import * as kit from './schema-kit.ts';

const is = defaults.mail;

/** `mail@example.org` or `Example <mail@example.org>`, without anything that would end a header line. */
const FROM = /^(?:[^<>\r\n"@]*<[^\s<>@"]+@[A-Za-z0-9.-]+>|[^\s<>@"]+@[A-Za-z0-9.-]+)$/;

const PLACES = new Set(['{token}', '{customer}', '{product}', '{env}', '{tenant}']);

const link = z.string().refine(isLink).meta({
  description: 'an http or https URL with {token} in it; {customer}, {product}, {env} and {tenant} may stand there too',
  example: 'https://example.org/reset?token={token}',
});

function isLink(value: string): boolean {
  const places: readonly string[] = value.match(/\{[^}]*\}/g) ?? [];
  if (!places.includes('{token}') || places.some((place) => !PLACES.has(place))) return false;
  return kit.isHttpUrl(value.replaceAll(/\{[a-z]+\}/g, 'x'));
}

/** `vault:` and a path of secrets: the rule of config/references.ts without the last segment, which each key adds. */
const KEYRING = /^vault:[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;

export const identitySection = kit.section({
  /** The path in the vault below which the token signing keys are; they are in identity's own store where it is absent. */
  keyring: kit
    .pattern(KEYRING, 'vault:<place>, where the vault keeps the keys that sign tokens', 'vault:identity/ring')
    .optional(),
  /** How long a just used refresh token still gives the same successor. */
  refresh_grace: kit.duration(limits.identity.refreshGraceMsMax).default(defaults.identity.refresh_grace),
  mail: kit
    .entry({
      smtp: kit.entry({
        host: kit.text('the host name of a mail server', 'smtp.example.org'),
        port: kit.whole(1, 65_535).default(is.smtp.port),
        starttls: kit.yesNo().default(is.smtp.starttls),
        auth: kit.oneOf(['plain', 'none']).default(is.smtp.auth),
        username: kit.text('the user name at the mail server', 'skep').optional(),
        password: kit.secret('the password at the mail server').optional(),
      }),
      from: kit.pattern(FROM, 'an address, or a name and an address in <>', 'Example <no-reply@example.org>'),
      links: kit.entry({
        reset: link,
        magic_link: link,
        /** Where a person who signs up chooses a password; a product whose `accounts` are open needs it. */
        sign_up: link.optional(),
        /** Where an invited person does; a product with `accounts` needs it to send invitations. */
        invitation: link.optional(),
        /** Where a new address is confirmed. */
        email_change: link.optional(),
      }),
    })
    .optional(),
});
