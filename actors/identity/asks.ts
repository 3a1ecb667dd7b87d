/** The asks that main sends to identity (topic `actor.ask`): provisioning and the operator's verbs. No route reaches them. */
import type { Work } from '#actors/host/work.ts';
import { sessionGateOf } from '#actors/host/service-kit.ts';
import type { Identity } from './identity.ts';
import { issueKeyInternally } from './new-key.ts';
import { operatorAsks } from './operator/asks.ts';
import { ensurePerson } from './operator/people.ts';
import { advance, ensureRing, readControl, register, viewTenant } from './registry.ts';
import type { Capabilities } from './shapes.ts';
import { tenantLifeAsks } from './tenant-life.ts';
import { setQuota } from './tenant-quota.ts';
import { setStanding } from './tenant-standing.ts';
import { usageAsks } from './usage/asks.ts';

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

interface SessionWish {
  readonly sid: string | null;
  readonly subject: string;
  readonly issuedAtMs?: number | undefined;
}

/** Whether a user's token is valid at its tenant, for a service on another thread: the rule of BearerCheck. */
function sessionLives(identity: Identity) {
  return (work: Work, { sid, subject, issuedAtMs }: SessionWish): boolean => {
    const gate = sessionGateOf(work.activation);
    if (!((issuedAtMs ?? 0) >= gate.since)) return false;
    return sid === null ? !gate.managed : gate.lives(sid, subject, identity.context.clock.now());
  };
}

export function asksOf(identity: Identity) {
  return {
    'control.read': readControl,
    'ring.ensure': ensureRing,
    'registry.register': register,
    'registry.advance': advance,
    'registry.view': viewTenant,
    ...tenantLifeAsks,
    'standing.set': setStanding,
    'quota.set': setQuota,
    ...usageAsks,
    'key.issue': issueKey,
    'user.ensure': (work: Work, wish: UserWish) => ensureUser(identity, work, wish),
    'session.lives': sessionLives(identity),
    ...operatorAsks(identity),
  };
}

/** Issues a key of the work's tenant; its plaintext exists in the answer only. */
function issueKey(work: Work, wish: KeyWish): { id: string; key: string; expires_at: unknown } {
  const { id, key, record } = issueKeyInternally(work.turn(), work.activation.context, {
    service: wish.service,
    capabilities: wish.capabilities,
    expiresInDays: wish.expires_in_days,
    createdBy: 'internal',
  });
  return { id, key, expires_at: record.expiresat };
}

/** Makes a user of the work's tenant with this login; an existing user stays as it is. */
async function ensureUser(
  identity: Identity,
  work: Work,
  { login, password, roles }: UserWish,
): Promise<{ id: string }> {
  return ensurePerson(identity, work, { email: login, password, roles });
}
