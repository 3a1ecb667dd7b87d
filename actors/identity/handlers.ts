/** The handler of each route. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { accountHandlers, meHandlers } from './account/handlers.ts';
import { bootstrap } from './bootstrap.ts';
import { captchaHandlers } from './captcha/handlers.ts';
import { codeHandlers } from './code/handlers.ts';
import { deployHandlers } from './deploy/handlers.ts';
import { exchangeKey } from './exchange-key.ts';
import type { Identity } from './identity.ts';
import { importHandlers } from './import/handlers.ts';
import { issueKey } from './issue-key.ts';
import { jwks } from './jwks.ts';
import { guestHandlers } from './guest/handlers.ts';
import { keyHandlers } from './key/handlers.ts';
import { mfaHandlers } from './mfa/handlers.ts';
import { operatorHandlers } from './operator/handlers.ts';
import { nodeViewHandlers } from './node-view/handlers.ts';
import { oauthHandlers } from './oauth/handlers.ts';
import { peopleHandlers } from './people/handlers.ts';
import { privacyHandlers } from './privacy/handlers.ts';
import { passkeyHandlers } from './passkey/handlers.ts';
import { proofHandlers } from './proof/handlers.ts';
import { refuse } from './refusals.ts';
import { revokeKey } from './revoke-key.ts';
import type { routes } from './routes.ts';
import { sessionHandlers } from './session/handlers.ts';
import { tenantUpkeepHandlers } from './tenant-upkeep/handlers.ts';
import { tenantPlanHandlers } from './tenant-plan/handlers.ts';
import { tokenHandlers } from './token/handlers.ts';
import { told, toldLater } from './told.ts';
import { userHandlers } from './user/handlers.ts';

export function handlersOf(identity: Identity): Handlers<typeof routes> {
  const withoutId = (call: Call) => told(identity, call, 'apikey_revoke', () => refuse('missing_id'));
  return {
    bootstrap: async (call) => toldLater(identity, call, 'bootstrap', async () => bootstrap(identity, call)),
    issueKey: (call) => told(identity, call, 'apikey_issue', () => issueKey(identity, call)),
    revokeKey: (call) => told(identity, call, 'apikey_revoke', () => revokeKey(identity, call)),
    revokeNothing: withoutId,
    revokeEmpty: withoutId,
    exchangeKey: (call) => told(identity, call, 'token_exchange', () => exchangeKey(identity, call)),
    jwks: () => jwks(identity.context.ring),
    ...mfaHandlers(identity),
    ...operatorHandlers(identity),
    ...nodeViewHandlers(identity),
    ...tenantPlanHandlers(identity),
    ...tenantUpkeepHandlers(identity),
    ...userHandlers(identity),
    ...codeHandlers(identity),
    ...tokenHandlers(identity),
    ...oauthHandlers(identity),
    ...passkeyHandlers(identity),
    ...sessionHandlers(identity),
    ...peopleHandlers(identity),
    ...importHandlers(identity),
    ...deployHandlers(identity),
    ...privacyHandlers(identity),
    ...keyHandlers(identity),
    ...accountHandlers(identity),
    ...captchaHandlers,
    ...guestHandlers(identity),
    ...meHandlers(identity),
    ...proofHandlers(identity),
  };
}
