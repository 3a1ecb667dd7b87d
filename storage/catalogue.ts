import { passkeyTables } from './passkey-tables.ts';

/** Every table with a fixed number: key shape, record version, owner. Entities and their indexes take numbers from 256 on, given by the tenant's stored schema. */
import { DATA_TABLES } from './data-tables.ts';

export interface TableRow {
  readonly no: number;
  /** The parts of the key, for people. */
  readonly key: string;
  /** Version of the record's shape; a reader knows how to read every earlier one. */
  readonly version: number;
  readonly owner: 'identity' | 'data' | 'intake' | 'content' | 'audit' | 'vault' | 'platform';
  readonly holds: string;
  /** The table holds what waits to leave this node, or counts what has left it. It is no part of a backup: the node that took the backup still sends it. */
  readonly ofNode?: true;
  /** Calls of a read-only tenant write it all the same: a login, the second factor of one, a read or the record of one needs that. */
  readonly whileReadOnly?: true;
  /** Its keys say everything: its values are empty, without a head or a CRC. */
  readonly bare?: true;
}

/** Numbers: platform 1–9, identity 10–29 and 110–129, data 30–59 and 130–139, intake 60–69, content 70–79, vault 80–89, audit 90–99. Never reuse one. */
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
    holds: 'what each tenant has used on a day, and the most rows and bytes that it had (control plane)',
  },
  usage_month: {
    no: 6,
    key: 'month, tenant key',
    version: 1,
    owner: 'platform',
    holds: 'what each tenant has used in a month, for its quotas (control plane)',
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
  user_index: {
    no: 27,
    key: "'term', beginning of an address or name, user id; 'admin', user id; 'built'",
    version: 1,
    owner: 'identity',
    holds: 'users by e-mail address and name, and those who administer the tenant; how far it was built',
    whileReadOnly: true,
  },
  ...passkeyTables,
  guest: {
    no: 28,
    key: "'of', user id; 'at', end of the guest's time, user id; 'count'",
    version: 1,
    owner: 'identity',
    holds: 'guests by the end of their time, and how many there are',
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
  ...DATA_TABLES,
  submission: { no: 60, key: 'form id, submission id', version: 1, owner: 'intake', holds: 'accepted submissions' },
  form_columns: { no: 61, key: 'form id', version: 1, owner: 'intake', holds: 'columns that a form has stored so far' },
  submission_key: {
    no: 62,
    key: 'form id, idempotency key',
    version: 1,
    owner: 'intake',
    holds: 'first id under an idempotency key',
  },
  log_place: {
    no: 63,
    key: "'last'",
    version: 1,
    owner: 'intake',
    holds: 'newest line of the JSONL log that is in the database',
  },
  submission_key_age: {
    no: 64,
    key: 'submission id',
    version: 1,
    owner: 'intake',
    holds: 'idempotency keys by age, so that expired ones are found and deleted',
  },
  notice_outbox: {
    no: 65,
    key: 'submission id, kind',
    version: 1,
    owner: 'intake',
    holds: 'notices that the courier has not answered for',
  },
  form_expired: {
    no: 66,
    key: 'form id',
    version: 1,
    owner: 'intake',
    holds: 'the newest submission id that went past its retention',
  },
  submission_outbox: {
    no: 67,
    key: 'form id, submission id',
    version: 1,
    owner: 'intake',
    holds: 'submissions that the tenant of their form has not taken yet; their fields are in `submission`',
  },
  submission_keeper: {
    no: 68,
    key: 'tenant key',
    version: 1,
    owner: 'intake',
    holds: 'tenants that submissions were handed to: they keep copies, which an erasure asks for',
  },
  webhook_outbox: {
    no: 70,
    key: 'delivery id',
    version: 1,
    owner: 'content',
    holds: 'webhook deliveries that the courier has not answered for',
    ofNode: true,
  },
  webhook_log: {
    no: 71,
    key: 'delivery id',
    version: 1,
    owner: 'content',
    holds: 'webhook deliveries that have ended, and how',
    ofNode: true,
  },
  webhook_count: {
    no: 72,
    key: "'count'",
    version: 1,
    owner: 'content',
    holds: 'how many deliveries wait, have ended and were dropped',
    ofNode: true,
  },
  signed_head: {
    no: 90,
    key: 'log id',
    version: 1,
    owner: 'audit',
    holds: 'the newest signed tree head of an audit log, and the last number of each source in it',
  },
  audit_outbox: {
    no: 91,
    key: "'slot', number modulo 4,096; number where the slot is taken",
    version: 1,
    owner: 'audit',
    holds: "a tenant's events that the audit log has not answered for",
    ofNode: true,
    whileReadOnly: true,
  },
  audit_settled: {
    no: 92,
    key: "'last'",
    version: 1,
    owner: 'audit',
    holds: 'the last number that the audit log has answered for',
    ofNode: true,
    whileReadOnly: true,
  },
} as const satisfies Record<string, TableRow>;

/** Version of the rows of entities. */
export const ROW_VERSION = 1;

/** First table number that a tenant's schema may give to an entity or an index. */
export const DYNAMIC_TABLE_FIRST = 256;

/** Versions of the records that are written now, by table number. */
export const RECORD_VERSIONS: Readonly<Record<number, number>> = Object.fromEntries(
  Object.values(TABLES).map(({ no, version }) => [no, version]),
);
