/** The handler of each route of guests. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { toldEither } from '../told.ts';
import { createGuest } from './create-guest.ts';
import type { guestRoutes } from './routes.ts';
import { upgradeGuest } from './upgrade-guest.ts';

export function guestHandlers(identity: Identity): Handlers<typeof guestRoutes> {
  return {
    createGuest: (call) => toldEither(identity, call, 'guest_create', () => createGuest(identity, call)),
    upgradeGuest: (call) => toldEither(identity, call, 'account_upgrade', () => upgradeGuest(identity, call)),
  };
}
