/** Certificates of the node's names as its log has them, without a page. */
import { expect, test } from 'vitest';
import { certificatesOf } from '#console/vault/ends.ts';

test('the last certificate of each name, the next to end first, each with how near its end is', () => {
  const now = Date.parse('2026-11-28T10:00:00Z');
  const record = (seq: number, target: string, until: unknown, action = 'platform.certificate.issue') => ({
    id: String(seq),
    seq,
    ts: `2026-10-0${seq}T10:00:00Z`,
    tenant: '',
    source: 'platform',
    source_seq: seq,
    actor: 'internal',
    action,
    target,
    outcome: 'ok',
    request_id: '',
    data: { until },
  });
  const found = certificatesOf(
    [
      record(9, 'a.example.org', '2027-02-01T00:00:00Z'),
      record(8, 'a.example.org', '2026-11-01T00:00:00Z'),
      record(7, 'b.example.org', '2026-12-01T00:00:00Z'),
      record(6, 'c.example.org', '2026-11-28T10:00:00Z'),
      record(5, 'd.example.org', 12),
      record(4, 'e.example.org', '2027-02-01T00:00:00Z', 'platform.backup'),
    ],
    now,
  );
  expect(found.map(({ name, nearness }) => [name, nearness])).toEqual([
    ['c.example.org', 'over'],
    ['b.example.org', 'soon'],
    ['a.example.org', 'well'],
  ]);
  expect(certificatesOf([], now)).toEqual([]);
});
