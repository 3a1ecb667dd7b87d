/** Which records of an audit log are about one row (docs/contract/audit.md §2). Pure. */
import type { AuditRecord } from '../audit/shapes.ts';

/** The action of a record of several rows. */
export const TOGETHER = 'data.rows.change';

/** The log of what is done in a tenant. */
export const logOfTenant = (key: string): string => `tenant/${key.replaceAll(':', '/')}`;

interface Written {
  readonly entity?: unknown;
  readonly id?: unknown;
  readonly version?: unknown;
}

/** What a record says of the row; undefined where it is about others. */
function writtenIn({ action, target, data = {} }: AuditRecord, entity: string, id: string): Written | undefined {
  if (action !== TOGETHER) return data['entity'] === entity && target === id ? data : undefined;
  const rows: unknown = data['rows'];
  if (!Array.isArray(rows)) return undefined;
  return (rows as readonly Written[]).findLast((row) => row.entity === entity && String(row.id) === id);
}

export const isOfRow = (record: AuditRecord, entity: string, id: string): boolean =>
  writtenIn(record, entity, id) !== undefined;

/** The version that the row had behind it. */
export const versionIn = (record: AuditRecord, entity: string, id: string): unknown =>
  writtenIn(record, entity, id)?.version;
