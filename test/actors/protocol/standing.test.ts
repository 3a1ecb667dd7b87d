/** Which requests a tenant's standing refuses at the door. Contract: docs/contract/tenants.md §1.2, §1.3. */
import { expect, test } from 'vitest';
import { routes as bff } from '#actors/bff/routes.ts';
import { routes as content } from '#actors/content/routes.ts';
import { routes as data } from '#actors/data/routes.ts';
import { routes as identity } from '#actors/identity/routes.ts';
import type { RouteTable } from '#actors/protocol/route.ts';
import { refusedByStanding } from '#actors/protocol/standing.ts';

test('a suspended tenant is refused everything, a read-only one what writes', () => {
  for (const verb of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'REPORT'])
    for (const row of [{}, { whileReadOnly: true } as const]) {
      expect(refusedByStanding('suspended', row, verb)).toMatchObject({ status: 403, code: 'tenant_suspended' });
      const refused = refusedByStanding('read-only', row, verb)?.code ?? null;
      const reads = ['GET', 'HEAD', 'OPTIONS'].includes(verb) || 'whileReadOnly' in row;
      expect([verb, refused]).toEqual([verb, reads ? null : 'tenant_read_only']);
    }
});

test('which rows are let in although their verb writes is decided, not grown into', () => {
  const letIn = (routes: RouteTable) =>
    Object.entries(routes).flatMap(([name, row]) => (row.whileReadOnly === true ? [name] : []));
  // A URL lives on in a read-only tenant, as reads do; the key that signs it may be new. A ticket stands for a read, in memory alone. What is said in a channel is kept nowhere. An explanation is on record, and writes nothing else.
  expect(letIn(data).sort()).toEqual([
    'access_explain',
    'action',
    'action_explain',
    'anon_search',
    'changes_ticket',
    'channel_send',
    'channel_state',
    'endpoint',
    'entity_action',
    'graphql',
    'search',
    'sign',
    'superadmin_access_explain',
    'superadmin_action_explain',
  ]);
  expect(letIn(content)).toEqual(['asset_sign', 'preview']);
  expect(letIn(bff)).toEqual([]);
  // Logins, looking tokens up, taking access away, and registrations of passkeys: those say 503 before anything else where passkeys are off.
  expect(letIn(identity).sort()).toEqual([
    'consumeCode',
    'consumeMagicLink',
    'deleteInvitation',
    'endOwnSession',
    'endUserSession',
    'endUserSessions',
    'exchangeKey',
    'introspect',
    'listSessions',
    'login',
    'logout',
    'refresh',
    'requestCode',
    'requestMagicLink',
    'revoke',
    'revokeAdminKey',
    'revokeAdminKeys',
    'revokeEmpty',
    'revokeKey',
    'revokeNothing',
    'revokeSession',
    'rotateSession',
    'webauthnBegin',
    'webauthnFinish',
    'webauthnLoginBegin',
    'webauthnLoginFinish',
  ]);
});
