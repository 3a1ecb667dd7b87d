/** Every table with a fixed number: key shape, record version, owner. Entities and their indexes take numbers from 256 on, given by the tenant's stored schema. */

import { SERVICE_TABLES } from './service-tables.ts';
import type { TableRow } from './service-tables.ts';

export type { TableRow } from './service-tables.ts';

/** Numbers: platform 1–9, identity 10–29, data 30–59, intake 60–69, content 70–79, vault 80–89, audit 90–99. Never reuse one. */
export const TABLES = {
  registry: {
    no: 1,
    key: 'tenant key',
    version: 1,
    owner: 'platform',
    holds: 'tenants of this node: number, shard, state (control plane)',
  },
  keyring: { no: 2, key: 'kid', version: 1, owner: 'platform', holds: 'token signing keys (control plane)' },
  retired_tenant: {
    no: 3,
    key: 'tenant key',
    version: 1,
    owner: 'platform',
    holds: 'deleted tenants and the numbers that they had, which are never given again (control plane)',
  },
  tenant_number: {
    no: 4,
    key: "'last'",
    version: 1,
    owner: 'platform',
    holds: 'the last number that a tenant was given (control plane)',
  },
  usage: {
    no: 5,
    key: 'day, tenant key',
    version: 1,
    owner: 'platform',
    holds: 'what each tenant has used on a day: requests, mails, webhooks (control plane)',
  },
  /** Version 2: a key may be bound to addresses and a rate, which an older version would not heed. */
  api_key: {
    no: 10,
    key: 'key id',
    version: 2,
    owner: 'identity',
    holds: 'API keys: SHA-256 of the secret, capabilities, expiry',
    whileReadOnly: true,
  },
  /** Version 2: a user may be disabled, which an older version would not heed. */
  user: { no: 11, key: 'user id', version: 2, owner: 'identity', holds: 'users and operators' },
  user_login: { no: 12, key: 'lower-case login', version: 1, owner: 'identity', holds: 'login → user id' },
  bootstrap: {
    no: 13,
    key: "'used'",
    version: 1,
    owner: 'identity',
    holds: 'whether the bootstrap door is closed (control plane)',
  },
  refresh_token: {
    no: 14,
    key: 'family id, number in the family',
    version: 1,
    owner: 'identity',
    holds: 'refresh tokens: SHA-256 of the secret; used ones stay as tombstones, so that reuse shows',
    whileReadOnly: true,
  },
  refresh_family: {
    no: 15,
    key: 'user id, family id',
    version: 1,
    owner: 'identity',
    holds: 'the refresh tokens that descend from one login',
    whileReadOnly: true,
  },
  one_time_token: {
    no: 16,
    key: 'kind, user id',
    version: 1,
    owner: 'identity',
    holds: 'SHA-256 of the tokens in password reset and magic links',
    whileReadOnly: true,
  },
  mail_outbox: {
    no: 22,
    key: 'whether it leaves, entry id',
    version: 1,
    owner: 'identity',
    holds: 'mail that has not been answered for; never a token',
    ofNode: true,
    whileReadOnly: true,
  },
  totp: {
    no: 17,
    key: 'user id',
    version: 1,
    owner: 'identity',
    holds: 'TOTP secrets and the last accepted step',
    whileReadOnly: true,
  },
  recovery_code: {
    no: 18,
    key: 'user id, number',
    version: 1,
    owner: 'identity',
    holds: 'SHA-256 of unused recovery codes',
    whileReadOnly: true,
  },
  oauth_state: {
    no: 19,
    key: 'slot',
    version: 1,
    owner: 'identity',
    holds: 'sign-ins under way with a provider: SHA-256 of the state, code verifier, nonce',
    whileReadOnly: true,
  },
  oauth_link: {
    no: 23,
    key: 'provider, issuer, subject there',
    version: 1,
    owner: 'identity',
    holds: "a provider's user → user id",
  },
  user_index: {
    no: 27,
    key: "'term', beginning of an address or name, user id; 'admin', user id; 'built'",
    version: 1,
    owner: 'identity',
    holds: 'users by e-mail address and name, and those who administer the tenant; how far it was built',
    whileReadOnly: true,
  },
  account_request: {
    no: 24,
    key: 'kind, request id',
    version: 1,
    owner: 'identity',
    holds: 'sign-ups, invitations and changes of address that wait for their confirmation',
    whileReadOnly: true,
  },
  account_address: {
    no: 25,
    key: 'kind, lower-case address',
    version: 1,
    owner: 'identity',
    holds: 'address → its open request; under the empty address, how many are open',
    whileReadOnly: true,
  },
  impersonation_grant: {
    no: 20,
    key: 'operator id, tenant key',
    version: 1,
    owner: 'identity',
    holds: 'who may impersonate in which tenant, until when (control plane)',
  },
  session: {
    no: 21,
    key: 'session id',
    version: 1,
    owner: 'identity',
    holds: 'sessions of users and impersonations, ended ones for a while',
    whileReadOnly: true,
  },
  schema: {
    no: 30,
    key: "'current'",
    version: 1,
    owner: 'data',
    holds: 'stored schema: table numbers, slots, indexes',
  },
  row_count: {
    no: 31,
    key: 'entity table number',
    version: 1,
    owner: 'data',
    holds: 'kept counters: live and soft-deleted rows of an entity',
  },
  cursor_key: {
    no: 45,
    key: "'current'",
    version: 1,
    owner: 'data',
    holds: "the key that signs a tenant's cursors",
    whileReadOnly: true,
  },
  idempotency: {
    no: 32,
    key: 'SHA-256 of principal, method, path and Idempotency-Key',
    version: 1,
    owner: 'data',
    holds: 'answers kept for a retry: SHA-256 of the request, status, headers, body, expiry',
  },
  idempotency_expiry: {
    no: 33,
    key: 'expiry in ms, key in idempotency',
    version: 1,
    owner: 'data',
    holds: 'what to sweep',
  },
  plan: { no: 39, key: 'plan id', version: 1, owner: 'data', holds: 'ledger of migration plans' },
  plan_step: { no: 40, key: 'plan id, order', version: 1, owner: 'data', holds: 'ledger of the steps of plans' },
  plan_progress: {
    no: 41,
    key: 'plan id, order',
    version: 1,
    owner: 'data',
    holds: 'how far a step that works in slices has come',
  },
  row_version: {
    no: 34,
    key: 'entity table number, row id, version',
    version: 1,
    owner: 'data',
    holds: 'old versions of the rows of versioned entities',
  },
  blob_use: {
    no: 50,
    key: 'sha256, entity table number, slot, row id',
    version: 1,
    owner: 'data',
    holds: 'which rows use a blob; no value',
    bare: true,
  },
  lock: {
    no: 51,
    key: 'resource',
    version: 1,
    owner: 'data',
    holds: 'which caller holds the exclusive lock of an operation of the tenant',
  },
  lock_fence: {
    no: 52,
    key: "'last'",
    version: 1,
    owner: 'data',
    holds: 'the fencing token that was given last; it only grows',
  },
  seed_ledger: { no: 53, key: 'seed name', version: 1, owner: 'data', holds: 'seeds that were applied, or failed' },
  handoff: { no: 54, key: 'handoff id', version: 1, owner: 'data', holds: 'rows on their way to an archive elsewhere' },
  handoff_place: {
    no: 55,
    key: 'entity, row id, version of the row',
    version: 1,
    owner: 'data',
    holds: 'the handoff of a state of a row',
  },
  handoff_queue: {
    no: 56,
    key: 'entity, target name, status, handoff id',
    version: 1,
    owner: 'data',
    holds: 'handoffs by status; no more than their id',
  },
  handoff_count: {
    no: 57,
    key: 'entity, target name, status',
    version: 1,
    owner: 'data',
    holds: 'kept counters of handoffs',
  },
  materialize_task: {
    no: 35,
    key: 'task id',
    version: 1,
    owner: 'data',
    holds: 'materialized fields that are to be computed anew',
  },
  materialize_count: {
    no: 37,
    key: "'current'",
    version: 1,
    owner: 'data',
    holds: 'kept counters of tasks: all, failed',
  },
  materialize_known: {
    no: 38,
    key: 'entity table number, slot',
    version: 1,
    owner: 'data',
    holds: 'the definition that a materialized field was filled by, and how far its filling has come',
  },
  revision: {
    no: 58,
    key: "'current'",
    version: 1,
    owner: 'data',
    holds: 'which revision of its product the tenant serves: the SHA-256 of its archive under `revisions/`',
  },
  set_aside: {
    no: 59,
    key: 'entity table number, row id in hexadecimal',
    version: 1,
    owner: 'data',
    holds:
      'rows that could not be read and were taken out of the way: their bytes as they lay there, when and by which caller',
  },
  ...SERVICE_TABLES,
} as const satisfies Record<string, TableRow>;

/** Version of the rows of entities. */
export const ROW_VERSION = 1;

/** First table number that a tenant's schema may give to an entity or an index. */
export const DYNAMIC_TABLE_FIRST = 256;

/** Versions of the records that are written now, by table number. */
export const RECORD_VERSIONS: Readonly<Record<number, number>> = Object.fromEntries(
  Object.values(TABLES).map(({ no, version }) => [no, version]),
);

/** Tables whose values are empty. */
export const BARE_TABLES: ReadonlySet<number> = new Set(
  Object.values(TABLES)
    .filter((row: TableRow) => row.bare === true)
    .map(({ no }) => no),
);
