/** Events that the vault sends to the audit log (docs/contract/vault.md §7.1: the vault's audit events). */
import type { Call } from '#actors/host/call.ts';

export const VAULT_ACTIONS = [
  'agent.join',
  'agent.renew',
  'agent.decommission',
  'secret.read',
  'secret.write',
  'secret.delete',
  'secret.exists',
  'cert.issue',
  'cert.retrieve',
  'cert.revoke',
  'jwt.issue',
  'jwt.verify',
  'policy.grant',
  'policy.deny',
  'operator',
] as const;

export type VaultAction = (typeof VAULT_ACTIONS)[number];

export interface VaultEvent {
  readonly action: VaultAction;
  /** The caller's SPIFFE id. */
  readonly actor: string;
  /** The object of the operation; never a value, a token or a key. */
  readonly target: string;
  readonly outcome: 'ok' | 'denied' | 'failed';
  /** The tenant whose log gets the event; null for the cluster's log. */
  readonly tenant: string | null;
  readonly request_id: string;
  /** The event concerns this cluster's store and goes to the cluster's log, whatever its tenant or caller. */
  readonly ofStore?: true;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Accepts events. Gives a promise where the caller must wait for the record; it rejects when the record was not written. */
export interface Events {
  emit(event: VaultEvent): Promise<void> | null;
  readonly pending: number;
  readonly dropped: number;
  readonly required: boolean;
}

/** An operation requires its audit record, and the record could not be written. */
export class AuditUnavailable extends Error {}

export function eventOf(
  call: Call,
  event: Omit<VaultEvent, 'actor' | 'request_id'> & { readonly actor?: string },
): VaultEvent {
  return { actor: call.who.actor, request_id: call.requestId, ...event };
}

/** Datacenter, cluster and instance of a vault. */
export interface Place {
  readonly datacenter: string;
  readonly cluster: string;
}

/**
 * The log of an event: `vault/<dc>/<cluster>/<tenant>` (the tenant as its four segments, as in every log id), `…/_cluster` for events of no tenant,
 * `vault/_global` for what operators do to the vault itself (docs/contract/vault.md §6).
 */
export function logIdOf({ datacenter, cluster }: Place, { action, ofStore, tenant }: VaultEvent): string {
  if (tenant !== null) return `vault/${datacenter}/${cluster}/${tenant.replaceAll(':', '/')}`;
  return action === 'operator' && ofStore !== true ? 'vault/_global' : `vault/${datacenter}/${cluster}/_cluster`;
}
