/** The handler of each route of logins with a mailed code. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told } from '../told.ts';
import { requestMail } from '../user/request-link.ts';
import { consumeCode } from './consume-code.ts';
import type { codeRoutes } from './routes.ts';

export function codeHandlers(identity: Identity): Handlers<typeof codeRoutes> {
  return {
    requestCode: (call) => told(identity, call, 'code_request', () => requestMail(identity, call, 'code')),
    consumeCode: (call) => told(identity, call, 'code_consume', () => consumeCode(identity, call)),
  };
}
