/** Which records are about one row: those of one change, and the row's place in those of several. */
import { expect, test } from 'vitest';
import type { AuditRecord } from '#console/audit/shapes.ts';
import { isOfRow, logOfTenant, versionIn } from '#console/data/row-records.ts';

const recordOf = (action: string, target: string, data: Record<string, unknown>): AuditRecord => {
  const rest = { id: '', seq: 0, ts: '', tenant: '', source: '', source_seq: 0, actor: '', request_id: '' };
  return { ...rest, outcome: 'ok', action, target, data };
};

test('a record of one change is that of its entity and row', () => {
  const record = recordOf('data.ticket.update', 'A', { entity: 'ticket', version: 3 });
  expect(isOfRow(record, 'ticket', 'A')).toBe(true);
  expect(versionIn(record, 'ticket', 'A')).toBe(3);
  // Another entity may have a row with this key.
  expect(isOfRow(record, 'note', 'A')).toBe(false);
  expect(isOfRow(record, 'ticket', 'B')).toBe(false);
});

test('a record of several has the row as its last change left it', () => {
  const rows = [
    { entity: 'ticket', id: 'A', version: 1 },
    { entity: 'note', id: 'A', version: 7 },
    { entity: 'ticket', id: 'A', version: 2 },
    { entity: 'ticket', id: 5, version: 4 },
  ];
  const record = recordOf('data.rows.change', '', { rows });
  expect(versionIn(record, 'ticket', 'A')).toBe(2);
  expect(versionIn(record, 'ticket', '5')).toBe(4);
  expect(isOfRow(record, 'ticket', 'C')).toBe(false);
  // The log keeps the hash alone of what is too long.
  expect(isOfRow(recordOf('data.rows.change', '', {}), 'ticket', 'A')).toBe(false);
});

test('the log is named after the tenant', () => {
  expect(logOfTenant('acme:shop:dev:main')).toBe('tenant/acme/shop/dev/main');
});
