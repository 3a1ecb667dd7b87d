/** The handler of each route of passkeys. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told, toldLater } from '../told.ts';
import { beginLogin } from './begin-login.ts';
import { beginRegistration } from './begin-registration.ts';
import { changePasskey } from './change-passkey.ts';
import { finishLogin } from './finish-login.ts';
import { finishRegistration } from './finish-registration.ts';
import { listPasskeys } from './list-passkeys.ts';
import { removePasskey } from './remove-passkey.ts';
import type { passkeyRoutes } from './routes.ts';

export function passkeyHandlers(identity: Identity): Handlers<typeof passkeyRoutes> {
  return {
    webauthnBegin: (call) => told(identity, call, 'webauthn_register', () => beginRegistration(identity, call)),
    webauthnFinish: async (call) =>
      toldLater(identity, call, 'webauthn_register', () => finishRegistration(identity, call)),
    webauthnLoginBegin: (call) => told(identity, call, 'webauthn_login', () => beginLogin(call)),
    webauthnLoginFinish: async (call) => toldLater(identity, call, 'webauthn_login', () => finishLogin(identity, call)),
    listPasskeys: (call) => told(identity, call, 'webauthn_list', () => listPasskeys(call)),
    changePasskey: (call) => told(identity, call, 'webauthn_change', () => changePasskey(call)),
    removePasskey: (call) => toldLater(identity, call, 'webauthn_remove', async () => removePasskey(identity, call)),
  };
}
