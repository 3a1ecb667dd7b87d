/** What the node itself asks of identity (topic `actor.ask`): provisioning and the operator's verbs. Never reachable over HTTP. */
import type { Work } from '#actors/host/work.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { createUser } from './create-user.ts';
import { issueKeyInternally } from './new-key.ts';
import { advance, ensureRing, readControl, register } from './registry.ts';
import type { Capabilities } from './shapes.ts';
import { findLogin } from './store.ts';

interface KeyWish {
  readonly service?: string;
  readonly capabilities: Capabilities;
  readonly expires_in_days?: number;
}

interface UserWish {
  readonly login: string;
  readonly password: string;
  readonly roles: readonly string[];
}

export const asks = {
  'control.read': readControl,
  'ring.ensure': ensureRing,
  'registry.register': register,
  'registry.advance': advance,
  'key.issue': issueKey,
  'user.ensure': ensureUser,
};

/** A key of the work's tenant; its plaintext exists in the answer only. */
function issueKey(work: Work, wish: KeyWish): { id: string; key: string; expires_at: unknown } {
  const { id, key, record } = issueKeyInternally(work.turn(), work.activation.context, {
    service: wish.service,
    capabilities: wish.capabilities,
    expiresInDays: wish.expires_in_days,
    createdBy: 'internal',
  });
  return { id, key, expires_at: record.expiresat };
}

/** A user of the work's tenant with this login: made, or left as it is. */
async function ensureUser(work: Work, wish: UserWish): Promise<{ id: string }> {
  const present = findLogin(work.turn(), wish.login);
  if (present !== undefined) return { id: present };
  const passwordHash = await hashPassword(wish.password);
  const id = createUser(work.nextTurn(), work.activation.context, {
    email: wish.login,
    passwordHash,
    roles: wish.roles,
  });
  return { id: id ?? findLogin(work.turn(), wish.login)! };
}
