/** Which link templates of the platform file a product's accounts need and do not find. Pure; `skep check` and the node's log say the same. */
import type { AccountsDefinition } from '#config/definitions/product.ts';
import type { AccountLinks } from './account-mail.ts';

/** One line for each missing key; `links` is undefined where the node sends no mail. */
export function missingLinks(
  links: Partial<AccountLinks> | undefined,
  accounts: AccountsDefinition | undefined,
): string[] {
  if (accounts === undefined) return [];
  if (links === undefined) return ['its accounts need mail: set identity.mail of the platform file'];
  const needed = [
    ...(accounts.sign_up === 'open' ? (['sign_up'] as const) : []),
    ...(['invitation', 'email_change'] as const),
  ];
  return needed
    .filter((name) => links[name] === undefined)
    .map(
      (name) =>
        `its accounts need identity.mail.links.${name} of the platform file: without it the routes that mail such a link answer 503`,
    );
}
