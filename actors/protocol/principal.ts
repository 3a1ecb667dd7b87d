/** The caller of a request, once its credential is verified. Rules see it as `principal`. Spec: docs/contract/identity.md §2.5, docs/contract/data.md §3.1. */

export type PrincipalType = 'key' | 'user' | 'service' | 'static' | 'anonymous' | 'internal' | 'certificate';

export interface Principal {
  readonly type: PrincipalType;
  /** Key id, user id, `apikey:<id>` for a service token, `''` for the anonymous one. */
  readonly subject: string;
  /** Tenant key of the position that the credential belongs to. */
  readonly tenant: string;
  readonly roles: readonly string[];
  /** Grants, written customer:env:product:tenant. */
  readonly scope: readonly string[];
  readonly superadmin: boolean;
  readonly sid: string | null;
  /** Id of the operator who acts for the subject, when the token is an impersonation's. */
  readonly actor: string | null;
  /** An impersonation that may only read. */
  readonly readonly: boolean;
  /** When its token was issued, in milliseconds; absent where no token is. */
  readonly issuedAtMs?: number;
  /** Milliseconds since the epoch; Infinity when it does not expire by itself. */
  readonly expiresAtMs: number;
}

const base = {
  tenant: '',
  roles: [],
  scope: [],
  superadmin: false,
  sid: null,
  actor: null,
  readonly: false,
  expiresAtMs: Infinity,
} as const;

/** One without session, scope and end, but for what is given. */
export const principalOf = (own: Pick<Principal, 'type' | 'subject'> & Partial<Principal>): Principal => ({
  ...base,
  ...own,
});

export const ANONYMOUS = Object.freeze(principalOf({ type: 'anonymous', subject: '' }));
/** Exists only on messages inside the node: no credential maps to it. */
export const INTERNAL = Object.freeze(principalOf({ type: 'internal', subject: 'internal', superadmin: true }));
