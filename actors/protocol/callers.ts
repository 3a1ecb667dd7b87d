/**
 * Who may call a route, from which plane and position: a value in its row. Services decide by it (`admits`, actors/kit/admits.ts) where
 * the contract's order of refusals lets them; where only a handler can know, `further` says what it goes by. The documents are
 * generated from these values, and test/scenario/authority-matrix.test.ts calls every route as everybody and compares.
 */
import type { Method } from './method.ts';

/** `none`: no credential is read. `optional`: read when shown. `required`: absence is refused by the service's authenticate(). */
export type AuthRule = 'none' | 'optional' | 'required';

/**
 * Whose principal counts, seen from the tenant that the request is about.
 * `here`: of the position in the headers, whatever it is; bearers and keys count nowhere else. `anywhere`: of any tenant. `at`: of the tenant that path or body
 * names. `at or over`: also of a plane over that tenant (reach.ts). `over`: of such a plane alone. `plane`: of the tenant's own operator plane.
 */
export type Place = 'here' | 'anywhere' | 'at' | 'at or over' | 'over' | 'plane';

/** Which impersonations count as their user: none, full ones, or read-only ones as well. */
export type Impersonation = 'none' | 'full' | 'readonly';

/** What lets a user in, or a key. */
export interface Rule {
  /** One of them is needed; null: none is. */
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
  readonly nobody: boolean;
  /** What the body may show instead of a credential. */
  readonly instead: string | null;
  /** No bearer is looked at: everybody passes, whatever they show. */
  readonly unread: boolean;
  /** One rule is enough. */
  readonly users: readonly Rule[];
  /** Service tokens, by where one of their grants must count. */
  readonly service: 'here' | 'anywhere' | 'at' | null;
  readonly keys: Rule | null;
  /** Verbs that take the product's static key. */
  readonly static: readonly Method[];
  readonly certificates: readonly CertificateRole[];
  /** Who may look and not touch is kept out before the handler is asked. */
  readonly touches: boolean;
  /** What decides further, in words for people. */
  readonly further: string | null;
}

export interface CallersWish {
  /** A request without a credential passes too. */
  readonly nobody?: true;
  /** What the body may show instead. */
  readonly instead?: string;
  readonly users?: readonly Partial<Rule>[];
  readonly service?: 'here' | 'anywhere' | 'at';
  readonly keys?: Partial<Rule>;
  readonly static?: readonly Method[];
  readonly certificates?: readonly CertificateRole[];
  readonly further?: string;
}

const ANY: Rule = { roles: null, anyCase: false, from: 'here', impersonation: 'none', scoped: false };

const ruleOf = (wish: Partial<Rule>): Rule => Object.freeze({ ...ANY, ...wish });

/** Callers who show what the row names. Nothing is let in that is not named. */
export function callers(wish: CallersWish): Callers {
  const users = (wish.users ?? []).map(ruleOf);
  return Object.freeze({
    kind: 'callers',
    auth: wish.nobody === true || wish.instead !== undefined ? 'optional' : 'required',
    nobody: wish.nobody === true,
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

/** Everybody: no credential is read. `further`: what the body shows instead, where it shows something. */
export function anyone(further: string | null = null): Callers {
  return Object.freeze({ ...callers({}), auth: 'none', nobody: true, unread: true, further });
}

/** Everybody as nobody: bearers are not looked at, and an API key is refused. */
export function anonymous(further: string): Callers {
  return Object.freeze({ ...callers({ nobody: true }), unread: true, further });
}
