/**
 * The callers who sign URLs of files, as the services of the tenant ask for them: a user by its id and its session, a service key by its id. What
 * is given back is what the credential would be today, so that a right that was taken away takes its URLs along (docs/decisions/bulk-and-files.md BU-10).
 */
import type { Signers } from '#actors/host/signed-url/signers.ts';
import type { Work } from '#actors/host/work.ts';
import { grantCovers, parseGrant } from '#actors/kit/grant.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import { instantMs } from '#config/values/instant.ts';
import { findSession } from './session/store.ts';
import { sessionsOf } from './session/tenant-sessions.ts';
import { findUser, keyOrDecoy } from './store.ts';

const USER = 'user';
const KEY = 'key';
/** The subject of a service token, before the id of its key (docs/contract/identity.md §3.2). */
const SERVICE_SUBJECT = 'apikey:';
/** Ids are ULIDs, or what an import gave: what a query would have to encode is no signer. */
const PLAIN = /^[\w-]{1,64}$/;

export const signers: Signers = { nameOf, find };

function nameOf({ activation }: Work, { type, subject, tenant, sid }: Principal): string | null {
  if (tenant !== activation.position.key) return null;
  if (type === 'service')
    return subject.startsWith(SERVICE_SUBJECT) ? named(KEY, subject.slice(SERVICE_SUBJECT.length)) : null;
  if (type !== 'user') return null;
  if (sid === null) return named(USER, subject);
  // Rotation changes the id of a session, and the origin stays.
  const origin = sessionsOf(activation).registry.find(sid)?.origin;
  return origin === undefined ? null : named(USER, subject, origin);
}

function named(...parts: readonly string[]): string | null {
  return parts.every((part) => PLAIN.test(part)) ? parts.join('.') : null;
}

function find(work: Work, name: string): Principal | null {
  const [kind, id = '', origin] = name.split('.');
  if (kind === KEY) return keyNow(work, id);
  return kind === USER ? userNow(work, id, origin) : null;
}

/** A key that was revoked, has expired, or has no grant at this position any more signs nothing. */
function keyNow(work: Work, id: string): Principal | null {
  const { position } = work.activation;
  const { capabilities, expiresat } = keyOrDecoy(work.turn(), id);
  const scope = capabilities.scope ?? [];
  const expiresAtMs = instantMs(expiresat);
  const covers = scope.some((text) => {
    const grant = parseGrant(text);
    return grant !== null && grantCovers(grant, position);
  });
  if (!covers || !(work.now < expiresAtMs)) return null;
  return { ...ANONYMOUS, type: 'service', subject: SERVICE_SUBJECT + id, tenant: position.key, scope, expiresAtMs };
}

/** With its present roles. In a tenant with sessions the one that signed must live; looking it up is no use of it, so that a page with pictures keeps none alive. */
function userNow(work: Work, id: string, origin: string | undefined): Principal | null {
  const { activation } = work;
  const user = findUser(work.turn(), id);
  if (user === undefined || user.disabled_at !== undefined) return null;
  const { roles } = user;
  const tenant = activation.position.key;
  const principal: Principal = {
    ...ANONYMOUS,
    type: 'user',
    subject: id,
    tenant,
    roles,
    superadmin: roles.includes('superadmin'),
  };
  const sessions = sessionsOf(activation);
  if (origin === undefined) return sessions.managed ? null : principal;
  const session = sessions.registry.findOrigin(origin);
  if (session === undefined || session.principal !== id || !(work.now < session.expiresAtMs)) {
    work.saw(sessions.newest);
    return null;
  }
  const actor = findSession(work.turn(), session.id)?.actor ?? null;
  return { ...principal, sid: session.id, actor, readonly: actor !== null, expiresAtMs: session.expiresAtMs };
}
