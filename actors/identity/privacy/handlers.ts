/** The handler of each route of this room. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told, toldLater } from '../told.ts';
import { eraseUser } from './erase-user-everywhere.ts';
import { exportMe, exportUser } from './export-person.ts';
import { listErasures } from './list-erasures.ts';
import type { privacyRoutes } from './routes.ts';

export function privacyHandlers(identity: Identity): Handlers<typeof privacyRoutes> {
  return {
    exportUser: (call) => told(identity, call, 'user_export', () => exportUser(identity, call)),
    exportMe: (call) => told(identity, call, 'account_export', () => exportMe(identity, call)),
    eraseUser: (call) => toldLater(identity, call, 'user_erase', async () => eraseUser(identity, call)),
    listErasures: (call) => told(identity, call, 'user_erasures', () => listErasures(call)),
  };
}
