/** API keys of a tenant as its administrator sees them: docs/contract/identity-people.md §2. */
export interface ApiKey {
  readonly id: string;
  /** Null of keys that were made without one. */
  readonly name: string | null;
  readonly state: 'valid' | 'expired';
  readonly roles: readonly string[];
  readonly scope: readonly string[];
  readonly is_superadmin: boolean;
  readonly ips: readonly string[] | null;
  readonly per_second: number | null;
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** The only answer that holds the key itself. */
export type MadeKey = ApiKey & { readonly key: string };

export interface KeysPage {
  readonly keys: readonly ApiKey[];
  readonly next: string | null;
}

export interface KeyWish {
  readonly name: string;
  readonly capabilities: { readonly roles: readonly string[] } | { readonly scope: readonly string[] };
  readonly expires_in_days: number;
  /** Absent for a key that counts everywhere. */
  readonly ips?: readonly string[];
}
