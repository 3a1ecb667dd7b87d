/** What the vault says of itself to the node's own operators (docs/contract/node.md §11). It never holds a secret. */
export const VAULT_NODE_STATES = ['active', 'evicted', 'banned'] as const;
export const VAULT_CERTIFICATE_KINDS = ['service', 'node', 'workload', 'operator'] as const;
export const SEAL_KINDS = ['key', 'shamir', 'none'] as const;

export interface VaultJoinTokens {
  /** May still be used; were used as often as they may; are over. */
  readonly open: number;
  readonly spent: number;
  readonly expired: number;
  /** When the last of the open ones ends. */
  readonly last_end: string | null;
}

export interface VaultPapers {
  /** `until`: the end of the newest certificate that it was given. */
  readonly nodes: readonly {
    readonly name: string;
    readonly state: (typeof VAULT_NODE_STATES)[number];
    readonly joined_at: string;
    readonly renewed_at: string;
    readonly until: string | null;
  }[];
  readonly nodes_more: boolean;
  readonly join_tokens: VaultJoinTokens;
  readonly join_tokens_more: boolean;
  /** Certificates of its authority that end within so many days, the next first. */
  readonly ending_days: number;
  readonly ending: readonly {
    readonly kind: (typeof VAULT_CERTIFICATE_KINDS)[number];
    readonly name: string;
    readonly until: string;
  }[];
  readonly ending_more: boolean;
}

export interface VaultState {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly seal: {
    readonly sealed: boolean;
    readonly kind: (typeof SEAL_KINDS)[number];
    readonly initialized: boolean;
    /** Of a seal by shares: how many open it, how many were made, and how many were given since it was sealed. */
    readonly threshold: number | null;
    readonly shares: number | null;
    readonly progress: number | null;
  };
  readonly backend: { readonly kind: string; readonly reachable: boolean };
  /** Null while the vault is sealed, or its store cannot be read. */
  readonly papers: VaultPapers | null;
}

export interface NodeVault {
  /** Null on a node without a vault. */
  readonly vault: {
    /** Why nothing is known; null where `state` is there. */
    readonly failed: string | null;
    readonly state: VaultState | null;
  } | null;
}
