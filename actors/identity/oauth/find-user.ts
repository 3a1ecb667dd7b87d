/** Which user of the tenant a provider's user is: by (provider, issuer, sub), then by verified address, else a new one. */
import { limits } from '#config/limits.ts';
import type { OAuthProvider } from '#config/definitions/product.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { newSecret } from '#actors/kit/secret.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { createUser } from '../create-user.ts';
import { refuse } from '../refusals.ts';
import { findLogin, findUser } from '../store.ts';
import type { UserRecord } from '../store.ts';
import type { Vouched } from './exchange-code.ts';
import type { Person } from './person.ts';
import { findLink, putLink } from './store.ts';
import type { LinkKey } from './store.ts';

export interface Found {
  readonly kind: 'user';
  readonly user: UserRecord;
}

type Missing = Refusal<'oauth_failed' | 'login_taken'>;

/**
 * The user, made and linked in the work's current turn where needed: commit before waiting for anything. `oauth_failed` for a
 * new user without a verified address, `login_taken` when another user has the address and the product does not link.
 */
export async function findOrCreateUser(
  work: Work,
  provider: OAuthProvider,
  vouched: Vouched,
): Promise<Found | Missing> {
  const { key, person } = vouched;
  const known = linkedUser(work, key);
  if (known !== null) return known;
  if (person === null) return refuse('oauth_failed', { message: 'the provider has verified no address of the user' });
  const present = findLogin(work.turn(), person.email);
  return present === undefined ? create(work, provider, key, person) : linkPresent(work, provider, key, present);
}

function linkedUser(work: Work, key: LinkKey): Found | null {
  const link = findLink(work.turn(), key);
  const user = link === undefined ? undefined : findUser(work.turn(), link.user_id);
  return user === undefined ? null : { kind: 'user', user };
}

function linkPresent(work: Work, provider: OAuthProvider, key: LinkKey, userId: string): Found | Missing {
  const linked = linkedUser(work, key);
  if (linked !== null) return linked;
  if (provider.link !== 'email_verified') return refuse('login_taken');
  return link(work, key, userId);
}

/** A password that nobody knows: such a user logs in like any other as far as a stranger can tell, and may reset it. */
async function create(work: Work, provider: OAuthProvider, key: LinkKey, person: Person): Promise<Found | Missing> {
  const { context } = work.activation;
  const passwordHash = await hashPassword(newSecret((bytes) => context.random(bytes), limits.oauth.secretBytes));
  const turn = work.nextTurn();
  const id = createUser(turn, context, { ...person, passwordHash, roles: provider.roles });
  // Hashing took its time: somebody else may have taken the address meanwhile, or this very person in another window.
  return id === null ? linkPresent(work, provider, key, findLogin(turn, person.email)!) : link(work, key, id);
}

function link(work: Work, key: LinkKey, userId: string): Found {
  const turn = work.turn();
  putLink(turn, key, { user_id: userId, created_at: timestamp(work.activation.context.clock.now()) });
  return { kind: 'user', user: findUser(turn, userId)! };
}
