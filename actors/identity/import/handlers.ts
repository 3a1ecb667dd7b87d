/** The handler of the route of this room. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { importUsers } from './import-users.ts';
import type { importRoutes } from './routes.ts';

export function importHandlers(identity: Identity): Handlers<typeof importRoutes> {
  return {
    importUsers: (call) => toldLater(identity, call, 'user_import', async () => importUsers(identity, call)),
  };
}
