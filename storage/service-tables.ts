/** Rows of the catalogue for intake, content and audit, and what a row says. The numbers of all tables: catalogue.ts. */

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

export const SERVICE_TABLES = {
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
