/** What a product says of its accounts (`accounts` of product.yaml). Planes have none: no stranger becomes an operator. */
import type { AccountsDefinition } from '#config/definitions/product.ts';
import type { Activation } from '#actors/host/activation.ts';
import { isPlane } from '#actors/protocol/position.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';

export interface Rules {
  readonly kind: 'rules';
  readonly accounts: AccountsDefinition;
}

/** The rules of the tenant's product; `no_accounts` where it has no such section. */
export function accountsOf({ product, position }: Activation): Rules | Refusal<'no_accounts'> {
  const { accounts } = product.settings;
  return accounts === undefined || isPlane(position) ? refuse('no_accounts') : { kind: 'rules', accounts };
}

/** `sign_up_closed` unless everybody may sign up; the answer says whether an invitation helps. */
export function closedSignUp({ sign_up }: AccountsDefinition): Refusal<'sign_up_closed'> | null {
  if (sign_up === 'open') return null;
  return sign_up === 'invitation'
    ? refuse('sign_up_closed', { message: 'people come here by an invitation of an administrator' })
    : refuse('sign_up_closed');
}

/** `email_domain` for an address of another domain than the product takes. It depends on the product alone, so it tells nothing of accounts. */
export function foreignDomain({ domains }: AccountsDefinition, email: string): Refusal<'email_domain'> | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (domains === undefined || domains.includes(domain)) return null;
  return refuse('email_domain', { message: `only addresses of ${domains.join(', ')} are taken` });
}
