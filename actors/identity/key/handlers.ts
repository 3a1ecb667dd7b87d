/** The handler of each route of this room. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told, toldLater } from '../told.ts';
import { changeKey } from './change-key.ts';
import { listKeys } from './list-keys.ts';
import { makeKey } from './make-key.ts';
import { revokeKeys, revokeOneKey } from './revoke-keys.ts';
import type { keyRoutes } from './routes.ts';

export function keyHandlers(identity: Identity): Handlers<typeof keyRoutes> {
  return {
    listAdminKeys: (call) => told(identity, call, 'apikey_list', () => listKeys(call)),
    makeAdminKey: (call) => told(identity, call, 'apikey_issue', () => makeKey(identity, call)),
    changeAdminKey: (call) => told(identity, call, 'apikey_change', () => changeKey(identity, call)),
    revokeAdminKey: (call) => told(identity, call, 'apikey_revoke', () => revokeOneKey(identity, call)),
    revokeAdminKeys: (call) => toldLater(identity, call, 'apikey_revoke', async () => revokeKeys(identity, call)),
  };
}
