/** The handler of each route about tokens. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told } from '../told.ts';
import { discover } from './discover.ts';
import { introspect } from './introspect.ts';
import { revokeToken } from './revoke.ts';
import type { tokenRoutes } from './routes.ts';

export function tokenHandlers(identity: Identity): Handlers<typeof tokenRoutes> {
  return {
    introspect: (call) => introspect(identity, call),
    revoke: (call) => told(identity, call, 'token_revoke', () => revokeToken(identity, call)),
    discover: (call) => discover(identity, call),
  };
}
