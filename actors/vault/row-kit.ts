/** What the rows of the vault's routes have in common. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { limits } from '#config/limits.ts';
import { PEER_CERTIFICATE, VERB } from '#actors/protocol/frame.ts';

/** A caller is known by its certificate; the tenant comes from the four headers. Where there is no TLS, `host` and `origin` tell a browser's page. */
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

/** Whoever has a certificate that the vault trusts; its policies say what for. */
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
/** The certificate of a node, its own: no other caller acts for it. */
export const nodes = callers({ certificates: ['node'] });
/** For everybody, with or without a certificate. */
export const probe = { ...of, callers: anyone(), rate: 'vault_anonymous', methods: ['GET'], body: 'none' } as const;

/** What may meet every verb that touches the store. */
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

/** What may meet every caller who has to be known. */
export const COMMON = ['vault.bad_request', 'vault.unauthorized', 'vault.forbidden', ...STORE_FAULTS] as const;
