/** The asks that main sends for an operator (topic `actor.ask`). No route reaches them. */
import type { Work } from '#actors/host/work.ts';
import type { PersonWish } from '#actors/protocol/node-verbs.ts';
import type { NamedPerson, RowPlace } from '#actors/protocol/person.ts';
import { isPlane } from '#actors/protocol/position.ts';
import type { Identity } from '../identity.ts';
import { importAsOperator, type ImportWish } from '../import/operator-import.ts';
import { eraseAsOperator, exportOwnPart, showErasure } from '../privacy/operator-privacy.ts';
import { currentGrant, findOperator, grant, listGrants, revokeGrant, type GrantWish } from './grants.ts';
import { issueOperatorKey, revokeOperatorKey } from './issue-key.ts';
import { listKeys, showKey } from './keys.ts';
import { listRing } from './list-ring.ts';
import { openImpersonation, type OpenWish } from './open-impersonation.ts';
import { ensurePerson, ensureSuperadmin, findPerson, setUser, type EnsureWish, type UserChange } from './people.ts';
import { rotateKey, type RotateWish } from './rotate-key.ts';
import { rotateRing } from './rotate-ring.ts';
import { endTenantSessions, listTenantSessions, type EndWish } from './sessions.ts';
import { listTenantUsers, removeTenantUser, showTenantUser, type ListWish } from './users.ts';
import type { VaultKey } from '../create-signing-key.ts';

/** Of the control plane: `superadmin.ensure`, `ring.*`, `grant.*`; of an operator plane: `operator.find`; of any tenant: the rest. */
export function operatorAsks(identity: Identity) {
  return {
    'superadmin.ensure': (work: Work, wish: PersonWish) => ensureSuperadmin(identity, work, wish),
    'person.ensure': (work: Work, wish: EnsureWish) => ensurePerson(identity, work, wish),
    'user.find': findPerson,
    'user.set': (work: Work, change: UserChange) => setUser(identity, work, change),
    'user.list': (work: Work, wish: ListWish) => listTenantUsers(identity, work, wish),
    'user.show': (work: Work, wish: { readonly user: string }) => showTenantUser(identity, work, wish),
    'user.import': (work: Work, wish: ImportWish) => importAsOperator(identity, work, wish),
    'user.export': (work: Work, wish: { readonly user: string }) => exportOwnPart(identity, work, wish),
    'user.erase': (work: Work, wish: { readonly user: string }) => eraseAsOperator(identity, work, wish),
    'user.erasure': showErasure,
    'user.rows': (work: Work, wish: NamedPerson & { readonly after: RowPlace | null }) =>
      isPlane(work.activation.position)
        ? { rows: [], next: null }
        : identity.node.ask('person.rows', { key: work.activation.position.key, ...wish }),
    'user.records': (work: Work, wish: { readonly user: string; readonly from: number }) =>
      identity.node.ask('person.records', { key: work.activation.position.key, ...wish }),
    'user.remove': (work: Work, wish: { readonly user: string }) => removeTenantUser(identity, work, wish),
    'key.list': listKeys,
    'key.show': showKey,
    'key.rotate': (work: Work, wish: RotateWish) => rotateKey(identity, work, wish),
    'key.make': (work: Work, wish: unknown) => issueOperatorKey(identity, work, wish),
    'key.revoke': (work: Work, wish: { readonly id: string }) => revokeOperatorKey(identity, work, wish),
    'session.list': listTenantSessions,
    'session.end': (work: Work, wish: EndWish) => endTenantSessions(identity, work, wish),
    'ring.list': listRing,
    'ring.rotate': (work: Work, made: VaultKey | null) => rotateRing(identity, work, made),
    'grant.put': (work: Work, wish: GrantWish) => grant(identity, work, wish),
    'grant.list': listGrants,
    'grant.current': currentGrant,
    'grant.revoke': (work: Work, wish: GrantWish) => revokeGrant(identity, work, wish),
    'operator.find': findOperator,
    'impersonation.open': (work: Work, wish: OpenWish) => openImpersonation(identity, work, wish),
  };
}
