/** Finds the tenant's user for a provider's user: by (provider, issuer, sub), then by verified address, else makes one. */
import type { OAuthProvider } from '#config/definitions/product.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { createUser } from '../create-user.ts';
import { challenge, refuse } from '../refusals.ts';
import { findLogin, findUser, type UserRecord } from '../store.ts';
import type { Vouched } from './exchange-code.ts';
import type { Person } from './person.ts';
import { findLink, putLink, type LinkKey } from './store.ts';

export interface Found {
  readonly kind: 'user';
  readonly user: UserRecord;
  /** The provider's user was linked just now to a user who was there: the owner is told. */
  readonly isLinked: boolean;
}

type Missing = Refusal<'oauth_failed' | 'login_taken'>;

/**
 * The user; a new user and a new link are staged in the work's current turn: commit before any await. `oauth_failed` for a new user without a
 * verified address, `login_taken` when another user has the address, and the product does not link or the provider cannot speak for
 * the address.
 */
export function findOrCreateUser(work: Work, provider: OAuthProvider, vouched: Vouched): Found | Missing {
  const { key, person } = vouched;
  const known = linkedUser(work, key);
  if (known !== null) return enabled(known);
  if (person === null)
    return challenge('oauth_failed', { message: 'the provider has verified no address of the user' });
  const present = findLogin(work.turn(), person.email);
  if (present === undefined) return create(work, provider, key, person);
  const links = provider.link === 'email_verified' && person.authoritative;
  return links ? enabled({ ...link(work, key, present, person), isLinked: true }) : refuse('login_taken');
}

/** A disabled user gets the answer of a failed sign-in; a link that was staged for one is dropped with the turn. */
function enabled(found: Found): Found | Missing {
  return found.user.disabled_at === undefined ? found : challenge('oauth_failed');
}

function linkedUser(work: Work, key: LinkKey): Found | null {
  const link = findLink(work.turn(), key);
  const user = link === undefined ? undefined : findUser(work.turn(), link.user_id);
  return user === undefined ? null : { kind: 'user', user, isLinked: false };
}

/** The row has no password: no login by password succeeds until the user sets one with a reset. */
function create(work: Work, provider: OAuthProvider, key: LinkKey, person: Person): Found {
  const { context } = work.activation;
  const id = createUser(work.turn(), context, { ...person, passwordHash: '', roles: provider.roles, verified: true });
  return link(work, key, id!, person);
}

function link(work: Work, key: LinkKey, userId: string, { email }: Person): Found {
  const turn = work.turn();
  putLink(turn, key, { user_id: userId, created_at: timestamp(work.now), email });
  return { kind: 'user', user: findUser(turn, userId)!, isLinked: false };
}
