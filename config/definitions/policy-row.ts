/** A row of the vault's policies, and its capabilities. Shape: docs/contract/vault.md §2.4. */

export const CAPABILITIES = [
  'read',
  'write',
  'delete',
  'exists',
  'list',
  'issue',
  'revoke',
  'verify',
  'admin',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export interface PolicyRow {
  /** A glob: a SPIFFE id, or `operator/<name>`, `node/<id>`. */
  readonly subject: string;
  /** A glob over paths: `secret/<tenant key or _node>/<name>`, `certificate/internal`, `jwt/<audience>`, `seal`, …. */
  readonly path: string;
  readonly capabilities: readonly Capability[];
}
