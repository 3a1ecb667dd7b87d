/** How a user can log in: a password, passkeys, accounts at providers. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Work } from '#actors/host/work.ts';
import { readLinks, type LinkKey } from '../oauth/store.ts';
import type { UserRecord } from '../store.ts';
import { passkeysOf } from './enabled.ts';
import { readPasskeys } from './store.ts';

/**
 * How many ways there are, without the accounts at one provider where it is named. Passkeys and providers count where the product has them. Call it once
 * the index of links is whole.
 */
export function waysIn(work: Work, { id, password_hash }: UserRecord, without?: string): number {
  const turn = work.turn();
  const passkeys = passkeysOf(work) === null ? 0 : readPasskeys(turn, id).length;
  const linked = readLinks(turn, id).filter(({ key }) => key.provider !== without && counts(work, key));
  return (password_hash === '' ? 0 : 1) + passkeys + linked.length;
}

/** An account counts whose provider the product has, under the issuer that it has today. */
function counts({ activation: { product } }: Work, { provider, issuer }: LinkKey): boolean {
  const providers: NonNullable<ProductDefinition['settings']['oauth']>['providers'] =
    product.settings.oauth?.providers ?? {};
  const declared = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (declared === undefined) return false;
  // Each of Microsoft's directories has an issuer of its own.
  return declared.preset === 'microsoft' || issuer === new URL(declared.issuer).href || issuer === declared.issuer;
}
