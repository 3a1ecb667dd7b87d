/** One line per route of users' logins. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { PasswordsBusy } from '#actors/kit/password-gate.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { AuthFlow } from '../events.ts';
import type { Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { told, toldLater } from '../told.ts';
import { confirmReset } from './confirm-reset.ts';
import { consumeMagicLink } from './consume-magic-link.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { refresh } from './refresh.ts';
import { requestLink } from './request-link.ts';
import type { userRoutes } from './routes.ts';

export function userHandlers(identity: Identity): Handlers<typeof userRoutes> {
  const confirm = (call: Call) => hashing(identity, call, 'password_confirm', async () => confirmReset(identity, call));
  return {
    login: (call) => hashing(identity, call, 'login', async () => login(identity, call)),
    refresh: (call) => told(identity, call, 'refresh', () => refresh(identity, call)),
    logout: (call) => told(identity, call, 'logout', () => logout(identity, call)),
    requestReset: (call) => told(identity, call, 'password_reset', () => requestLink(identity, call, 'reset')),
    confirmReset: confirm,
    confirmPassword: confirm,
    requestMagicLink: (call) =>
      told(identity, call, 'magic_link_request', () => requestLink(identity, call, 'magic_link')),
    consumeMagicLink: (call) => told(identity, call, 'magic_link_consume', () => consumeMagicLink(identity, call)),
  };
}

/** A flow that hashes a password: when too many wait for that already, the caller may come again. */
async function hashing<R extends Reply | Refusal>(
  identity: Identity,
  call: Call,
  flow: AuthFlow,
  run: () => Promise<R>,
): Promise<R | Refusal<'engine_unavailable'>> {
  return toldLater<R | Refusal<'engine_unavailable'>>(identity, call, flow, async () => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof PasswordsBusy)) throw error;
      const headers = { 'Retry-After': String(limits.host.retryAfterSeconds) };
      return refuse('engine_unavailable', { status: 503, headers });
    }
  });
}
