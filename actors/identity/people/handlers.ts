/** The handler of each route of this room. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told, toldLater } from '../told.ts';
import { addUser } from './add-user.ts';
import { changeUser } from './change-user.ts';
import { listRoles } from './list-roles.ts';
import { listUsers } from './list-users.ts';
import { removeUser } from './remove-user.ts';
import { resetSecondFactor } from './reset-second-factor.ts';
import type { peopleRoutes } from './routes.ts';
import { sendReset } from './send-reset.ts';
import { showUser } from './show-user.ts';
import { unlinkProvider } from './unlink-provider.ts';
import { endUserSession, endUserSessions, listUserSessions } from './user-sessions.ts';

export function peopleHandlers(identity: Identity): Handlers<typeof peopleRoutes> {
  return {
    listUsers: (call) => toldLater(identity, call, 'user_list', async () => listUsers(identity, call)),
    listRoles: (call) => told(identity, call, 'role_list', () => listRoles(call)),
    showUser: (call) => toldLater(identity, call, 'user_show', async () => showUser(identity, call)),
    addUser: (call) => toldLater(identity, call, 'user_add', async () => addUser(identity, call)),
    changeUser: (call) => toldLater(identity, call, 'user_change', async () => changeUser(identity, call)),
    removeUser: (call) => toldLater(identity, call, 'user_remove', async () => removeUser(identity, call)),
    resetSecondFactor: (call) => told(identity, call, 'user_reset_factor', () => resetSecondFactor(identity, call)),
    unlinkProvider: (call) =>
      toldLater(identity, call, 'user_unlink_provider', async () => unlinkProvider(identity, call)),
    sendReset: (call) => told(identity, call, 'user_send_reset', () => sendReset(identity, call)),
    listUserSessions: (call) => told(identity, call, 'user_sessions', () => listUserSessions(call)),
    endUserSessions: (call) => told(identity, call, 'user_end_sessions', () => endUserSessions(identity, call)),
    endUserSession: (call) => told(identity, call, 'user_end_sessions', () => endUserSession(identity, call)),
  };
}
