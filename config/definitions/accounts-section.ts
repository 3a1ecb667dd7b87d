/** `accounts` of `product.yaml`: how people get a user of the product. Source: docs/contract/identity-users.md §8. */
import * as z from 'zod';
import { limits } from '../limits.ts';
import { accountsCaptcha } from './captcha-section.ts';
import * as kit from '../schema-kit.ts';
import { problemAt, type Problem } from '../problem.ts';
import type { Tree } from '../tree.ts';
import { isOperatorRole, undeclaredRole, type RoleCatalogue } from './roles-section.ts';

const { passwordCharsMin, passwordCharsMax, emailCharsMax } = limits.identity;

const HOUR_MS = 60 * 60_000;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

const domain = z.string().max(emailCharsMax).regex(DOMAIN).meta({
  description: 'the domain of an e-mail address, in lower case',
  example: 'example.org',
});

/** Who signs up is a stranger: an administrator of the tenant is invited, or made by an operator. */
const role = z
  .string()
  .min(1)
  .refine((value) => !isOperatorRole(value) && value.toLowerCase() !== 'tenant_admin')
  .meta({
    description: 'a role for a stranger who signs up: neither an operator’s nor tenant_admin',
    example: 'tenant_user',
  });

/** Users without address and password. */
const guests = kit.entry({
  roles: kit.list(role, 'roles').meta({ about: 'what a guest may do' }),
  keep: kit
    .durationBetween('24h', '8760h')
    .default(`${limits.account.guestKeepMs / HOUR_MS}h`)
    .meta({ about: 'how long a guest stays without a use' }),
  max: kit
    .whole(1, limits.account.guestsMaxMax, limits.account.guestsMax)
    .default(limits.account.guestsMax)
    .meta({ about: 'how many a tenant may have' }),
});

export const accountsSection = kit.entry({
  sign_up: kit.oneOf(['closed', 'invitation', 'open']).default('closed').meta({
    about: 'who may make an account without an operator: people with an invitation alone, or everybody with an address',
  }),
  domains: z.array(domain).min(1).meta({ description: 'a list of domains', example: '[example.org]' }).optional().meta({
    about: 'sign-ups and changes of address take addresses of these alone; an invitation may go to any address',
  }),
  roles: kit.list(role, 'roles').default([]).meta({ about: 'what a person who signs up may do' }),
  captcha: accountsCaptcha.optional().meta({ about: 'what a stranger has to show before a sign-up is looked at' }),
  guests: guests.optional().meta({ about: 'people may use the product before they have an account' }),
  password: kit
    .entry({
      min_length: kit
        .whole(passwordCharsMin, Math.min(128, passwordCharsMax))
        .meta({ about: 'characters of a new password, where the product asks for more than the platform' }),
    })
    .optional()
    .meta({ about: 'passwords of its users' }),
});

/** Roles of guests that the product's catalogue does not have. */
export function guestProblems(tree: Tree): Problem[] {
  const roles = tree.get(['accounts', 'guests', 'roles']);
  const catalogue = tree.get(['roles']) as RoleCatalogue | undefined;
  return (Array.isArray(roles) ? roles : []).flatMap((given, i) => {
    const why = undeclaredRole(catalogue, String(given));
    const path = ['accounts', 'guests', 'roles', i];
    return why === null
      ? []
      : [problemAt(tree.placeOf(path, 'value'), path, why, 'declare it in roles, or take another')];
  });
}
