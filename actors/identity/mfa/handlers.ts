/** The handler of each route of the second factor. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told } from '../told.ts';
import { disableTotp } from './disable-totp.ts';
import { enableTotp } from './enable-totp.ts';
import { renewRecoveryCodes } from './renew-recovery-codes.ts';
import type { mfaRoutes } from './routes.ts';
import { setupTotp } from './setup-totp.ts';

export function mfaHandlers(identity: Identity): Handlers<typeof mfaRoutes> {
  return {
    setupTotp: (call) => told(identity, call, 'mfa_setup', () => setupTotp(call)),
    enableTotp: (call) => told(identity, call, 'mfa_enable', () => enableTotp(call)),
    disableTotp: (call) => told(identity, call, 'mfa_disable', () => disableTotp(call)),
    renewRecoveryCodes: (call) => told(identity, call, 'mfa_recovery', () => renewRecoveryCodes(call)),
  };
}
