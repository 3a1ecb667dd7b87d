/** The handler of each route of users' logins. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told, toldLater } from '../told.ts';
import { confirmReset } from './confirm-reset.ts';
import { consumeMagicLink } from './consume-magic-link.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { refresh } from './refresh.ts';
import { requestMail } from './request-link.ts';
import type { userRoutes } from './routes.ts';

export function userHandlers(identity: Identity): Handlers<typeof userRoutes> {
  const confirm = (call: Call) =>
    toldLater(identity, call, 'password_confirm', async () => confirmReset(identity, call));
  return {
    login: (call) => toldLater(identity, call, 'login', async () => login(identity, call)),
    refresh: (call) => told(identity, call, 'refresh', () => refresh(identity, call)),
    logout: (call) => told(identity, call, 'logout', () => logout(identity, call)),
    requestReset: (call) => told(identity, call, 'password_reset', () => requestMail(identity, call, 'reset')),
    confirmReset: confirm,
    confirmPassword: confirm,
    requestMagicLink: (call) =>
      told(identity, call, 'magic_link_request', () => requestMail(identity, call, 'magic_link')),
    consumeMagicLink: (call) => told(identity, call, 'magic_link_consume', () => consumeMagicLink(identity, call)),
  };
}
