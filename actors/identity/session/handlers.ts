/** The handler of each session route. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told } from '../told.ts';
import { listSessions } from './list-sessions.ts';
import { revokeSession } from './revoke-session.ts';
import { rotateSession } from './rotate-session.ts';
import type { sessionRoutes } from './routes.ts';

export function sessionHandlers(identity: Identity): Handlers<typeof sessionRoutes> {
  return {
    listSessions: (call) => told(identity, call, 'session_list', () => listSessions(call)),
    revokeSession: (call) => told(identity, call, 'session_revoke', () => revokeSession(identity, call)),
    rotateSession: (call) => told(identity, call, 'session_rotate', () => rotateSession(identity, call)),
  };
}
