/** People of a tenant as their administrator sees them: docs/contract/identity-people.md §1, docs/contract/identity-users.md §8.4. */
export interface Person {
  readonly id: string;
  /** Empty for a guest. */
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly roles: readonly string[];
  readonly guest: boolean;
  readonly disabled: boolean;
  readonly disabled_at: string | null;
  readonly allow_impersonation: boolean;
  readonly has_password: boolean;
  readonly verified_at: string | null;
  readonly created_at: string;
}

export interface PersonDetail extends Person {
  readonly second_factor: boolean;
  readonly passkeys: number;
  readonly identities: readonly { readonly provider: string; readonly email: string | null }[];
}

export interface PeoplePage {
  readonly users: readonly Person[];
  readonly next: string | null;
}

export interface Session {
  readonly id: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly kind: 'user' | 'impersonation';
  readonly revoked_at: string | null;
  /** The operator of an impersonation, and why and how. */
  readonly actor?: string;
  readonly impersonation?: { readonly reason: string | null; readonly mode: 'readonly' | 'full' | null };
}

export interface Sessions {
  readonly sessions: readonly Session[];
  /** Of all of them, also where fewer are shown. */
  readonly count: number;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly invited_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface InvitationsPage {
  readonly invitations: readonly Invitation[];
  readonly next: string | null;
}

export interface InvitationWish {
  readonly email: string;
  readonly roles: readonly string[];
}

/** Either a link that sets a password is mailed, or a password is given. */
export interface PersonWish {
  readonly email: string;
  readonly firstname?: string;
  readonly lastname?: string;
  readonly roles: readonly string[];
  readonly send_reset?: true;
  readonly password?: string;
}

export type PersonChange = Partial<Pick<Person, 'roles' | 'disabled'>>;

/** A role with what the product's definitions give it: docs/contract/identity-people.md §1.5. */
export interface RoleUse {
  readonly role: string;
  readonly origin: 'platform' | 'catalogue' | 'named';
  readonly about: string | null;
  readonly entities: readonly {
    readonly entity: string;
    readonly granted: readonly string[];
    readonly ruled: readonly string[];
  }[];
  readonly fields: readonly { readonly entity: string; readonly field: string; readonly may: 'read' | 'write' }[];
  readonly runs: readonly { readonly kind: 'endpoint' | 'stateflow'; readonly name: string }[];
}
