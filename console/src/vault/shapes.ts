/** What the node says of its vault: docs/contract/node.md §11. */
export interface VaultPapers {
  readonly nodes: readonly {
    readonly name: string;
    readonly state: 'active' | 'evicted' | 'banned';
    readonly joined_at: string;
    readonly renewed_at: string;
    readonly until: string | null;
  }[];
  readonly nodes_more: boolean;
  readonly join_tokens: {
    readonly open: number;
    readonly spent: number;
    readonly expired: number;
    readonly last_end: string | null;
  };
  readonly join_tokens_more: boolean;
  readonly ending_days: number;
  readonly ending: readonly {
    readonly kind: 'service' | 'node' | 'workload' | 'operator';
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
    readonly kind: 'key' | 'shamir' | 'none';
    readonly initialized: boolean;
    readonly threshold: number | null;
    readonly shares: number | null;
    readonly progress: number | null;
  };
  readonly backend: { readonly kind: string; readonly reachable: boolean };
  /** Null while it is sealed, or its store cannot be read. */
  readonly papers: VaultPapers | null;
}

export interface NodeVault {
  readonly vault: { readonly failed: string | null; readonly state: VaultState | null } | null;
}
