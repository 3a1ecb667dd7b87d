/** One user with the ways to log in, as administrators and operators see one. */
import { hasSecondFactor } from '../mfa/factors.ts';
import { identitiesOf } from '../oauth/list-identities.ts';
import { readPasskeys } from '../passkey/store.ts';
import type { Reader, UserRecord } from '../store.ts';
import type { UserDetail } from './shapes.ts';
import { viewOf } from './view.ts';

/** Whole once the index of links is (`linksReady`). */
export function detailOf(reader: Reader, user: UserRecord): UserDetail {
  return {
    ...viewOf(user),
    second_factor: hasSecondFactor(reader, user.id),
    passkeys: readPasskeys(reader, user.id).length,
    identities: identitiesOf(reader, user.id),
  };
}
