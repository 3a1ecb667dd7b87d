/** Messages to the keeper of the vault, and of its keys and secrets. */
import type { KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { topic } from './topic.ts';
import type { VaultState } from './vault-state.ts';

/** A secret of a tenant, by the name that its product gives it. */
export interface TenantSecret {
  /** Key of the tenant. */
  readonly tenant: string;
  readonly name: string;
}

export const vaultTopics = {
  /** Open the store, check what a start must refuse, unseal where a root key is configured. */
  'vault.open': topic<null, null>({ from: 'main', to: 'vault-keeper', deadlineMs: 120_000 }),
  /** A secret that the platform file names, before any other thread starts. */
  'vault.reveal': topic<{ readonly name: string }, { readonly value: string }>({
    from: 'main',
    to: 'vault-keeper',
    deadlineMs: 10_000,
  }),
  /** The signing key of an audit log, from the vault: main passes it on as a handle. */
  'vault.key': topic<{ readonly path: string }, { readonly key: KeyObject }>({
    from: 'audit-sealer',
    to: 'main',
    deadlineMs: 12_000,
  }),
  /** A secret that a tenant's product names, from the tenant's own place in the vault; null: it is not there. */
  'vault.tenant-secret': topic<TenantSecret, { readonly value: string | null }>({
    from: 'tenant-host',
    to: 'main',
    deadlineMs: 12_000,
  }),
  /** The same, from main to the keeper. */
  'vault.reveal-tenant': topic<TenantSecret, { readonly value: string | null }>({
    from: 'main',
    to: 'vault-keeper',
    deadlineMs: 10_000,
  }),
  /** `vault.key` from main to the keeper, also for keys that sign tokens; `make`: it is made when there is none. */
  'vault.sign-key': topic<{ readonly path: string; readonly make: boolean }, { readonly key: KeyObject }>({
    from: 'main',
    to: 'vault-keeper',
    deadlineMs: 10_000,
  }),
  /** A key that signed tokens, once the last of them has expired: it is destroyed. */
  'vault.forget-key': topic<{ readonly path: string }, null>({ from: 'main', to: 'vault-keeper', deadlineMs: 10_000 }),
  /** What the node's own operators may see of the vault. */
  'vault.state': topic<null, VaultState>({ from: 'main', to: 'vault-keeper', deadlineMs: limits.nodeView.vaultWaitMs }),
  /** SIGHUP: read root keys and policies again; what the previous root key encrypts is encrypted again under the current one. */
  'vault.reload': topic<null, null>({ from: 'main', to: 'vault-keeper', deadlineMs: 30_000 }),
  /** What the authority publishes has changed, since a certificate was revoked: answers that the door keeps are over. Sent behind all answers before, and ahead of the answer to the revocation. */
  'vault.published': topic<null, null>({ from: 'vault-keeper', to: 'main', deadlineMs: 0 }),
  /** The keeper asks the audit log how far its store had come; answered when it knows, or when no answer came in time. */
  'vault.recall': topic<null, null>({ from: 'main', to: 'vault-keeper', deadlineMs: 10_000 }),
} as const;
