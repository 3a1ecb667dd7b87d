/** Parts that the rows of the vault's routes share. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { limits } from '#config/limits.ts';
import { PEER_CERTIFICATE, VERB } from '#actors/protocol/frame.ts';

/** A caller is known by its certificate; the tenant comes from the four headers. Without TLS, `host` and `origin` reveal a browser's page. */
const VAULT_HEADERS = [
  PEER_CERTIFICATE,
  VERB,
  'host',
  'origin',
  'x-customer',
  'x-product',
  'x-env',
  'x-tenant',
] as const;

/** Any caller with a certificate that the vault trusts; policies decide what it may do. */
const known = callers({ certificates: ['operator', 'node', 'workload'], further: 'policies of the vault' });

export const of = {
  position: 'none',
  to: 'vault',
  listener: 'own',
  callers: known,
  ack: 'memory',
  headers: VAULT_HEADERS,
} as const;
export const read = { ...of, methods: ['GET'], body: 'none' } as const;
export const post = { ...of, methods: ['POST'], body: 'json', bodyBytesMax: limits.vault.bodyBytesMax } as const;
/** The certificate of a node, for itself: no other caller acts for it. */
export const nodes = callers({ certificates: ['node'] });
/** Any caller, with or without a certificate. */
export const probe = { ...of, callers: anyone(), rate: 'vault_anonymous', methods: ['GET'], body: 'none' } as const;

/** Refusals of every verb that uses the store. */
export const STORE_FAULTS = [
  'vault.internal',
  'vault.unavailable',
  'vault-not-connected',
  'vault.sealed',
  'vault.rolled_back',
  'vault.audit_unavailable',
  'vault.envelope_broken',
  'vault.envelope_key_missing',
  'vault.storage_full',
] as const;

/** Refusals of every verb that requires a known caller. */
export const COMMON = ['vault.bad_request', 'vault.unauthorized', 'vault.forbidden', ...STORE_FAULTS] as const;
