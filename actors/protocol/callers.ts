/**
 * Which callers a route admits, from which plane and position: a value in its row. Services decide by it (`admits`, actors/kit/admits.ts)
 * where the contract's order of refusals allows; where only a handler can decide, `further` says how. The documents are generated from
 * these values, and test/scenario/authority-matrix.test.ts calls every route as each kind of caller and compares.
 */
import type { Method } from './method.ts';

/** `none`: no credential is read. `optional`: read when shown, or judged by the handler. `required`: absence is refused by the service's authenticate(). */
export type AuthRule = 'none' | 'optional' | 'required';

/**
 * Of which tenant the principal must be, seen from the tenant that the request is about.
 * `here`: of the position in the headers, whatever it is; bearers and keys count nowhere else. `anywhere`: of any tenant. `at`: of the tenant that path or body
 * names. `at or over`: also of a plane over that tenant (reach.ts). `over`: of such a plane alone. `plane`: of the tenant's own operator plane. `control`: of the control
 * plane, whatever the request is about: the node's own operators.
 */
export type Place = 'here' | 'anywhere' | 'at' | 'at or over' | 'over' | 'plane' | 'control';

/** Which impersonations count as their user: none, full ones, or read-only ones as well. */
export type Impersonation = 'none' | 'full' | 'readonly';

/** What admits a user or a key. */
export interface Rule {
  /** The principal needs one of them; null: no role is needed. */
  readonly roles: readonly string[] | null;
  /** Roles are compared without case (docs/contract/data-admin.md §1). */
  readonly anyCase: boolean;
  readonly from: Place;
  readonly impersonation: Impersonation;
  /** A key with grants: a service key. */
  readonly scoped: boolean;
}

/** Certificates of the vault's and the audit service's callers, by the role that their SPIFFE id has. */
export type CertificateRole = 'operator' | 'node' | 'workload' | 'vault';

export interface Callers {
  readonly kind: 'callers';
  readonly auth: AuthRule;
  /** A request without a credential passes. */
  readonly anonymous: boolean;
  /** What the body may hold instead of a credential. */
  readonly instead: string | null;
  /** Bearers are not read: every request passes. */
  readonly unread: boolean;
  /** One rule is enough. */
  readonly users: readonly Rule[];
  /** Service tokens, by where one of their grants must count. */
  readonly service: 'here' | 'anywhere' | 'at' | null;
  readonly keys: Rule | null;
  /** Verbs that take the product's static key. */
  readonly static: readonly Method[];
  readonly certificates: readonly CertificateRole[];
  /** The route changes something: read-only impersonations are refused before the handler runs. */
  readonly touches: boolean;
  /** What else decides, as text for the documents. */
  readonly further: string | null;
}

export interface CallersWish {
  /** A request without a credential passes too. */
  readonly anonymous?: true;
  /** What the body may hold instead. */
  readonly instead?: string;
  readonly users?: readonly Partial<Rule>[];
  readonly service?: 'here' | 'anywhere' | 'at';
  readonly keys?: Partial<Rule>;
  readonly static?: readonly Method[];
  readonly certificates?: readonly CertificateRole[];
  readonly further?: string;
  /** A refusal of the service's own comes before the credential: the handler judges it. */
  readonly late?: true;
}

const ANY: Rule = { roles: null, anyCase: false, from: 'here', impersonation: 'none', scoped: false };

const ruleOf = (wish: Partial<Rule>): Rule => Object.freeze({ ...ANY, ...wish });

/** Callers with the credentials that the row names; all others are refused. */
export function callers(wish: CallersWish): Callers {
  const users = (wish.users ?? []).map(ruleOf);
  return Object.freeze({
    kind: 'callers',
    auth: wish.anonymous === true || wish.instead !== undefined || wish.late === true ? 'optional' : 'required',
    anonymous: wish.anonymous === true,
    instead: wish.instead ?? null,
    unread: false,
    users: Object.freeze(users),
    service: wish.service ?? null,
    keys: wish.keys === undefined ? null : ruleOf(wish.keys),
    static: Object.freeze([...(wish.static ?? [])]),
    certificates: Object.freeze([...(wish.certificates ?? [])]),
    touches: users.some(({ roles, impersonation }) => roles === null && impersonation === 'full'),
    further: wish.further ?? null,
  });
}

/** Every caller: no credential is read. `further`: what the body holds instead, if anything. */
export function anyone(further: string | null = null): Callers {
  return Object.freeze({ ...callers({}), auth: 'none', anonymous: true, unread: true, further });
}

/** Every caller, as an anonymous one: bearers are not read, and an API key is refused. */
export function anonymous(further: string): Callers {
  return Object.freeze({ ...callers({ anonymous: true }), unread: true, further });
}
